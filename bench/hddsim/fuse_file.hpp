// SPDX-License-Identifier: MIT
// fuse_file: the emulated disk as a file: a FUSE file system with the one file "disk", past the page cache, whose requests
// all go through the engine and whose bytes lie in a backing file.
#pragma once

#include <cstdint>
#include <string>

#include "bench/hddsim/engine.hpp"

namespace hddsim {

inline constexpr const char* kDiskFileName = "disk";

/// Serves the file system at `mount_folder` until it is unmounted or a SIGTERM, SIGINT or SIGHUP comes. 0, or 1 after a message.
int serve_file(const std::string& mount_folder, int backing_fd, std::uint64_t size_bytes, Engine& engine);

}  // namespace hddsim
