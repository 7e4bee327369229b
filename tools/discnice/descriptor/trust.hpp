// SPDX-License-Identifier: MIT
// trust: decides whether a read may go to the kernel without a prediction. No other file decides this.
//
// A prediction takes a hundred nanoseconds, as long as a small read from the page cache. So a read that most likely needs no disk is trusted: it is only counted. The kernel's
// account shows its cost later, and the cost is paid then.
//
// Knowledge assumed: pages that were cached a moment ago are still cached. The kernel books a read of the disk to the process before the call returns (task_io_account_read() in
// submit_bio(), shown by getrusage()). Files that a program opens one after the other are alike.
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
// Nothing is trusted while the process owes bytes, or while every call is verified or recorded. In a warm process nothing is trusted if the account would not show a mistake
// (Device::is_ledger_kept).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <sys/types.h>

#include "toolbox/base/clock.hpp"
#include "tools/discnice/descriptor/open_files.hpp"
#include "tools/discnice/job/job.hpp"

namespace discnice::guest {

/// A longer read is always predicted: the prediction takes little time compared with the copy.
inline constexpr std::uint64_t kTrustedBytesMax = 256UL * 1024;

/// Any thread may call any function. Races between threads cost a prediction more or less.
class Trust {
 public:
  /// How many bytes were read on trust since the last call of this function.
  struct Counted {
    std::uint64_t calls;
    std::uint64_t bytes;
  };

  // --- asked by each read

  /// True if a read of this many bytes may go at once. It reads no clock, so it decides only for small reads and unseen files, and every sixteenth call returns false. count()
  /// must follow the read.
  __attribute__((always_inline)) bool covers_at_once(OpenFile& file, std::size_t bytes) {
    const std::uint64_t calls = counted_.load(std::memory_order_relaxed) >> kCallShift;
    if (calls % kAtOnceCalls == 0 || !is_given(file) || is_used_up()) return false;
    const bool is_unseen = file.file_class.load(std::memory_order_relaxed) == FileClass::unknown;
    return (is_unseen || bytes <= kAtOnceBytesMax) && takes(file, bytes);
  }

  /// The same decision, but with the clock.
  bool covers(OpenFile& file, std::size_t bytes) {
    return is_given(file) && !is_used_up() &&
           gray::base::monotonic_coarse_ns() < ends_at_ns_.load(std::memory_order_relaxed) &&
           takes(file, bytes);
  }

  /// Counts the bytes that a trusted read returned, and returns the result of the read.
  ssize_t count(ssize_t result) {
    counted_.fetch_add(one_call(result), std::memory_order_relaxed);
    return result;
  }

  /// The same for a process with only this thread.
  __attribute__((always_inline)) ssize_t count_alone(ssize_t result) {
    counted_.store(counted_.load(std::memory_order_relaxed) + one_call(result), std::memory_order_relaxed);
    return result;
  }

  // --- given

  /// The present term. A caller that gives trust must take the term before it looks at the file. If the term has ended meanwhile, the trust has no effect.
  [[nodiscard]] std::uint32_t term() const { return term_.load(std::memory_order_relaxed); }

  /// Trusts a descriptor that was looked at, for this term.
  void give(OpenFile& file, std::uint32_t term) { set(file, term, kTermBytesMax); }

  /// True if a descriptor was given trust in this term, even if the trust is used up.
  [[nodiscard]] bool is_given(const OpenFile& file) const {
    return file.trust.load(std::memory_order_relaxed) >> kTermShift == term();
  }

  /// How many files may be opened and trusted unseen. Not 0 only in a warm process.
  [[nodiscard]] std::uint32_t openings_left() const { return openings_left_.load(std::memory_order_relaxed); }

  /// Notes that one of these files was opened in this term.
  __attribute__((always_inline)) void give_unseen(OpenFile& file, std::uint32_t term) {
    const std::uint32_t left = openings_left();
    if (left == 0) return;
    openings_left_.store(left - 1, std::memory_order_relaxed);
    set(file, term, kTrustedBytesMax);
  }

  // --- earned

  /// True if the reads of files on this device need not be predicted.
  [[nodiscard]] bool is_warm(const Job& job, const Device& device) const;

  /// Notes that a read returned that many bytes, and that as far as known nothing came from the disk.
  void note_free_read(std::uint64_t bytes) { free_bytes_.fetch_add(bytes, std::memory_order_relaxed); }

  /// Notes that a whole file was found in memory. A few dozen small files are as good evidence as the windows of one long file.
  void note_free_file(const Device& device);

  /// Notes that a descriptor was looked at. It is a file on `device`, or something else if `device` is null.
  void note_looked_at(const Job& job, Device* device);

  // --- lost

  /// True if the bytes of the term are used up, so that the next term must begin.
  [[nodiscard]] bool is_used_up() const {
    return (counted_.load(std::memory_order_relaxed) & kBytesMask) >= kTermBytesMax;
  }

  /// Begins a new term, after the account was looked at. It ends at this instant of the coarse clock.
  void begin_term(std::uint64_t ends_at_ns);

  /// Takes all given trust back, because there is something to pay, or because the content of the page cache has changed.
  void end_term();

  /// To be called if a read was predicted to need the disk, or if the account shows such a read: the process is no longer warm.
  void cool();

  [[nodiscard]] Counted take_counted();

  /// For a forked child: the trust and the counts of its parent are not its own.
  void forget();

 private:
  static constexpr std::uint64_t kTermBytesMax = 1024UL * 1024;
  // One of this many calls reads the clock. So a slow reader may make this many calls after the end of its term.
  static constexpr std::uint64_t kAtOnceCalls = 16;
  static constexpr std::size_t kAtOnceBytesMax = 16 * 1024;

  // The layout of counted_: the number of calls in the upper bits, the bytes in the lower bits, so that one addition counts both.
  static constexpr unsigned kCallShift = 44;
  static constexpr std::uint64_t kBytesMask = (UINT64_C(1) << kCallShift) - 1;
  // The layout of OpenFile::trust: the term in the upper half, and in the lower half the bytes that may still be read.
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

  // Read by each call. A word from another term is not valid. The term is never 0, which is the word of a descriptor without trust.
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
