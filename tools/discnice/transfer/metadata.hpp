// SPDX-License-Identifier: MIT
// metadata: what calls do to a file beside moving its data: it is made, cut short, removed, sent to the disk; the program gives advice on it.
#pragma once

#include <cstdint>

#include "tools/discnice/contract/io_op.hpp"
#include "tools/discnice/descriptor/open_files.hpp"
#include "tools/discnice/job/job.hpp"
#include "tools/discnice/observe/verification.hpp"

namespace discnice::guest {

/// A folder was opened: what a walk reads of it, which no call predicts, belongs to its disk.
void note_folder(int fd);

/// A file or folder that a call has just made.
struct Creation {
  FileId file;
  Device& device;
  bool is_folder;
  const ThreadAccount& account_before;  // the call, while that is measured
};

/// What a creation dirties beside its data is charged, and owed by the next call.
void charge_creation(Job& job, const Creation& made);

/// A folder was made there: what is new dirties more than its data. `before` is the thread's account before the call, while that is measured.
void after_folder_made(int folder, const char* path, const ThreadAccount& before);

/// A file was put in another's place and is sent to the disk, on file systems that do so.
void after_replacing(int folder, const char* path);

/// Before a file is cut short through a descriptor: what goes is paid for like a removal.
void before_truncation(int fd, std::uint64_t size_bytes);

/// What to do to the table of dirty regions after a removal succeeded. Filled before the call, while the file
/// still exists.
struct Removal {
  bool is_known = false;
  FileId file;
};

/// Looks at the file a removal is about to take away, and waits until the removal is paid for. Costs one system call, and
/// none while nothing is held back and no dirty data is known.
Removal before_removal(int folder, const char* path);

/// After a successful removal of everything from `offset_bytes` on: the dirty data there is never written.
void after_removal(const Removal& removal, std::uint64_t offset_bytes);

/// The same for a descriptor (ftruncate, O_TRUNC).
void after_truncation(int fd, std::uint64_t size_bytes);

/// The program asks for its data to be brought to the disk: that waits for the job's turn, and whose the disk's work is gets known.
void before_sync(int fd);

/// After fsync or fdatasync: the file's dirty data is on disk.
void after_sync(int fd);

/// After a part of a file was taken out of it, or another file's put in its place (fallocate, FICLONE): its dirty data is never written
/// and what was believed of the cache no longer holds. A length of 0 reaches to the end.
void after_range_removal(int fd, std::uint64_t offset_bytes, std::uint64_t length_bytes);

/// Before the descriptor of a charged file is closed: sends what it still holds to the disk, where that is done in steps (smooth_writes.hpp). May
/// wait as a write does. errno is kept.
void send_before_close(int fd);

/// After a part of a file was sent to the disk: writing there again costs again. A length of 0 reaches to the end, from 0 on.
void after_range_sent(int fd, std::uint64_t offset_bytes, std::uint64_t length_bytes);

/// After a successful posix_fadvise(): the kernel reads ahead differently now, or has dropped pages.
void after_advice(int fd, int advice);

/// What was sent to the disk is dirty no longer: writing there again will cost again.
void note_sent(Job& job, const OpenFile& file);

}  // namespace discnice::guest
