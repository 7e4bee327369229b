// SPDX-License-Identifier: MIT
// trust: decides whether a read may go to the kernel without a prediction. No other code makes this decision.
//
// A prediction takes a hundred nanoseconds, as long as a small read from the page cache. So a read that most likely needs no disk is trusted: it is only
// counted. Later the kernel's account shows the cost of the read, and the process pays then.
//
// Knowledge assumed: data that was in the page cache a moment ago is still there. The kernel charges a read of the disk to the process before the
//   call returns (task_io_account_read() in submit_bio(), shown by getrusage()). Files that a program opens one after the other are alike.
// Output observed: the predictions so far, and the account at the end of each term.
// Inference drawn: a descriptor is trusted for the rest of the term in three cases.
//   - Its last read was predicted, that read needed no disk, and the whole file is believed to be in the page cache.
//   - The process is warm: neither a prediction nor the account has shown a disk read during two read-ahead windows of data, or some dozens of whole small files.
//   - The process is warm, and the last sixteen files that it looked at lie on one disk. Then the next fifteen files that the program opens for
//   reading are trusted, and the library does not ask on which disk they lie. The file after them is looked at.
// What breaks it: a file that is not cached in a warm process, pages that are evicted within the term, and files that were not looked at and lie
//   elsewhere. The possible error is bounded: a term ends after one tick of the coarse clock or a megabyte, and at most 256 KiB are trusted of a
//   file that was not looked at. After an exec within the term, the term's reads are missing from the counters. The account holds their disk part,
//   and the next program pays for it.
//
// No read is trusted while the process has a debt, or while every call is verified or recorded. In a warm process no read is trusted either, if the account would not
// show a mistake (Device::is_ledger_kept).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <sys/types.h>

#include "toolbox/base/clock.hpp"
#include "tools/discnice/descriptor/open_files.hpp"
#include "tools/discnice/job/job.hpp"

namespace discnice::guest {

/// A longer read is predicted, because the prediction takes little time compared with the copying.
inline constexpr std::uint64_t kTrustedBytesMax = 256UL * 1024;

/// Any thread may call any function. A race between threads can only cause one prediction more, or one fewer.
class Trust {
 public:
  /// The trusted reads since the last call of take_counted().
  struct Counted {
    std::uint64_t calls;
    std::uint64_t bytes;
  };

  // --- asked by each read

  /// True when a read of `bytes` may go at once. It does not read the clock. So the function returns true only for small reads, and for files that the library
  /// has not examined. One answer in sixteen is false. count() must follow the read.
  __attribute__((always_inline)) bool covers_at_once(OpenFile& file, std::size_t bytes) {
    const std::uint64_t calls = counted_.load(std::memory_order_relaxed) >> kCallShift;
    if (calls % kAtOnceCalls == 0 || !is_given(file) || is_used_up()) return false;
    const bool is_unseen = file.file_class.load(std::memory_order_relaxed) == FileClass::unknown;
    return (is_unseen || bytes <= kAtOnceBytesMax) && takes(file, bytes);
  }

  /// Same as covers_at_once(), but reads the clock.
  bool covers(OpenFile& file, std::size_t bytes) {
    return is_given(file) && !is_used_up() &&
           gray::base::monotonic_coarse_ns() < ends_at_ns_.load(std::memory_order_relaxed) &&
           takes(file, bytes);
  }

  /// Counts the result of a trusted read, and returns that result.
  ssize_t count(ssize_t result) {
    counted_.fetch_add(one_call(result), std::memory_order_relaxed);
    return result;
  }

  /// Same as count(), for a process with one thread.
  __attribute__((always_inline)) ssize_t count_alone(ssize_t result) {
    counted_.store(counted_.load(std::memory_order_relaxed) + one_call(result), std::memory_order_relaxed);
    return result;
  }

  // --- given

