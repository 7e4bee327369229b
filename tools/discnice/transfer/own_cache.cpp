// SPDX-License-Identifier: MIT
#include "tools/discnice/transfer/own_cache.hpp"

#include <atomic>

#include <fcntl.h>
#include <sys/syscall.h>

#include "toolbox/base/clock.hpp"
#include "toolbox/base/raw_sys.hpp"
#include "tools/discnice/descriptor/file_position.hpp"
#include "tools/discnice/job/try_lock.hpp"
#include "tools/discnice/kernel/cachestat.hpp"
#include "tools/discnice/kernel/residency.hpp"
#include "tools/discnice/observe/recording.hpp"
#include "tools/discnice/outputs/memory_room.hpp"
#include "tools/discnice/policy/cache_use.hpp"
#include "tools/discnice/predictor/cache_model.hpp"
#include "tools/discnice/predictor/page_key.hpp"
#include "tools/discnice/protocol/let_go_files.hpp"
#include "tools/discnice/protocol/segment.hpp"
#include "tools/discnice/transfer/closed_files.hpp"
#include "tools/discnice/transfer/transfer_call.hpp"

namespace discnice::guest {
namespace {

using gray::base::is_raw_error;
using gray::base::raw_syscall;

// A reader must be this many pages further before the pages behind it are dropped.
constexpr std::uint64_t kBehindPages = 256;
// Half of the memory that was free at the beginning is left for uses that are not counted here: inodes, and the memory of programs. A job that found no
// free memory gets this part of all memory as its room.
constexpr std::uint64_t kMemoryShare = 32;
constexpr int kWrittenPartsMax = 8;  // one call drops at most this many parts

// The highest descriptor that ever had pages to drop; -1 when there was none.
std::atomic<int> highest_descriptor{-1};

constinit std::atomic<std::uint32_t> workspace_lock{0};  // a TryLock over the workspace
constinit outputs::RoomWorkspace workspace{};

std::uint64_t free_room_bytes(Job& job) {
  protocol::Segment& segment = *job.segment;
  const std::uint64_t known_bytes = segment.cache_room_bytes.load(std::memory_order_relaxed);
  if (known_bytes != 0) return known_bytes;
  const TryLock lock(workspace_lock, job.epoch);
  if (!lock) return 0;  // another thread is measuring the room; until it has ended the room is 0
  const outputs::MemoryRoom memory = outputs::read_memory_room(workspace);
  const std::uint64_t least_bytes = memory.total_bytes / kMemoryShare;
  const std::uint64_t most_bytes = memory.free_bytes / 2;
  std::uint64_t room_bytes = (most_bytes > least_bytes ? most_bytes : least_bytes) | 1U;
  std::uint64_t before_bytes = 0;
  // A later measurement would include pages that others have brought in meanwhile, so the first answer stays.
  if (!segment.cache_room_bytes.compare_exchange_strong(before_bytes, room_bytes, std::memory_order_relaxed))
    room_bytes = before_bytes;
  return room_bytes;
}

std::uint64_t room_bytes(Job& job, const Grant& grant) {
  return grant.cache == CacheUse::own ? grant.own_cache_bytes : free_room_bytes(job);
}

// Whether the job holds too many pages. The pages of a file that is read for the first time may fill half of the room. The pages of a file that is read
// again may fill the whole room.
bool holds_too_much(Job& job, const Grant& grant, const OpenFile& file) {
  const std::uint64_t room = room_bytes(job, grant);
  const std::uint64_t brought_bytes = job.segment->cache_brought_bytes.load(std::memory_order_relaxed);
  const std::uint64_t let_go_bytes = job.segment->cache_let_go_bytes.load(std::memory_order_relaxed);
  const std::uint64_t held_bytes = brought_bytes > let_go_bytes ? brought_bytes - let_go_bytes : 0;
  return held_bytes > (file.is_read_again ? room : room / 2);
}

std::uint64_t key_of(const OpenFile& file) {
  return predictor::page_key(file.id, 0);
}

// A forked child has a copy of its parent's list of pages. The child empties its copy. The parent keeps the list.
void take_for_own(const Job& job, OpenFile& file) {
  if (file.brought_epoch == job.epoch) return;
  file.brought.forget();
  file.grown = {};
  file.brought_epoch = job.epoch;
}

void note_descriptor(int fd) {
  int highest = highest_descriptor.load(std::memory_order_relaxed);
  while (highest < fd && !highest_descriptor.compare_exchange_weak(highest, fd, std::memory_order_relaxed)) {
  }
}

void add(Job& job, OpenFile& file, const PageRun& run) {
  if (!file.brought.has_runs())
    file.is_read_again = file.is_read_again || protocol::was_let_go(*job.segment, key_of(file));
  if (file.brought.was_let_go(run)) file.is_read_again = true;
  file.brought.add(run);
  job.segment->cache_brought_bytes.fetch_add((run.end_page - run.first_page) * kPageBytes,
                                             std::memory_order_relaxed);
}

void add_absent(Job& job, OpenFile& file, const predictor::ResidencyOracle& oracle, PageRun window) {
  // When the window has more runs than this, the rest of the window is not noted and stays in the cache.
  for (unsigned i = 0; i < BroughtPages::kRunsMax && !is_empty(window); ++i) {
    const std::uint64_t left = window.end_page - window.first_page;
    if (predictor::count_absent(oracle, window.first_page, left) == left) return add(job, file, window);
    const std::uint64_t absent = predictor::absent_run(oracle, window.first_page, left);
    if (absent != 0) add(job, file, {window.first_page, window.first_page + absent});
    window.first_page += absent;
    if (!is_empty(window))
      window.first_page += predictor::resident_run(oracle, window.first_page, left - absent);
  }
}

bool is_gone(int fd, std::uint64_t page) {
  CachestatAnswer answer{};
  return !is_raw_error(ask_cachestat(fd, page * kPageBytes, kPageBytes, &answer)) && answer.cached == 0;
}

// Drops pages. The models treat this like the program's own advice. Returns true when the last page is known to be gone. This is checked only when more parts
// may follow.
bool let_go(Job& job, OpenFile& file, int fd, const Parting& parting) {
  const PageRun& run = parting.run;
  raw_syscall(SYS_fadvise64, fd, static_cast<long>(run.first_page * kPageBytes),
              static_cast<long>((run.end_page - run.first_page) * kPageBytes), POSIX_FADV_DONTNEED);
  job.segment->cache_let_go_bytes.fetch_add((run.end_page - parting.news_page) * kPageBytes,
                                            std::memory_order_relaxed);
  protocol::note_let_go(*job.segment, key_of(file));
  record_advice(job, file, fd, POSIX_FADV_DONTNEED);
  const bool is_end_gone = run.end_page - parting.news_page >= kBehindPages && is_gone(fd, run.end_page - 1);
  file.brought.note_let_go(parting, is_end_gone);
  file.state.belief = predictor::Belief{};
  file.trust.store(0, std::memory_order_relaxed);
  return is_end_gone;
}

std::uint64_t overlap_pages(const OpenFile& file) {
  return UINT64_C(1) << file.state.limits.folio_order_max;
}

bool is_on_disk(int fd, std::uint64_t first_page, std::uint64_t end_page) {
  CachestatAnswer answer{};
  return !is_raw_error(
             ask_cachestat(fd, first_page * kPageBytes, (end_page - first_page) * kPageBytes, &answer)) &&
         answer.dirty == 0 && answer.in_writeback == 0;
}

// Drops written pages, the oldest first. A part that is not on the disk yet stops the loop.
void let_go_of_grown(Job& job, OpenFile& file, int fd, std::uint64_t end_page) {
  GrownPages& grown = file.grown;
  for (int i = 0; i < kWrittenPartsMax && grown.news_page < end_page; ++i) {
    const std::uint64_t left = end_page - grown.news_page;
    const std::uint64_t part_end = grown.news_page + (left < kBehindPages ? left : kBehindPages);
    if (!is_on_disk(fd, grown.news_page, part_end)) return;
    const std::uint64_t overlap = overlap_pages(file);
    const std::uint64_t first =
        grown.news_page - grown.again_page > overlap ? grown.news_page - overlap : grown.again_page;
    const bool is_end_gone = let_go(job, file, fd, {{first, part_end}, grown.news_page});
    grown.news_page = part_end;
    if (is_end_gone) grown.again_page = part_end;
  }
}

void let_go_behind_writer(Job& job, OpenFile& file, int fd) {
  GrownPages& grown = file.grown;
  if (grown.end_page - grown.looked_page < kBehindPages) return;
  grown.looked_page = grown.end_page;
  const Grant grant = protocol::load_grant(*job.segment);
  if (!policy::lets_go_of_cache(grant) || !holds_too_much(job, grant, file) || !refresh_size(file, fd))
    return;
  let_go_of_grown(job, file, fd, grown.end_page - kBehindPages);
}

void let_go_behind_reader(Job& job, OpenFile& file, int fd, std::uint64_t page) {
  Parting parting = file.brought.part_behind(page, kBehindPages, overlap_pages(file));
  if (is_empty(parting.run)) return;
  const Grant grant = protocol::load_grant(*job.segment);
  if (!policy::lets_go_of_cache(grant) || !holds_too_much(job, grant, file) || !refresh_size(file, fd))
    return;
  do {
    let_go(job, file, fd, parting);
    parting = file.brought.part_behind(page, kBehindPages, overlap_pages(file));
  } while (!is_empty(parting.run));
}

// The offset at which the next read begins.
bool find_reader(OpenFile& file, const Transfer& transfer, std::uint64_t bytes, std::uint64_t* offset_bytes) {
  if (transfer.offset_bytes < 0) return find_position(file, transfer.fd, 0, offset_bytes);
  *offset_bytes = static_cast<std::uint64_t>(transfer.offset_bytes) + bytes;
  return true;
}

bool has_pages(const OpenFile& file) {
  return file.file_class.load(std::memory_order_acquire) == FileClass::charged &&
         (file.brought.has_runs() || file.grown.end_page != 0);
}

void let_go_of_all(Job& job, OpenFile& file, int fd) {
  const TryLock lock(file.lock, job.epoch);
  if (!lock || file.brought_epoch != job.epoch) return;
  const Grant grant = protocol::load_grant(*job.segment);
  if (policy::lets_go_of_cache(grant) && holds_too_much(job, grant, file) && refresh_size(file, fd)) {
    const std::uint64_t overlap = overlap_pages(file);
    for (Parting parting = file.brought.part_all(overlap); !is_empty(parting.run);
         parting = file.brought.part_all(overlap))
      let_go(job, file, fd, parting);
    let_go_of_closed(job, Which::oldest);
    let_go_of_grown(job, file, fd, file.grown.end_page);
    if (file.grown.news_page < file.grown.end_page)
      note_closed(job, file.id, fd, {file.grown.news_page, file.grown.end_page});
  }
  file.brought.forget();
  file.grown = {};
}

// Notes the absent pages of these runs, because the coming read brings them in.
void note_fetched(Job& job, OpenFile& file, int fd, unsigned count) {
  take_for_own(job, file);
  const Residency residency(file, fd, job.segment->options, *job.member);
  if (!residency.oracle().is_exact()) return;
  note_descriptor(fd);
  free_room_bytes(job);
  for (unsigned i = 0; i < count; ++i) add_absent(job, file, residency.oracle(), file.fetched[i]);
}

}  // namespace

void note_brought_in(Job& job, OpenFile& file, int fd) {
  const unsigned count = file.fetched_count;
  file.fetched_count = 0;
  const TryLock lock(file.lock, job.epoch);
  if (!lock) return;
  if (!file.is_left_to_program && policy::lets_go_of_cache(protocol::load_grant(*job.segment)))
    note_fetched(job, file, fd, count);
  if (!file.in_flight.is_kept()) return;
  for (unsigned i = 0; i < count; ++i) file.in_flight.add(file.fetched[i], gray::base::monotonic_ns());
}

void note_grown(Job& job, OpenFile& file, std::uint64_t from_bytes, std::uint64_t end_bytes) {
  if (file.is_direct || file.is_left_to_program || file.is_block_device) return;
  if (!policy::lets_go_of_cache(protocol::load_grant(*job.segment))) return;
  take_for_own(job, file);
  GrownPages& grown = file.grown;
  const std::uint64_t first = (from_bytes + kPageBytes - 1) / kPageBytes;
  const std::uint64_t end = (end_bytes + kPageBytes - 1) / kPageBytes;
  if (first >= end) return;
  free_room_bytes(job);
  if (grown.end_page == 0 || first != grown.end_page) grown = {first, first, first, first};
  grown.end_page = end;
  job.segment->cache_brought_bytes.fetch_add((end - first) * kPageBytes, std::memory_order_relaxed);
}

void let_go_behind(Job& job, const Transfer& transfer, std::uint64_t bytes) {
  OpenFile* file = transfer.file;
  if (!has_pages(*file)) return;
  const TryLock lock(file->lock, job.epoch);
  if (!lock || file->brought_epoch != job.epoch) return;
  if (transfer.kind == OpKind::write) {
    note_descriptor(transfer.fd);
    return let_go_behind_writer(job, *file, transfer.fd);
  }
  std::uint64_t offset_bytes = 0;
  if (file->brought.has_runs() && find_reader(*file, transfer, bytes, &offset_bytes))
    let_go_behind_reader(job, *file, transfer.fd, offset_bytes / kPageBytes);
}

void let_go_before_close(int fd) {
  OpenFile* file = known_open_file(fd);
  if (file == nullptr || !has_pages(*file)) return;
  Job* here = job();
  if (here != nullptr) let_go_of_all(*here, *file, fd);
}

void let_go_before_leaving(Job& job) {
  const int highest = highest_descriptor.load(std::memory_order_relaxed);
  for (int fd = 0; fd <= highest; ++fd) {
    OpenFile* file = known_open_file(fd);
    if (file != nullptr && has_pages(*file)) let_go_of_all(job, *file, fd);
  }
  let_go_of_closed(job, Which::all);
}

void leave_cache_to_program(OpenFile& file) {
  file.is_left_to_program = true;
  file.brought.forget();
  file.grown = {};
}

}  // namespace discnice::guest
