// SPDX-License-Identifier: MIT
// trust: may a read go to the kernel without a prediction? This is the only answer to that question.
//
// A prediction takes a hundred nanoseconds, as long as a small read from the page cache. So a read that most likely needs no disk goes on trust: it is only
// counted. The kernel's account shows later what it cost, and what it cost is paid then.
//
// Knowledge assumed: what was in the page cache a moment ago is there still; the kernel books a read of the disk to the process before the
//   call returns (task_io_account_read() in submit_bio(), shown by getrusage()); files that a program opens one after the other are alike.
// Output observed: the predictions so far, and the account at the end of each term.
// Inference drawn: a descriptor is trusted for the rest of the term in three cases.
//   - Its last read was predicted, needed no disk, and all of its file is believed to be in the page cache.
//   - The process is warm: neither a prediction nor the account has shown a disk read during two read-ahead windows of data, or some dozens of whole small files.
//   - The process is warm, and the last sixteen files it looked at lie on one disk. Then the next fifteen that it opens to read are trusted unseen:
//     nobody asks where they lie. The one after them is looked at.
// What breaks it: a cold file in a warm process, pages that are evicted within the term, and unseen files that lie elsewhere. How much goes wrong is bounded: a term
//   lasts one tick of the coarse clock and a megabyte, and an unseen file 256 KiB. After an exec within the term its reads are missing from the counters; the
//   disk's part of them is in the account, and the next program pays for it.
//
// Nothing is trusted while the process owes something, or while every call is verified or recorded. In a warm process nothing is either where the account
// would not show a mistake (Device::is_ledger_kept).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <sys/types.h>

#include "toolbox/base/clock.hpp"
#include "tools/discnice/descriptor/open_files.hpp"
#include "tools/discnice/job/job.hpp"

namespace discnice::guest {

/// A longer read is predicted: that takes no time worth mentioning beside the copying.
inline constexpr std::uint64_t kTrustedBytesMax = 256UL * 1024;

/// Any thread may call any function. Races between threads cost a prediction more or less.
class Trust {
 public:
  /// What was read on trust since the last time this was asked.
  struct Counted {
    std::uint64_t calls;
    std::uint64_t bytes;
  };

  // --- asked by each read

  /// True when a read of so many bytes may go at once. Asks no clock, so it answers for small reads and unseen files only, and each sixteenth time it says no.
  /// count() must follow the read.
  __attribute__((always_inline)) bool covers_at_once(OpenFile& file, std::size_t bytes) {
    const std::uint64_t calls = counted_.load(std::memory_order_relaxed) >> kCallShift;
    if (calls % kAtOnceCalls == 0 || !is_given(file) || is_used_up()) return false;
    const bool is_unseen = file.file_class.load(std::memory_order_relaxed) == FileClass::unknown;
    return (is_unseen || bytes <= kAtOnceBytesMax) && takes(file, bytes);
  }

  /// The same by the clock.
  bool covers(OpenFile& file, std::size_t bytes) {
    return is_given(file) && !is_used_up() &&
           gray::base::monotonic_coarse_ns() < ends_at_ns_.load(std::memory_order_relaxed) &&
           takes(file, bytes);
  }

  /// Counts what a trusted read returned, and returns it.
  ssize_t count(ssize_t result) {
    counted_.fetch_add(one_call(result), std::memory_order_relaxed);
    return result;
  }

  /// The same where this is the only thread.
  __attribute__((always_inline)) ssize_t count_alone(ssize_t result) {
    counted_.store(counted_.load(std::memory_order_relaxed) + one_call(result), std::memory_order_relaxed);
    return result;
  }

  // --- given

  /// The present term. Who gives trust takes it before he looks at what speaks for it: given for a term that is over it is void.
  [[nodiscard]] std::uint32_t term() const { return term_.load(std::memory_order_relaxed); }

  /// A descriptor that was looked at is trusted for that term.
  void give(OpenFile& file, std::uint32_t term) { set(file, term, kTermBytesMax); }

  /// True when a descriptor has been given trust in this term; it may be used up.
  [[nodiscard]] bool is_given(const OpenFile& file) const {
    return file.trust.load(std::memory_order_relaxed) >> kTermShift == term();
  }

