// SPDX-License-Identifier: MIT
#include "tools/discnice/protocol/pid_namespace.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "toolbox/base/raw_sys.hpp"
#include "tools/discnice/protocol/layout.hpp"

namespace discnice::protocol {

using gray::base::is_raw_error;
using gray::base::raw_syscall;
using gray::base::word;

std::uint32_t find_pid_namespace() {
  struct stat status {};
  const long result = raw_syscall(SYS_newfstatat, AT_FDCWD, word("/proc/self/ns/pid"), word(&status), 0);
  return is_raw_error(result) ? kUnknownPidNamespace : static_cast<std::uint32_t>(status.st_ino);
}

std::uint32_t own_pid_namespace(const Segment& segment) {
  const long session = raw_syscall(SYS_getsid, static_cast<long>(segment.creator_pid));
  if (session > 0 && session == static_cast<long>(segment.creator_session)) return kCreatorsPidNamespace;
  const std::uint32_t own = find_pid_namespace();
  return own == segment.pid_namespace ? kCreatorsPidNamespace : own;
}

}  // namespace discnice::protocol
