// SPDX-License-Identifier: MIT
#include "tools/discnice/cli/kernel_account.hpp"

#include <sstream>
#include <string>

#include <unistd.h>

namespace discnice::cli {
namespace {

constexpr std::size_t kTextBytesMax = 1024;  // seven short lines

std::optional<KernelAccount> parse(const std::string& text) {
  std::istringstream lines(text);
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

}  // namespace

KernelAccountFile::~KernelAccountFile() {
  if (fd_ >= 0) close(fd_);
}

std::optional<KernelAccount> KernelAccountFile::read() const {
  char text[kTextBytesMax];
  const ssize_t length = fd_ < 0 ? -1 : pread(fd_, text, sizeof text, 0);
  if (length <= 0) return std::nullopt;
  return parse(std::string(text, static_cast<std::size_t>(length)));
}

}  // namespace discnice::cli
