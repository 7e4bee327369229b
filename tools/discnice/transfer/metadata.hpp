// SPDX-License-Identifier: MIT
// metadata: what calls do to a file besides moving its data. The file is made, cut short, removed, or sent to the disk, or the program gives advice on it.
#pragma once

#include <cstdint>

#include "tools/discnice/contract/io_op.hpp"
#include "tools/discnice/descriptor/open_files.hpp"
#include "tools/discnice/job/job.hpp"
#include "tools/discnice/observe/verification.hpp"

namespace discnice::guest {

/// Notes that a folder was opened. A walk through it reads data that no call predicts; this data belongs to the folder's disk.
void note_folder(int fd);

/// A file or folder that a call has just made.
struct Creation {
  FileId file;
  Device& device;
  bool is_folder;
  const ThreadAccount& account_before;  // the call, while that is measured
};

/// Charges what the creation makes dirty besides the data. The next call pays for it.
void charge_creation(Job& job, const Creation& made);

/// Notes that a folder was made there: a new folder makes more dirty than its data. `before` is the thread's account before the call, if that is measured.
void after_folder_made(int folder, const char* path, const ThreadAccount& before);

/// Notes that a file replaced another one. It is then sent to the disk, on file systems that do so.
void after_replacing(int folder, const char* path);

/// To be called before a file is cut short through a descriptor. The removed data is paid for like a removal.
void before_truncation(int fd, std::uint64_t size_bytes);

/// What must be done with the table of dirty regions after a removal has succeeded. It is filled before the call, while the file still exists.
struct Removal {
  bool is_known = false;
  FileId file;
};

/// Looks at the file that a removal is about to take away, and waits until the removal is paid for. Costs one system call, or none while nothing is held back and no dirty data
/// is known.
Removal before_removal(int folder, const char* path);

/// To be called after everything from `offset_bytes` on was removed: the dirty data there is never written.
void after_removal(const Removal& removal, std::uint64_t offset_bytes);

/// The same for a descriptor (ftruncate, O_TRUNC).
void after_truncation(int fd, std::uint64_t size_bytes);

/// To be called when the program asks for its data to be brought to the disk. This waits for the job's turn, and notes that the disk's work belongs to the job.
void before_sync(int fd);

/// To be called after fsync or fdatasync: the file's dirty data is on disk.
void after_sync(int fd);

/// To be called after a part of a file was removed, or replaced by a part of another file (fallocate, FICLONE). Its dirty data is never written, and what was believed of the
/// cache is no longer true. A length of 0 reaches to the end.
void after_range_removal(int fd, std::uint64_t offset_bytes, std::uint64_t length_bytes);

/// To be called before the descriptor of a charged file is closed. Sends the file's remaining data to the disk, if that is done in steps (smooth_writes.hpp). May wait as a write
/// does. errno is kept.
void send_before_close(int fd);

/// To be called after a part of a file was sent to the disk: writing there again costs again. A length of 0 from 0 on means the whole file.
void after_range_sent(int fd, std::uint64_t offset_bytes, std::uint64_t length_bytes);

/// To be called after a successful posix_fadvise(): the kernel now reads ahead differently, or has dropped pages.
void after_advice(int fd, int advice);

/// Notes that the sent data is dirty no longer: writing there again will cost again.
void note_sent(Job& job, const OpenFile& file);

}  // namespace discnice::guest