  /// How many files may be opened and trusted unseen. Not 0 only in a warm process.
  [[nodiscard]] std::uint32_t openings_left() const { return openings_left_.load(std::memory_order_relaxed); }

  /// One of them was opened, in that term.
  __attribute__((always_inline)) void give_unseen(OpenFile& file, std::uint32_t term) {
    const std::uint32_t left = openings_left();
    if (left == 0) return;
    openings_left_.store(left - 1, std::memory_order_relaxed);
    set(file, term, kTrustedBytesMax);
  }

  // --- earned

  /// True when the reads of that device's files need not be predicted.
  [[nodiscard]] bool is_warm(const Job& job, const Device& device) const;

  /// A read returned that many bytes, and nothing is known to have come from the disk.
  void note_free_read(std::uint64_t bytes) { free_bytes_.fetch_add(bytes, std::memory_order_relaxed); }

  /// The whole of a file was found in memory: of a few dozen small ones that says as much as the windows of one long file.
  void note_free_file(const Device& device);

  /// A descriptor was looked at: it is a file on this device, or, with null, something else.
  void note_looked_at(const Job& job, Device* device);

  // --- lost

  /// True when the bytes of the term are used up, so that it is time for the next.
  [[nodiscard]] bool is_used_up() const {
    return (counted_.load(std::memory_order_relaxed) & kBytesMask) >= kTermBytesMax;
  }

  /// The account was looked at: another term begins, until that instant of the coarse clock.
  void begin_term(std::uint64_t ends_at_ns);

  /// What was given is void: there is something to pay, or what is in the page cache has changed.
  void end_term();

  /// A read was predicted to need the disk, or the account says that one did: the process is no longer warm.
  void cool();

  [[nodiscard]] Counted take_counted();

  /// In a forked child neither what was given nor what was counted is its own.
  void forget();

 private:
  static constexpr std::uint64_t kTermBytesMax = 1024UL * 1024;
  // Of so many calls one asks the clock. A slow reader goes on for that many after the end of its term.
  static constexpr std::uint64_t kAtOnceCalls = 16;
  static constexpr std::size_t kAtOnceBytesMax = 16 * 1024;

  // In counted_: calls in the upper bits, bytes in the lower, so that one addition counts both.
  static constexpr unsigned kCallShift = 44;
  static constexpr std::uint64_t kBytesMask = (UINT64_C(1) << kCallShift) - 1;
  // In OpenFile::trust: the term in the upper half; in the lower how many bytes may still be read.
  static constexpr unsigned kTermShift = 32;
  static constexpr std::uint64_t kLeftMask = UINT32_MAX;

  static std::uint64_t one_call(ssize_t result) {
    return (UINT64_C(1) << kCallShift) + (result > 0 ? static_cast<std::uint64_t>(result) : 0);
  }

  static void set(OpenFile& file, std::uint64_t term, std::uint64_t left_bytes) {
    file.trust.store(term << kTermShift | left_bytes, std::memory_order_relaxed);
  }

  static bool takes(OpenFile& file, std::size_t bytes) {
    const std::uint64_t word = file.trust.load(std::memory_order_relaxed);
    if (bytes > (word & kLeftMask)) return false;
    file.trust.store(word - bytes, std::memory_order_relaxed);
    return true;
  }

  // Read by each call. No word of another term holds; never 0, which is the word of a descriptor without trust.
  std::atomic<std::uint32_t> term_{1};
  std::atomic<std::uint32_t> openings_left_{0};  // 0 while not warm, or the files were not alike
  std::atomic<std::uint64_t> ends_at_ns_{0};     // of the term, on the coarse clock
  std::atomic<std::uint64_t> free_bytes_{0};     // read since the disk was last needed
  std::atomic<std::uint32_t> alike_{0};          // files looked at in a row that lie on device_
  std::atomic<Device*> device_{nullptr};
  std::atomic<std::uint64_t> counted_{0};  // since the last look at the account. Written by each trusted read
};

extern __attribute__((visibility("hidden"))) Trust trust;

}  // namespace discnice::guest
