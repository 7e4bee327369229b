// SPDX-License-Identifier: MIT
// fd: a file descriptor that closes itself and an errno that restores itself, without libc's wrappers.
//
// Inside the program that loads the library, libc's open() and close() may be this project's hooks, so this file calls the kernel instead. Every
// descriptor is opened with O_CLOEXEC: a program that the host starts must not inherit this project's descriptors.
#pragma once

#include <fcntl.h>
#include <sys/types.h>

#include <cerrno>

namespace gray::base {

/// Owns one descriptor, or none; get() is then the negative errno that says why. Movable, not copyable. One thread at a time. After a fork each process owns a descriptor of its
/// own and closes it.
class ScopedFd {
 public:
  ScopedFd() = default;
  /// Takes over `fd`; a negative number is kept as the reason why there is no descriptor.
  explicit ScopedFd(int fd) : fd_(fd) {}
  ScopedFd(ScopedFd&& other) noexcept : fd_(other.release()) {}
  ScopedFd& operator=(ScopedFd&& other) noexcept {
    if (this != &other) reset(other.release());
    return *this;
  }
  ScopedFd(const ScopedFd&) = delete;
  ScopedFd& operator=(const ScopedFd&) = delete;
  ~ScopedFd() { reset(); }

  /// Opens `path`, relative to the directory `directory_fd`. O_CLOEXEC is added to `flags`. errno is not set: a failure is in error(). The call is not repeated after a signal.
  static ScopedFd open(const char* path, int flags, mode_t mode = 0, int directory_fd = AT_FDCWD);

  [[nodiscard]] bool is_open() const { return fd_ >= 0; }
  /// The descriptor, or a negative errno.
  [[nodiscard]] int get() const { return fd_; }
  /// 0 when open, else a negative errno; -EBADF when nothing was ever opened.
  [[nodiscard]] int error() const { return fd_ >= 0 ? 0 : fd_; }
  /// Gives the descriptor to the caller, who closes it. Returns the same as get().
  [[nodiscard]] int release();
  /// Closes the descriptor that it owns and takes over `fd`. errno does not change. The result of close is ignored: data that must be on disk is synced
  /// before.
  void reset(int fd = -EBADF);

 private:
  int fd_ = -EBADF;
};

/// Restores errno at the end of its scope to its value at the start: the program must not notice the calls that a hook makes.
class ErrnoKeeper {
 public:
  ErrnoKeeper() : kept_(errno) {}
  ~ErrnoKeeper() { errno = kept_; }
  ErrnoKeeper(const ErrnoKeeper&) = delete;
  ErrnoKeeper& operator=(const ErrnoKeeper&) = delete;

 private:
  int kept_;
};

}  // namespace gray::base
