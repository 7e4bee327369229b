// SPDX-License-Identifier: MIT
// process_sockets: the sockets that a process has open, found by the names of its descriptors in /proc/PID/fd.
#pragma once

#include <cstdint>
#include <vector>

#include <sys/types.h>

namespace netnice {

struct FoundSocket {
  std::uint64_t inode = 0;
  pid_t pid = 0;
  int fd = -1;
};

struct DescriptorCount {
  int error = 0;  // an errno: the descriptors cannot be looked at
  std::size_t count = 0;
};

/// Adds the sockets of the process to `found`, and counts all of its descriptors.
DescriptorCount find_sockets(pid_t pid, std::vector<FoundSocket>& found);

}  // namespace netnice