  /// The present term. A caller that wants to give trust reads the term before it looks at the evidence, because trust for an ended term has no effect.
  [[nodiscard]] std::uint32_t term() const { return term_.load(std::memory_order_relaxed); }

  /// Trusts, for this term, a descriptor that was looked at.
  void give(OpenFile& file, std::uint32_t term) { set(file, term, kTermBytesMax); }

  /// True when a descriptor has got trust in this term. That trust may be used up.
  [[nodiscard]] bool is_given(const OpenFile& file) const {
    return file.trust.load(std::memory_order_relaxed) >> kTermShift == term();
  }

  /// How many files may be opened and trusted without a look. The number is 0 unless the process is warm.
  [[nodiscard]] std::uint32_t openings_left() const { return openings_left_.load(std::memory_order_relaxed); }

  /// Trusts a file that was opened in this term and was not looked at.
  __attribute__((always_inline)) void give_unseen(OpenFile& file, std::uint32_t term) {
    const std::uint32_t left = openings_left();
    if (left == 0) return;
    openings_left_.store(left - 1, std::memory_order_relaxed);
    set(file, term, kTrustedBytesMax);
  }

  // --- earned

  /// True when reads of files on that device need not be predicted.
  [[nodiscard]] bool is_warm(const Job& job, const Device& device) const;

  /// To be called when a read has returned `bytes`, and none of them is known to have come from the disk.
  void note_free_read(std::uint64_t bytes) { free_bytes_.fetch_add(bytes, std::memory_order_relaxed); }

  /// A whole file was found in memory. A few dozen such files count as much as the windows of one long file.
  void note_free_file(const Device& device);

  /// A descriptor was looked at. It is a file on this device, or something else when `device` is null.
  void note_looked_at(const Job& job, Device* device);

  // --- lost

  /// True when the bytes of the term are used up, so that the next term should begin.
  [[nodiscard]] bool is_used_up() const {
    return (counted_.load(std::memory_order_relaxed) & kBytesMask) >= kTermBytesMax;
  }

  /// The account was looked at: another term begins and lasts until that instant of the coarse clock.
  void begin_term(std::uint64_t ends_at_ns);

  /// Makes all given trust void, because the process has a debt or the content of the page cache has changed.
  void end_term();

  /// A read was predicted to need the disk, or the account says that a read did. The process is no longer warm.
  void cool();

  [[nodiscard]] Counted take_counted();

  /// Called in a forked child, which must not use its parent's trust and counts.
  void forget();

 private:
  static constexpr std::uint64_t kTermBytesMax = 1024UL * 1024;
  // One call in this many asks the clock. A slow reader is trusted for this many calls after the end of its term.
  static constexpr std::uint64_t kAtOnceCalls = 16;
  static constexpr std::size_t kAtOnceBytesMax = 16 * 1024;

  // In counted_ the calls are in the upper bits and the bytes in the lower bits, so that one addition counts both.
  static constexpr unsigned kCallShift = 44;
  static constexpr std::uint64_t kBytesMask = (UINT64_C(1) << kCallShift) - 1;
  // In OpenFile::trust the term is in the upper half, and the number of bytes that may still be read is in the lower half.
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

  // Each call reads this word. Trust with the number of another term is void. Never 0, because 0 stands for a descriptor without trust.
  std::atomic<std::uint32_t> term_{1};
  std::atomic<std::uint32_t> openings_left_{
      0};  // 0 while the process is not warm, and when the files were not alike
  std::atomic<std::uint64_t> ends_at_ns_{0};  // the end of the term, on the coarse clock
  std::atomic<std::uint64_t> free_bytes_{0};  // bytes read since the disk was last needed
  std::atomic<std::uint32_t> alike_{0};       // files looked at in a row that lie on device_
  std::atomic<Device*> device_{nullptr};
  std::atomic<std::uint64_t> counted_{0};  // since the last look at the account; written by each trusted read
};

extern __attribute__((visibility("hidden"))) Trust trust;

}  // namespace discnice::guest
