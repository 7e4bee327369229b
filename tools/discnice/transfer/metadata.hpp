// SPDX-License-Identifier: MIT
// metadata: calls on files that do not move data: they create, truncate, remove and sync files, and give the kernel advice.
#pragma once

#include <cstdint>

#include "tools/discnice/contract/io_op.hpp"
#include "tools/discnice/descriptor/open_files.hpp"
#include "tools/discnice/job/job.hpp"
#include "tools/discnice/observe/verification.hpp"

namespace discnice::guest {

/// To be called when a program opened a folder. The reads of a walk through folders are not predicted. They are charged to the
/// disk of this folder.
void note_folder(int fd);

/// A file or folder that a call has just created.
struct Creation {
  FileId file;
  Device& device;
  bool is_folder;
  const ThreadAccount& account_before;  // the thread's account before the call, while that is measured
};

/// Charges the metadata that a creation dirties. The next call waits for this cost.
void charge_creation(Job& job, const Creation& made);

/// Called after a program created a folder there. A new folder dirties metadata in addition to its data. `before` is the thread's account before the call,
/// while that is measured.
void after_folder_made(int folder, const char* path, const ThreadAccount& before);

/// Called after a rename replaced a file. Some file systems then send the new file to the disk.
void after_replacing(int folder, const char* path);

/// Called before a descriptor's file is truncated. The removed part is charged like a removal.
void before_truncation(int fd, std::uint64_t size_bytes);

/// The change of the table of dirty regions after a successful removal. It is filled in before the call, while the file still
/// exists.
struct Removal {
  bool is_known = false;
  FileId file;
};

/// Looks at the file that is about to be removed, and waits until the cost of the removal is paid. Costs one system call, and none while the job is not held back and
/// no dirty data is known.
Removal before_removal(int folder, const char* path);

/// To be called after a successful removal of everything from `offset_bytes` on: the dirty data there is never written.
void after_removal(const Removal& removal, std::uint64_t offset_bytes);

/// Same as after_removal(), for a file that was truncated through a descriptor (ftruncate, O_TRUNC).
void after_truncation(int fd, std::uint64_t size_bytes);

/// To be called when the program asks the kernel to bring its data to the disk. Waits for the job's turn, and notes that the coming writes
/// of the disk belong to the job.
void before_sync(int fd);

/// Called after fsync or fdatasync: the file's dirty data is on the disk.
void after_sync(int fd);

/// Called after a part of a file was removed or was replaced by another file's data (fallocate, FICLONE). The dirty data there is never written, and the
/// models' knowledge of the cache is no longer valid. A length of 0 reaches to the end.
void after_range_removal(int fd, std::uint64_t offset_bytes, std::uint64_t length_bytes);

/// Called before the descriptor of a charged file is closed. If the job's data is sent in steps (smooth_writes.hpp), sends the file's remaining dirty data to
/// the disk. May wait like a write. Keeps errno.
void send_before_close(int fd);

/// Called after a part of a file was sent to the disk: a new write there costs again. With offset 0, a length of 0 reaches to the end.
void after_range_sent(int fd, std::uint64_t offset_bytes, std::uint64_t length_bytes);

/// Called after a successful posix_fadvise(): the kernel now reads ahead differently, or has dropped pages.
void after_advice(int fd, int advice);

/// Notes that data was sent to the disk. It is no longer dirty, so a new write there costs again.
void note_sent(Job& job, const OpenFile& file);

}  // namespace discnice::guest
