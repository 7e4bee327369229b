// SPDX-License-Identifier: MIT
#include "tools/discnice/shim/fork_mark.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>

#include "toolbox/base/raw_sys.hpp"

namespace discnice::shim {

constinit ForkMark fork_mark{};

bool prepare_fork_mark() {
  using gray::base::raw_syscall;
  return !gray::base::is_raw_error(
      raw_syscall(SYS_madvise, gray::base::word(&fork_mark), sizeof fork_mark, MADV_WIPEONFORK));
}

}  // namespace discnice::shim
