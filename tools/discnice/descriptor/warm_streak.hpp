// SPDX-License-Identifier: MIT
// warm_streak: notices that a process lives off the page cache, so that its reads need not be predicted one by one.
//
// Knowledge assumed: the kernel books a read of the disk to the process before the call that caused it returns
//   (task_io_account_read() in submit_bio(), shown by getrusage()).
// Output observed: the predictions made so far and the kernel's account, looked at once a tick.
// Inference drawn: when neither knew of a disk read during two read-ahead windows of data, the next read is most likely
//   cached as well. The same follows when some dozens of small files in a row were found in memory as a whole, or when the rest of the two windows is
//   seen to be cached ahead of a reader. From then on reads are let through and settled by the account alone.
// What breaks it: a cold file in the middle of a streak. At most what is read between two looks at the account goes
//   unpredicted. That is one read-ahead window, because a disk read takes longer than a tick. It is paid for afterwards.
//
// Files like the last ones. In a streak one question is left about a file that was just opened: does it lie on a disk at all? A program that has opened
// sixteen such files in a row by name will most likely open more. So the next fifteen are taken for files on a disk without a look, for their first
// 256 KiB. Then one file is looked at. If it is like the others, and not longer than 256 KiB, it is read as they are, and the next series is one file longer, up to 63.
// What breaks it: the first files of another kind. If they are as short, their bytes are counted as read from files on a disk.
//
// A shared streak. The processes of a job are alike: each process of a compiler reads the same headers. Each process tells the job how far it has come to a streak. A new
// process goes on from there with its first file on that file system.
// What breaks it: a process that begins with cold files. What it reads until the next look at the account is paid afterwards, as above, and no process
// begins in a streak until the job has come to one again.
//
// Files made in memory. A program that has made sixteen files in a row in memory will most likely make more there, for example when it unpacks an archive.
// What breaks it: the first 256 KiB of files that it then makes on a disk. The account shows these a tick later. They are paid for then, and the next
// files are looked at.
#pragma once

#include <atomic>
#include <cstdint>

#include "tools/discnice/descriptor/open_files.hpp"
#include "tools/discnice/job/job.hpp"

namespace discnice::shim {

/// True when a read of this file may go unpredicted now. Never where the kernel's account would not show the read,
/// nor when the job is told to go without the account.
bool is_in_warm_streak(const Job& job, const OpenFile& file);

/// True when a descriptor nothing is known of, of which `length_bytes` are now to be read, may be taken for a file on a disk that is in
/// the streak, and need not be looked at. Lock-free.
bool is_assumed_warm(const Job& job, OpenFile& file, std::uint64_t length_bytes);

/// What a file that was not looked at may move.
inline constexpr std::uint64_t kAssumedBytesMax = 256UL * 1024;

/// Takes so many bytes of that; false when there is not that much left. A race between threads lets a read more pass.
__attribute__((always_inline)) inline bool takes_assumed(OpenFile& file, std::uint64_t length_bytes) {
  const std::uint64_t taken_bytes = file.assumed_bytes.load(std::memory_order_relaxed);
  if (length_bytes > kAssumedBytesMax - taken_bytes) return false;
  file.assumed_bytes.store(taken_bytes + length_bytes, std::memory_order_relaxed);
  return true;
}

/// So many openings in a row may do without a look at the clock and the account, of those that are assumed.
inline constexpr std::uint32_t kAssumedAtOnce = 4;

namespace detail {
// Files that may be assumed to be like those before them, while the streak lasts; and the same of those that are made in memory.
extern __attribute__((visibility("hidden"))) std::atomic<std::uint32_t> assumed_left;
extern __attribute__((visibility("hidden"))) std::atomic<std::uint32_t> made_left;

extern std::atomic<bool> has_begun;  // the program has gone on from where the job was
}  // namespace detail

/// One of the files that may be assumed was opened: one fewer is left. A race between threads lets one more pass.
__attribute__((always_inline)) inline void take_one(std::atomic<std::uint32_t>& left) {
  const std::uint32_t before = left.load(std::memory_order_relaxed);
  if (before != 0) left.store(before - 1, std::memory_order_relaxed);
}

/// The same of one that was just opened, before any of it is read.
inline bool is_opened_warm(const Job& job, OpenFile& file) {
  const std::uint32_t left = detail::assumed_left.load(std::memory_order_relaxed);
  if (left == 0) return is_assumed_warm(job, file, 1);
  detail::assumed_left.store(left - 1, std::memory_order_relaxed);
  return takes_assumed(file, 1);
}

/// The file just looked at was like those before it, and there is a streak: the next openings need not ask for either.
void go_on_assuming();

/// True when the files looked at last were alike, so that one more is looked at only to see whether they still are.
bool are_files_alike();

/// True when a file that is just being made may be taken for one in memory. Counts it as that.
bool is_assumed_in_memory(const Job& job);

/// A file was made and looked at.
void note_made(bool is_in_memory);

/// The account shows that the process has written to a disk: what is made from here on may lie there.
void end_assuming_in_memory();

/// A descriptor was looked at: it is a charged file on this device, or, with null, something else.
void note_class(Device* device);

/// Free reads of one stretch without a gap before it pays to look ahead.
inline constexpr std::uint64_t kLookAheadBytesMin = 1024UL * 1024;

/// A read of a file returned that many bytes, and nothing is known to have come from the disk.
void note_free_read(std::uint64_t bytes);

/// The whole of a file was found in memory: as good, of a few dozen, as the windows of one long file.
void note_free_file(const Device& device);

/// How much more of one long file, known to lie in memory in front of its reader, would make a streak; 0: there is one, or it is too early to ask, or
/// it was asked since the last disk read. For note_free_read(), if it is so: to have looked ahead is as good as to have read.
std::uint64_t take_missing_for_streak(const Job& job, const Device& device);

/// A file on that device was looked at: goes on from where the job is, once in the life of a program image, and tells the job how far it came.
void share_streak(const Job& job, const Device& device);

/// A read was predicted to reach the disk, or the account says that one did: the streak ends, and the job's if this process has had a part in it.
void end_warm_streak(const Job& job);

}  // namespace discnice::shim
