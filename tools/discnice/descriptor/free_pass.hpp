// SPDX-License-Identifier: MIT
// free_pass: small reads that are known to need no disk go to the kernel at once.
//
// A whole transfer costs a hundred nanoseconds, as much as a small read from the page cache itself. So a descriptor gets a pass when its last read
// took that way and was free, because all of its file is believed to be cached or the process is in a warm streak. Its small reads are then only counted, until the
// next look at the kernel's account. In a streak of files that are opened one after the other a file gets a pass when it is opened.
//
// Knowledge assumed: what was in the page cache a moment ago is there still.
// Output observed: the kernel's account at the end of each term (account.hpp), which is a few milliseconds long.
// Inference drawn: small reads of the descriptor need no disk for the rest of the term.
// What breaks it: pages that are evicted within the term, and the end of a warm streak. Disk reads are then found at the term's
//   end and paid as a debt. Only some reads ask the clock, but the bytes of a term are bounded. So are the bytes of each file that was
//   not looked at (warm_streak.hpp); its reads ask no clock, and the next opening does. After an exec within the term, the reads since the
//   last look are missing from the counts; the disk's part of them is in the account, and the next program pays for it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <sys/types.h>

#include "toolbox/base/clock.hpp"
#include "tools/discnice/descriptor/open_files.hpp"
#include "tools/discnice/job/job.hpp"

namespace discnice::shim {

/// Longer reads take the usual way, which costs little beside the copying. An exception are the first reads of a file that was just opened: of
/// a small file programs ask for more than there is (transfer/quick_way.hpp).
inline constexpr std::size_t kPassBytesMax = 16 * 1024;

namespace detail {

// The bytes read by passes in one term; then the usual way is taken again, which looks at the account and so begins another.
inline constexpr std::uint64_t kTermBytesMax = 1024UL * 1024;

// Calls in the upper bits, bytes in the lower: one addition counts both.
inline constexpr unsigned kPassedCallShift = 44;
inline constexpr std::uint64_t kPassedBytesMask = (UINT64_C(1) << kPassedCallShift) - 1;

// So many reads in a row do without a look at the clock but one: a slow reader goes on for that many after the end of its term.
inline constexpr std::uint64_t kPassesAtOnce = 16;

struct Term {
  std::atomic<std::uint32_t> number{1};  // passes of other terms are void
  std::atomic<std::uint64_t> ends_at_ns{0};
};

extern __attribute__((visibility("hidden"))) Term term;
extern __attribute__((visibility("hidden"))) std::atomic<std::uint64_t> passed;

}  // namespace detail

/// True when the bytes of the term are used up, so that it is time for the next.
inline bool are_passes_used_up() {
  return (detail::passed.load(std::memory_order_relaxed) & detail::kPassedBytesMask) >= detail::kTermBytesMax;
}

/// True when twice as many bytes were read as one term allows, and no call has looked at the account meanwhile.
inline bool are_passes_overdrawn() {
  return (detail::passed.load(std::memory_order_relaxed) & detail::kPassedBytesMask) >=
         2 * detail::kTermBytesMax;
}

/// True for a descriptor that was given a pass for this term.
inline bool has_pass_of_term(const OpenFile& file) {
  return file.pass.load(std::memory_order_relaxed) == detail::term.number.load(std::memory_order_relaxed);
}

/// True for one whose pass holds at this moment.
inline bool is_pass_valid(const OpenFile& file) {
  return has_pass_of_term(file) && !are_passes_used_up() &&
         gray::base::monotonic_coarse_ns() < detail::term.ends_at_ns.load(std::memory_order_relaxed);
}

/// True when a read of so many bytes may go to the kernel at once. note_passed() must follow.
inline bool has_pass(const OpenFile& file, std::size_t bytes) {
  return bytes <= kPassBytesMax && is_pass_valid(file);
}

/// The same without a look at the clock, but for every sixteenth read.
inline bool has_pass_at_once(const OpenFile& file, std::size_t bytes) {
  const std::uint64_t calls = detail::passed.load(std::memory_order_relaxed) >> detail::kPassedCallShift;
  return calls % detail::kPassesAtOnce != 0 && bytes <= kPassBytesMax && has_pass_of_term(file) &&
         !are_passes_used_up();
}

/// Counts what such a read returned, and returns it.
inline ssize_t note_passed(ssize_t result) {
  const auto bytes = result > 0 ? static_cast<std::uint64_t>(result) : 0;
  detail::passed.fetch_add((UINT64_C(1) << detail::kPassedCallShift) + bytes, std::memory_order_relaxed);
  return result;
}

/// The same where this is the only thread.
inline ssize_t note_passed_alone(ssize_t result) {
  const auto bytes = result > 0 ? static_cast<std::uint64_t>(result) : 0;
  const std::uint64_t before = detail::passed.load(std::memory_order_relaxed);
  detail::passed.store(before + (UINT64_C(1) << detail::kPassedCallShift) + bytes, std::memory_order_relaxed);
  return result;
}

/// The present term, for give_pass().
inline std::uint32_t pass_term() {
  return detail::term.number.load(std::memory_order_relaxed);
}

/// Gives a descriptor a pass for that term, if it is not over. The term has to be taken before what speaks for the pass is looked at.
inline void give_pass(OpenFile& file, std::uint32_t term) {
  file.pass.store(term, std::memory_order_relaxed);
}

/// Begins another term: all passes are void, and new ones last until `ends_at_ns` of the coarse clock.
void begin_term(std::uint64_t ends_at_ns);

/// All passes are void, as there is a debt to pay, or the disk was needed after all.
void void_passes();

/// What was read by passes since the last time this was asked.
struct Passed {
  std::uint64_t calls;
  std::uint64_t bytes;
};
Passed take_passed();

/// In a forked child: neither the passes nor what was counted are its own.
void forget_passes();

}  // namespace discnice::shim
