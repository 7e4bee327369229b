// SPDX-License-Identifier: MIT
// own_cache: leaves the page cache as the job found it (--cache neutral, --cache own=SIZE).
//
// Pages that the job itself brought in, and has read past, are let go of; never what was there before. Nothing is dropped while the job's pages fill less than half of its room.
// If the job comes back to a file whose pages it has dropped, nothing of this file is dropped until the whole room is full. So data that is used again is paid for twice at most,
// and only once if it fits into the room.
//
// Knowledge assumed: POSIX_FADV_DONTNEED (mm/fadvise.c) drops the clean pages of a range that nobody has mapped. A read-ahead window comes in as the
//   read-ahead model says.
// Output observed: the model's windows; of each, just before the read that brings it in, the kernel's count of what is there already; of what was
//   written, whether it is on the disk.
// Inference drawn: a page that was absent before the job's read and is there after it is the job's. The job's room is half of the memory that was unused when it brought in its
// first page, or a small part of all memory if that is more. Keeping this much pushes out almost nothing.
// What breaks it: another program may read one of the job's pages, and finds the page evicted when it comes back, after the job has read a megabyte more. Without the job that
// program would have paid for the page itself at its first read. Between the count and the read somebody else may bring a page in. Some pages are never dropped: pages that the
// kernel does not count for this user (files of others, for which mincore() is wrong and cachestat() is refused); pages that were brought in by page faults or by reads of a warm
// process; and pages that were read at random places and not in sequence. A file that is not on the disk when it is closed is remembered by its name (closed_files.hpp).
//
// RWF_DONTCACHE is not used: on Linux 6.18 it drops a folio when its first byte is read, so what is smaller than the folio is read from the disk again
// (measured: 1.1 to 1.6 times the bytes, in up to ten times the time).
#pragma once

#include <cstdint>

#include <sys/types.h>

#include "tools/discnice/contract/grant.hpp"
#include "tools/discnice/descriptor/open_files.hpp"
#include "tools/discnice/job/job.hpp"
#include "tools/discnice/transfer/transfer_call.hpp"

namespace discnice::guest {

/// To be called just before a read that brings in the pages in file.fetched, after any wait. Clears file.fetched.
void note_brought_in(Job& job, OpenFile& file, int fd);

/// Notes that a write is about to make the file longer, and from which place on. To be called under the entry's TryLock.
void note_grown(Job& job, OpenFile& file, std::uint64_t from_bytes, std::uint64_t end_bytes);

/// To be called after a read or write that moved `bytes`, at least one. Drops the pages behind it.
void let_go_behind(Job& job, const Transfer& transfer, std::uint64_t bytes);

/// To be called before a descriptor is closed. Drops all pages that it brought in.
void let_go_before_close(int fd);

/// To be called before the process ends. Drops the pages of the files that it has left open.
void let_go_before_leaving(Job& job);

/// To be called when the program itself tells the kernel which pages to keep. From then on no page of that descriptor is dropped.
void leave_cache_to_program(OpenFile& file);

}  // namespace discnice::guest
