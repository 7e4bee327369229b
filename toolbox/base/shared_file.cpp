// SPDX-License-Identifier: MIT
#include "toolbox/base/shared_file.hpp"

#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "toolbox/base/raw_sys.hpp"

namespace gray::base {
namespace {

constexpr mode_t kOwnerAlone = S_IRUSR | S_IWUSR;
constexpr mode_t kOthers = S_IRWXG | S_IRWXO;
// O_NONBLOCK: an open that would wait for the holder of a lease fails instead.
constexpr int kFlags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;

int check(const struct stat& status, Names names) {
  if (!S_ISREG(status.st_mode)) return -EPROTO;
  const bool is_ours = status.st_uid == static_cast<uid_t>(raw_syscall(SYS_geteuid));
  const bool may_be_named_so = names == Names::any || status.st_nlink == 1;
  return is_ours && (status.st_mode & kOthers) == 0 && may_be_named_so ? 0 : -EPERM;
}

}  // namespace

ScopedFd make_shared_file(const char* path) {
  ScopedFd file = ScopedFd::open(path, kFlags | O_CREAT | O_EXCL, kOwnerAlone);
  if (file.is_open())
    raw_syscall(SYS_fchmod, file.get(), kOwnerAlone);  // the umask may have taken even these
  return file;
}

ScopedFd open_shared_file(const char* path, std::uint64_t* size_bytes, Names names) {
  // This is checked before the file is opened: opening another user's file would break his lease, or take a turn in his FIFO.
  struct stat status {};
  long result = raw_syscall(SYS_newfstatat, AT_FDCWD, word(path), word(&status), AT_SYMLINK_NOFOLLOW);
  if (is_raw_error(result)) return ScopedFd(static_cast<int>(result));
  if (const int error = check(status, names); error != 0) return ScopedFd(error);
  ScopedFd file = ScopedFd::open(path, kFlags);
  if (!file.is_open()) return file;
  // Again: the name may be another file's by now.
  result = raw_syscall(SYS_fstat, file.get(), word(&status));
  if (is_raw_error(result)) return ScopedFd(static_cast<int>(result));
  if (const int error = check(status, names); error != 0) return ScopedFd(error);
  *size_bytes = static_cast<std::uint64_t>(status.st_size);
  return file;
}

}  // namespace gray::base
