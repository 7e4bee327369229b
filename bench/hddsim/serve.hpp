// SPDX-License-Identifier: MIT
// serve: `hddsim serve`: the emulated disk itself, in the foreground: a FUSE file whose requests take a disk's time.
#pragma once

#include <csignal>
#include <string>

namespace hddsim {

struct ServeOptions {
  std::string profile = "hdd7200";
  std::string backing_file;
  std::string counters_file;
  std::string trace_path;
  std::string mount_folder;
};

/// The signal that tells a server that from now on requests take no time (Engine::hurry).
inline constexpr int kHurrySignal = SIGUSR1;

/// Serves until the disk is unmounted or the process is told to end. Returns the exit status.
int serve(const ServeOptions& options);

}  // namespace hddsim
