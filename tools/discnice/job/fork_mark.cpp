// SPDX-License-Identifier: MIT
#include "tools/discnice/job/fork_mark.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>

#include "toolbox/base/raw_sys.hpp"

namespace discnice::guest {
namespace {

using gray::base::is_raw_error;
using gray::base::raw_syscall;

constinit ForkMark never_set{};

}  // namespace

constinit std::atomic<ForkMark*> detail::fork_mark_place{&never_set};

bool prepare_fork_mark() {
  // Without NORESERVE the kernel would join the page to a neighbouring mapping, and then have to cut it off again.
  constexpr int kAlone = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  const long page = raw_syscall(SYS_mmap, 0, sizeof(ForkMark), PROT_READ | PROT_WRITE, kAlone, -1, 0);
  if (is_raw_error(page)) return false;
  ForkMark* before = &never_set;
  const bool is_made = !is_raw_error(raw_syscall(SYS_madvise, page, sizeof(ForkMark), MADV_WIPEONFORK)) &&
                       detail::fork_mark_place.compare_exchange_strong(
                           before, reinterpret_cast<ForkMark*>(page), std::memory_order_acq_rel);
  if (!is_made) raw_syscall(SYS_munmap, page, sizeof(ForkMark));
  return is_made || before != &never_set;  // or another thread has made it
}

}  // namespace discnice::guest
