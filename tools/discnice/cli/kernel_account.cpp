// SPDX-License-Identifier: MIT
#include "tools/discnice/cli/kernel_account.hpp"

#include <sstream>
#include <string>

#include <fcntl.h>
#include <unistd.h>

namespace discnice::cli {
namespace {

constexpr std::size_t kTextBytesMax = 1024;  // seven short lines

}  // namespace

KernelAccountFile::KernelAccountFile(pid_t pid)
    : fd_(open(("/proc/" + std::to_string(pid) + "/io").c_str(), O_RDONLY | O_CLOEXEC)) {}

KernelAccountFile::~KernelAccountFile() {
  if (fd_ >= 0) close(fd_);
}

std::optional<KernelAccount> KernelAccountFile::read() const {
  char text[kTextBytesMax];
  const ssize_t length = fd_ >= 0 ? pread(fd_, text, sizeof text, 0) : -1;
  if (length <= 0) return std::nullopt;
  std::istringstream lines(std::string(text, static_cast<std::size_t>(length)));
  KernelAccount account;
  int found = 0;
  std::string key;
  std::uint64_t value = 0;
  while (lines >> key >> value) {
    if (key == "read_bytes:") {
      account.read_bytes = value;
      ++found;
    } else if (key == "write_bytes:") {
      account.write_bytes = value;
      ++found;
    } else if (key == "cancelled_write_bytes:") {
      account.cancelled_write_bytes = value;
      ++found;
    }
  }
  if (found != 3) return std::nullopt;
  return account;
}

}  // namespace discnice::cli
