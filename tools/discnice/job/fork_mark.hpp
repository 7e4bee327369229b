// SPDX-License-Identifier: MIT
// fork_mark: a word that a fork wipes. By this word a forked child knows that it is not the process that joined the job.
//
// The kernel empties the page of the word in the child (MADV_WIPEONFORK). A vfork child shares the parent's memory, so it sees the parent's word. The page is mapped when it is
// first needed: a page of the library itself would have to be cut out of a mapping, which takes longer.
#pragma once

#include <atomic>
#include <cstdint>

namespace discnice::guest {

struct ForkMark {
  // Writer: the process, at its first hooked call; the kernel at a fork.
  std::atomic<std::uint32_t> is_set;
  std::atomic<std::uint32_t> is_noted;  // that memory is new has been seen to
};

namespace detail {
extern __attribute__((visibility("hidden"))) std::atomic<ForkMark*> fork_mark_place;
}

/// The mark. Before there is one, this is a word that is never set.
__attribute__((always_inline)) inline ForkMark& fork_mark() {
  return *detail::fork_mark_place.load(std::memory_order_acquire);  // pairs with prepare_fork_mark()
}

/// Makes the mark. From then on the kernel wipes it in each forked child. False if that is impossible. Not for a process that shares the memory of another one.
bool prepare_fork_mark();

}  // namespace discnice::guest
