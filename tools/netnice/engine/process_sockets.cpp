// SPDX-License-Identifier: MIT
#include "tools/netnice/engine/process_sockets.hpp"

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>

#include <dirent.h>
#include <fmt/core.h>
#include <unistd.h>

namespace netnice {
namespace {

// "socket:[123]" to 123; 0 for anything else.
std::uint64_t inode_in(const char* link, std::size_t length) {
  constexpr char kPrefix[] = "socket:[";
  constexpr std::size_t kPrefixLength = sizeof kPrefix - 1;
  if (length <= kPrefixLength || std::memcmp(link, kPrefix, kPrefixLength) != 0) return 0;
  std::uint64_t inode = 0;
  std::from_chars(link + kPrefixLength, link + length, inode);
  return inode;
}

}  // namespace

DescriptorCount find_sockets(pid_t pid, std::vector<FoundSocket>& found) {
  DescriptorCount descriptors;
  DIR* folder = opendir(fmt::format("/proc/{}/fd", pid).c_str());
  if (folder == nullptr) {
    descriptors.error = errno;
    return descriptors;
  }
  const int folder_fd = dirfd(folder);
  while (const dirent* entry = readdir(folder)) {
    if (entry->d_name[0] == '.') continue;
    ++descriptors.count;
    char link[64];
    const ssize_t length = readlinkat(folder_fd, entry->d_name, link, sizeof link);
    const std::uint64_t inode = length > 0 ? inode_in(link, static_cast<std::size_t>(length)) : 0;
    if (inode != 0) found.push_back({inode, pid, std::atoi(entry->d_name)});
  }
  closedir(folder);
  return descriptors;
}

}  // namespace netnice
