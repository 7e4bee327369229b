// SPDX-License-Identifier: MIT
// fork_mark: a word that a fork wipes, by which a forked child tells that it is not the process that joined the job.
//
// The kernel empties its page in the child (MADV_WIPEONFORK). A vfork child shares the parent's memory and so sees the parent's word.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace discnice::shim {

/// A page of its own, as far as this machine's pages may be large: what else stood on it would be wiped, too. It is one of the library's own and
/// not mapped for this, which would take twice as long (start_order.ld says where it lies).
#if defined(__x86_64__)
inline constexpr std::size_t kPageBytesMax = 4096;
#else
inline constexpr std::size_t kPageBytesMax = 65536;
#endif

struct alignas(kPageBytesMax) ForkMark {
  // Writer: the process, at its first hooked call; the kernel at a fork.
  std::atomic<std::uint32_t> is_set;
  std::atomic<std::uint32_t> is_noted;  // that memory is new has been seen to
};

extern __attribute__((visibility("hidden"))) ForkMark fork_mark;

/// Has the kernel wipe it in each forked child, from now on. False: it can't, and the mark must not be set.
bool prepare_fork_mark();

}  // namespace discnice::shim
