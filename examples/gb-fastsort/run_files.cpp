// SPDX-License-Identifier: MIT
#include "examples/gb-fastsort/run_files.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "examples/gb-fastsort/merge.hpp"
#include "examples/gb-fastsort/records.hpp"

namespace fastsort {
namespace {

constexpr std::size_t kOtherDescriptors = 16;  // the input, the output, files of libgray
constexpr std::size_t kRunsLeast = 4;
constexpr std::size_t kRunsMost = 4096;  // each has a buffer of its own when they are merged

std::size_t runs_at_once() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return kRunsLeast;
  constexpr std::size_t kLeast = kOtherDescriptors + kRunsLeast;
  if (limit.rlim_cur < kLeast)
    die_saying("the limit of open files", "is " + std::to_string(limit.rlim_cur) + ", and " +
                                              std::to_string(kLeast) + " would do (ulimit -n)");
  return static_cast<std::size_t>(std::min<rlim_t>(limit.rlim_cur, kRunsMost)) - kOtherDescriptors;
}

}  // namespace

RunFiles::RunFiles(std::string folder) : folder_(std::move(folder)), most_(runs_at_once()) {}

int RunFiles::open_new() const {
  int fd = open(folder_.c_str(), O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
  if (fd >= 0) return fd;
  if (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT && errno != EINVAL) die(folder_, errno);
  // The file system does not support files without a name (O_TMPFILE). So this file has a name for a moment.
  const std::string path = folder_ + "/gb-fastsort.run" + std::to_string(getpid());
  fd = open(path.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
  if (fd < 0) die(errno == ENOENT ? folder_ : path, errno);
  if (unlink(path.c_str()) != 0) die(path, errno);
  return fd;
}

void RunFiles::add(int fd) {
  fds_.push_back(fd);
  if (fds_.size() < most_) return;
  if (merged_ + 1 >= fds_.size() / 2) merged_ = 0;  // too few other runs: all become one run
  const auto first = fds_.begin() + static_cast<std::ptrdiff_t>(merged_);
  const int merged = open_new();
  const int copy = fcntl(merged, F_DUPFD_CLOEXEC, 0);
  if (copy < 0) die(name(), errno);
  std::FILE* file = fdopen(copy, "wb");
  if (file == nullptr) die(name(), errno);
  merge_runs({first, fds_.end()}, file, name());
  close_or_die(file, name());
  fds_.erase(first, fds_.end());
  fds_.push_back(merged);
  ++merged_;
}

}  // namespace fastsort
