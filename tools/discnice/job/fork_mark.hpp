// SPDX-License-Identifier: MIT
// fork_mark: a word that is cleared by a fork. So a forked child notices that it is not the process that joined the job.
//
// The kernel clears the word's page in the child (MADV_WIPEONFORK). A vfork child shares the parent's memory and so sees the parent's word. The page
// is mapped when it is first needed. A page of the library itself would have to be cut out of a mapping, which takes longer.
#pragma once

#include <atomic>
#include <cstdint>

namespace discnice::guest {

struct ForkMark {
  // Writer: the process, at its first hooked call; the kernel at a fork.
  std::atomic<std::uint32_t> is_set;
  std::atomic<std::uint32_t> is_noted;  // the process has handled that its memory is new
};

namespace detail {
extern __attribute__((visibility("hidden"))) std::atomic<ForkMark*> fork_mark_place;
}

/// The mark. Before the mark is made, this is the address of a word that is never set.
__attribute__((always_inline)) inline ForkMark& fork_mark() {
  return *detail::fork_mark_place.load(std::memory_order_acquire);  // pairs with prepare_fork_mark()
}

/// Makes the mark, which the kernel clears in each forked child from now on. Returns false when that is impossible. A process that shares another
/// process's memory must not call this.
bool prepare_fork_mark();

}  // namespace discnice::guest
