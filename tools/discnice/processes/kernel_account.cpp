// SPDX-License-Identifier: MIT
#include "tools/discnice/processes/kernel_account.hpp"

#include <iterator>
#include <sstream>
#include <string>

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include "tools/discnice/processes/processes.hpp"

namespace discnice::processes {
namespace {

constexpr std::size_t kTextBytesMax = 1024;  // seven short lines

std::optional<KernelAccount> parse(const std::string& text) {
  struct Line {
    const char* key;
    std::uint64_t KernelAccount::*figure;
  };
  static constexpr Line kLines[] = {{"rchar:", &KernelAccount::called_read_bytes},
                                    {"wchar:", &KernelAccount::called_write_bytes},
                                    {"read_bytes:", &KernelAccount::read_bytes},
                                    {"write_bytes:", &KernelAccount::write_bytes},
                                    {"cancelled_write_bytes:", &KernelAccount::cancelled_write_bytes}};
  std::istringstream lines(text);
  KernelAccount account;
  std::size_t found = 0;
  std::string key;
  std::uint64_t value = 0;
  while (lines >> key >> value) {
    for (const Line& line : kLines) {
      if (key != line.key) continue;
      account.*line.figure = value;
      ++found;
    }
  }
  if (found != std::size(kLines)) return std::nullopt;
  return account;
}

// Uses a descriptor and not a stream, because this is done for each process of a job again and again.
std::optional<KernelAccount> read_account(const std::string& path) {
  return KernelAccountFile(open(path.c_str(), O_RDONLY | O_CLOEXEC)).read();
}

}  // namespace

KernelAccount& operator+=(KernelAccount& sum, const KernelAccount& more) {
  sum.read_bytes += more.read_bytes;
  sum.write_bytes += more.write_bytes;
  sum.cancelled_write_bytes += more.cancelled_write_bytes;
  sum.called_read_bytes += more.called_read_bytes;
  sum.called_write_bytes += more.called_write_bytes;
  return sum;
}

std::optional<KernelAccount> account_of(pid_t pid) {
  return read_account(fmt::format("/proc/{}/io", pid));
}

std::optional<KernelAccount> own_account_of(pid_t pid) {
  const std::vector<pid_t> threads = threads_of(pid);
  KernelAccount sum;
  for (const pid_t thread : threads) {
    const auto one = read_account(fmt::format("/proc/{}/task/{}/io", pid, thread));
    if (!one && threads.size() == 1) return std::nullopt;
    if (one) sum += *one;  // a thread may have ended meanwhile
  }
  return sum;
}

KernelAccountFile::~KernelAccountFile() {
  if (fd_ >= 0) close(fd_);
}

std::optional<KernelAccount> KernelAccountFile::read() const {
  char text[kTextBytesMax];
  const ssize_t length = fd_ < 0 ? -1 : pread(fd_, text, sizeof text, 0);
  if (length <= 0) return std::nullopt;
  return parse(std::string(text, static_cast<std::size_t>(length)));
}

}  // namespace discnice::processes
