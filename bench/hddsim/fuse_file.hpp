// SPDX-License-Identifier: MIT
// fuse_file: the emulated disk as a file: a FUSE file system with the single file "disk". The file bypasses the page cache. All its requests
// go through the engine, and its bytes are in a backing file.
#pragma once

#include <cstdint>
#include <string>

#include "bench/hddsim/engine.hpp"

namespace hddsim {

inline constexpr const char* kDiskFileName = "disk";

/// Serves the file system at `mount_folder` until it is unmounted or a SIGTERM, SIGINT or SIGHUP comes. Returns 0, or 1 after a message.
int serve_file(const std::string& mount_folder, int backing_fd, std::uint64_t size_bytes, Engine& engine);

}  // namespace hddsim
