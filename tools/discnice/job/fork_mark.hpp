// SPDX-License-Identifier: MIT
// fork_mark: a word that a fork wipes, by which a forked child tells that it is not the process that joined the job.
//
// The kernel empties its page in the child (MADV_WIPEONFORK). A vfork child shares the parent's memory and so sees the parent's word.
// The page is mapped when it is first wanted: one of the library's own would have to be cut out of a mapping, which takes longer.
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

/// The mark; before there is one, a word that is never set.
__attribute__((always_inline)) inline ForkMark& fork_mark() {
  return *detail::fork_mark_place.load(std::memory_order_acquire);  // pairs with prepare_fork_mark()
}

/// Makes the mark, which the kernel wipes in each forked child from now on. False: it can't. Not for who shares somebody else's memory.
bool prepare_fork_mark();

}  // namespace discnice::guest
