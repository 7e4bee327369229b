// SPDX-License-Identifier: MIT
// own_cache: leaves the page cache as the job found it (--cache neutral, --cache own=SIZE).
//
// own_cache drops pages that the job itself brought in and has read past, and never pages that were cached before the job. It drops nothing while the job holds less than
// half of its room. When the job reads a file again after pages of that file were dropped, it drops nothing of that file while the job holds less than all of its room. So
// data that is used twice is read from the disk at most twice, and only once when it fits into the room.
//
// Knowledge assumed: POSIX_FADV_DONTNEED (mm/fadvise.c) drops the clean pages of a range that no process has mapped. The kernel fetches a read-ahead window as
//   the read-ahead model predicts.
// Output observed: the model's windows; for each window, the kernel's count of pages that are already cached, taken just before the read that brings
//   the window in; whether written data is on the disk.
// Inference drawn: a page that was absent before the job's read and is cached after it was brought in by the job. The job's room is measured when the
//   job brings in its first page. It is half of the free memory, or a small part of all memory if that is more. A room of this size hardly evicts
//   any other pages from the cache.
// What breaks it: another program that reads a page which the job brought in. When that program reads the page again after the job has read
//   another megabyte, the page is gone. Without the job, the other program would have read the page from the disk itself the first time. Between
//   the count and the read another program may bring a page in. Some pages stay in the cache: pages that the kernel does not count for this
//   process (files of others, for which mincore() gives a false answer and cachestat() is refused), and pages that were brought in by page faults,
//   by trusted reads, and by reads at random places. Data that is not on the disk when its file is closed is dropped later, by the file's name
//   (closed_files.hpp).
//
// RWF_DONTCACHE is not used. On Linux 6.18 it drops a folio when the folio's first byte is read, so a program that reads less than a folio at a time reads the
// same folio from the disk again (measured: 1.1 to 1.6 times the bytes, in up to ten times the time).
#pragma once

#include <cstdint>

#include <sys/types.h>

#include "tools/discnice/contract/grant.hpp"
#include "tools/discnice/descriptor/open_files.hpp"
#include "tools/discnice/job/job.hpp"
#include "tools/discnice/transfer/transfer_call.hpp"

namespace discnice::guest {

/// Called after any wait, just before a read that brings in the runs in file.fetched. Notes the absent pages of these runs and clears file.fetched.
void note_brought_in(Job& job, OpenFile& file, int fd);

/// Called when a write is about to make the file longer. The bytes from `from_bytes` on are new. Call under the entry's TryLock.
void note_grown(Job& job, OpenFile& file, std::uint64_t from_bytes, std::uint64_t end_bytes);

/// Called after a read or write that moved `bytes`, at least one. Drops the pages behind it.
void let_go_behind(Job& job, const Transfer& transfer, std::uint64_t bytes);

/// Called before a descriptor is closed: drops all pages that the descriptor brought in.
void let_go_before_close(int fd);

/// Called before the process ends: drops the pages of the files that are still open.
void let_go_before_leaving(Job& job);

/// Called when the program itself advises the kernel which pages to keep. From then on no pages of that descriptor are dropped.
void leave_cache_to_program(OpenFile& file);

}  // namespace discnice::guest
