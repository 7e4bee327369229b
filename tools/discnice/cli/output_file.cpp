// SPDX-License-Identifier: MIT
#include "tools/discnice/cli/output_file.hpp"

#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace discnice::cli {
namespace {

constexpr mode_t kMode = 0666;

bool is_same_file(const struct stat& one, int fd) {
  struct stat other {};
  return fstat(fd, &other) == 0 && one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

}  // namespace

OutputFile::~OutputFile() {
  if (fd_ < 0) return;
  close(fd_);
  if (is_new_ && !has_begun_) unlink(path_.c_str());
}

int OutputFile::open(const std::string& path) {
  path_ = path;
  fd_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kMode);
  is_new_ = fd_ >= 0;
  if (!is_new_) fd_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, kMode);
  return fd_ < 0 ? -errno : 0;
}

int OutputFile::begin() {
  if (has_begun_) return 0;
  has_begun_ = true;
  struct stat status {};
  if (fstat(fd_, &status) != 0) return -errno;
  if (!S_ISREG(status.st_mode)) return 0;
  if (is_same_file(status, STDOUT_FILENO) || is_same_file(status, STDERR_FILENO))
    return fcntl(fd_, F_SETFL, O_APPEND) == 0 ? 0 : -errno;
  return ftruncate(fd_, 0) == 0 ? 0 : -errno;
}

int OutputFile::append(const void* data, std::size_t bytes) {
  if (const int error = begin(); error != 0) return error;
  const auto* at = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t written = write(fd_, at, bytes);
    if (written < 0 && errno != EINTR) return -errno;
    if (written <= 0) continue;
    at += written;
    bytes -= static_cast<std::size_t>(written);
  }
  return 0;
}

int OutputFile::finish() {
  if (fd_ < 0) return 0;
  const int begun = begin();
  const int closed = close(fd_) == 0 ? 0 : -errno;
  fd_ = -1;
  return begun != 0 ? begun : closed;
}

}  // namespace discnice::cli
