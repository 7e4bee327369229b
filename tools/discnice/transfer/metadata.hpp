// SPDX-License-Identifier: MIT
// metadata: what calls do to a file other than moving its data. They create it, truncate it, remove it, sync it, and give the kernel advice on it.
#pragma once

#include <cstdint>

#include "tools/discnice/contract/io_op.hpp"
#include "tools/discnice/descriptor/open_files.hpp"
#include "tools/discnice/job/job.hpp"
#include "tools/discnice/observe/verification.hpp"

namespace discnice::guest {

/// A program opened a folder. The reads of a walk through folders are not predicted; they are charged to the disk of this folder.
void note_folder(int fd);

/// A file or folder that a call has just created.
struct Creation {
  FileId file;
  Device& device;
  bool is_folder;
  const ThreadAccount& account_before;  // the thread's account before the call, while that is measured
};

/// Charges what a creation dirties beside its data. The next call waits for that cost.
void charge_creation(Job& job, const Creation& made);

/// Called after a program created a folder there. A new folder dirties more than its data. `before` is the thread's account before the call, while that is measured.
void after_folder_made(int folder, const char* path, const ThreadAccount& before);

/// Called after a rename replaced a file. Some file systems then send the new file to the disk.
void after_replacing(int folder, const char* path);

/// Called before a descriptor's file is truncated. The part that goes is charged like a removal.
void before_truncation(int fd, std::uint64_t size_bytes);

/// What to do to the table of dirty regions after a removal succeeded. Filled in before the call, while the file still exists.
struct Removal {
  bool is_known = false;
  FileId file;
};

/// Looks at the file that is about to be removed, and waits until the cost of the removal is paid. Costs one system call, and none while the job is not held back and
/// no dirty data is known.
Removal before_removal(int folder, const char* path);

/// To be called after a successful removal of everything from `offset_bytes` on: the dirty data there is never written.
void after_removal(const Removal& removal, std::uint64_t offset_bytes);

/// As after_removal(), for a file that was truncated through a descriptor (ftruncate, O_TRUNC).
void after_truncation(int fd, std::uint64_t size_bytes);

/// The program asks the kernel to bring its data to the disk. Waits for the job's turn, and notes that the disk's coming work is the job's.
void before_sync(int fd);

/// Called after fsync or fdatasync: the file's dirty data is on the disk.
void after_sync(int fd);

/// Called after a part of a file was removed or was replaced by another file's data (fallocate, FICLONE). The dirty data there is never written, and what the models
/// believed of the cache no longer holds. A length of 0 reaches to the end.
void after_range_removal(int fd, std::uint64_t offset_bytes, std::uint64_t length_bytes);

/// Called before the descriptor of a charged file is closed. Sends the file's remaining dirty data to the disk, where data is sent in steps (smooth_writes.hpp). May wait
/// like a write. Keeps errno.
void send_before_close(int fd);

/// Called after a part of a file was sent to the disk: a new write there costs again. With offset 0, a length of 0 reaches to the end.
void after_range_sent(int fd, std::uint64_t offset_bytes, std::uint64_t length_bytes);

/// Called after a successful posix_fadvise(): the kernel now reads ahead differently, or has dropped pages.
void after_advice(int fd, int advice);

/// Data that was sent to the disk is no longer dirty, so a new write there costs again.
void note_sent(Job& job, const OpenFile& file);

}  // namespace discnice::guest
