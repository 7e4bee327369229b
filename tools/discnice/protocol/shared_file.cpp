// SPDX-License-Identifier: MIT
#include "tools/discnice/protocol/shared_file.hpp"

#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "toolbox/base/raw_sys.hpp"

namespace discnice::protocol {

using gray::base::is_raw_error;
using gray::base::raw_syscall;
using gray::base::word;

int check_shared_file(long descriptor, std::uint64_t size_bytes) {
  struct stat status {};
  const long result = raw_syscall(SYS_fstat, descriptor, word(&status));
  if (is_raw_error(result)) return static_cast<int>(result);
  if (!S_ISREG(status.st_mode) || static_cast<std::uint64_t>(status.st_size) != size_bytes) return -EPROTO;
  if ((status.st_mode & 077U) != 0) return -EPERM;
  const auto user = static_cast<uid_t>(raw_syscall(SYS_geteuid));
  return status.st_uid == user || user == 0 ? 0 : -EPERM;
}

}  // namespace discnice::protocol
