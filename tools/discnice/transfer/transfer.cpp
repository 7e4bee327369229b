// SPDX-License-Identifier: MIT
#include "tools/discnice/transfer/transfer.hpp"

#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "toolbox/base/clock.hpp"
#include "toolbox/base/raw_sys.hpp"
#include "tools/discnice/descriptor/file_position.hpp"
#include "tools/discnice/descriptor/free_pass.hpp"
#include "tools/discnice/descriptor/open_files.hpp"
#include "tools/discnice/descriptor/warm_streak.hpp"
#include "tools/discnice/job/budget.hpp"
#include "tools/discnice/job/try_lock.hpp"
#include "tools/discnice/kernel/account.hpp"
#include "tools/discnice/kernel/disk_watch.hpp"
#include "tools/discnice/kernel/disks.hpp"
#include "tools/discnice/kernel/residency.hpp"
#include "tools/discnice/observe/profiling.hpp"
#include "tools/discnice/observe/recording.hpp"
#include "tools/discnice/predictor/predictor.hpp"
#include "tools/discnice/predictor/spliced_read.hpp"
#include "tools/discnice/protocol/segment.hpp"
#include "tools/discnice/transfer/admission.hpp"
#include "tools/discnice/transfer/engine.hpp"
#include "tools/discnice/transfer/far_writes.hpp"
#include "tools/discnice/transfer/metadata.hpp"
#include "tools/discnice/transfer/own_cache.hpp"
#include "tools/discnice/transfer/prediction.hpp"
#include "tools/discnice/transfer/quick_way.hpp"
#include "tools/discnice/transfer/smooth_writes.hpp"
#include "tools/discnice/transfer/transfer_call.hpp"

namespace discnice::shim {
namespace {

using gray::base::is_raw_error;
using gray::base::monotonic_coarse_ns;
using gray::base::monotonic_ns;
using gray::base::raw_syscall;
using gray::base::word;
using protocol::Counter;

// A part of a call that is believed to be free anyway; bounded, as the belief may be wrong.
constexpr std::uint64_t kWarmPartBytes = 4UL * 1024 * 1024;

// So many reads of a file after one that brought something in may wait for what was read ahead: as many as a window has blocks.
constexpr std::uint32_t kAwaitedReads = 64;

// A read waits for what it was foretold to bring in, or as some of those before it did.
bool may_tell(OpenFile& file, std::uint64_t read_bytes) {
  const std::uint32_t left = file.awaited_reads.load(std::memory_order_relaxed);
  if (read_bytes == 0 && left == 0) return false;
  file.awaited_reads.store(read_bytes != 0 ? kAwaitedReads : left - 1, std::memory_order_relaxed);
  return true;
}

void expect_waits(int fd) {
  if (OpenFile* file = known_open_file(fd); file != nullptr)
    file->awaited_reads.store(kAwaitedReads, std::memory_order_relaxed);
}

// What a transfer has moved its descriptor by. A copy may have moved it by less, or not at all.
void follow_position(const Transfer& transfer, ssize_t result) {
  if (transfer.offset_bytes >= 0) return;
  OpenFile* file = known_open_file(transfer.fd);
  if (file == nullptr) return;
  if (transfer.is_copy) return lose_position(*file);
  note_moved(*file, result);
}

// Lets a read of a warm streak by: the account will tell. The model has missed a read and must not reason from its last.
bool passes_unpredicted(Job& job, OpenFile& file, Transfer& transfer) {
  transfer.unpredicted_at_ns = 0;
  if (transfer.kind != OpKind::read || !is_in_warm_streak(job, file)) return false;
  const TryLock lock(file.lock, job.epoch);
  if (!lock) return false;
  file.is_size_fresh = false;
  predictor::forget_reads(file.state);
  transfer.unpredicted_at_ns = monotonic_ns();
  transfer.is_known_free = file.has_details && !file.is_direct;
  return true;
}

// Lets a read by of a file that nothing is known of but that many like it, just opened, were in the streak.
bool passes_unseen(Job& job, Transfer& transfer) {
  if (transfer.kind != OpKind::read || transfer.is_copy) return false;
  OpenFile* file = find_open_file(transfer.fd);
  if (file == nullptr || file->file_class.load(std::memory_order_acquire) != FileClass::unknown) return false;
  if (!is_assumed_warm(job, *file, transfer.length_bytes)) return false;
  protocol::add(*job.member, Counter::calls, 1);
  transfer.may_wait = admit(job, IoEstimate{}, {last_disk()}, transfer.may_wait, *transfer.signals);
  transfer.unpredicted_at_ns = monotonic_ns();
  return true;
}

// Whether a read took no longer than a copy from the page cache does, generously: 1 GB/s after a start.
bool is_cached_time(std::uint64_t elapsed_ns, std::uint64_t bytes) {
  constexpr std::uint64_t kStartNs = 20'000;
  return elapsed_ns < kStartNs + bytes;
}

void note_charge(Job& job, const Charge& charge) {
  if (charge.estimate.read_bytes != 0) end_warm_streak(job);
  if (charge.estimate.cost_bytes() == 0) return;
  protocol::add(*job.member, Counter::charged_calls, 1);
  note_prediction(job, charge);
}

protocol::CallClass class_of(const Transfer& transfer) {
  if (transfer.is_copy) return protocol::CallClass::copy;
  return transfer.kind == OpKind::read ? protocol::CallClass::read : protocol::CallClass::write;
}

// Books to the class, and records, what the call has done. A copy is two transfers of one call: its reads go to one, its writes to the other.
void note_outcome(Job& job, const Transfer& transfer, ssize_t result) {
  const ThreadAccount after = read_thread_account();
  ThreadAccount booked{after.read_bytes - transfer.account_before.read_bytes,
                       after.write_bytes - transfer.account_before.write_bytes};
  if (transfer.is_copy) (transfer.kind == OpKind::read ? booked.write_bytes : booked.read_bytes) = 0;
  const bool do_count = result > 0 && !(transfer.is_copy && transfer.kind == OpKind::write);
  if (is_verifying(job))
    note_class_outcome(job, class_of(transfer), do_count ? static_cast<std::uint64_t>(result) : 0, booked);
  record_outcome(job, transfer.record_number, transfer.kind, class_of(transfer), result, booked);
}

// How much a pipe or socket has ready, of at most `part`; when it has nothing yet, a pipe's usual load.
std::uint64_t waiting_bytes(int fd, std::uint64_t part) {
  int bytes = 0;
  if (is_raw_error(raw_syscall(SYS_ioctl, fd, FIONREAD, word(&bytes)))) return part;
  const std::uint64_t ready = bytes > 0 ? static_cast<std::uint64_t>(bytes) : predictor::kSpliceBytes;
  return ready < part ? ready : part;
}

// The next small reads of a descriptor that needed no disk need not come this way.
void offer_pass(Job& job, const Transfer& transfer) {
  if (!transfer.is_known_free || is_measured(job) || has_debt(job)) return;
  OpenFile* file = known_open_file(transfer.fd);
  if (file == nullptr || file->file_class.load(std::memory_order_acquire) != FileClass::charged) return;
  lose_position(*file);
  give_pass(*file, transfer.pass_term);
  engine::prepare_quick_calls();
}

// One of many alike that was looked at, and is what those before it were taken for, is read on trust as they are; a long one is foretold.
void offer_sample_pass(Job& job, OpenFile& file) {
  const std::uint32_t term = pass_term();
  if (!file.is_sample.load(std::memory_order_relaxed) || file.size_bytes > kAssumedBytesMax) return;
  if (has_debt(job)) return;
  if (!are_files_alike() || !is_in_warm_streak(job, file)) return;
  lose_position(file);
  give_pass(file, term);
  go_on_assuming();
}

// What goes to the disk in steps waits there; in memory it is in nobody's way.
bool waits_when_sent(const Job& job, const OpenFile& file, const Transfer& transfer) {
  return transfer.kind == OpKind::write && transfer.signals != nullptr && !is_verifying(job) &&
         is_sent_in_steps(job, protocol::load_grant(*job.segment), file);
}

void smooth(Job& job, const Transfer& transfer, std::uint64_t bytes) {
  OpenFile* file = charged_file(job, transfer.fd);
  if (file == nullptr || transfer.signals == nullptr || is_verifying(job)) return;
  const bool is_sent = file->device->is_served
                           ? flush_far_after_write(job, *file, transfer.fd, bytes)
                           : smooth_after_write(job, *file, transfer.fd, bytes, *transfer.signals);
  if (is_sent) note_sent(job, *file);
}

// The page a read has just returned must count as resident; else the kernel's count lies on this device.
void test_backend(const Transfer& transfer, ssize_t result) {
  OpenFile* file = find_open_file(transfer.fd);
  if (file == nullptr || file->file_class.load(std::memory_order_acquire) != FileClass::charged ||
      file->is_direct)
    return;
  if (file->device->count_verdict.load(std::memory_order_relaxed) != CountVerdict::untested) return;
  const long end = transfer.offset_bytes >= 0 ? transfer.offset_bytes + result
                                              : raw_syscall(SYS_lseek, transfer.fd, 0, SEEK_CUR);
  if (end > 0) test_count(*file, transfer.fd, static_cast<std::uint64_t>(end - 1) / kPageBytes);
}

}  // namespace

bool before_transfer(Job& job, Transfer& transfer) {
  transfer.record_number = 0;
  transfer.telling.disk = nullptr;
  transfer.is_known_free = false;
  transfer.pass_term = pass_term();
  if (passes_unseen(job, transfer)) return true;
  if (transfer.kind == OpKind::write && !transfer.is_copy &&
      is_written_to_memory(transfer.fd, transfer.length_bytes))
    return false;
  OpenFile* file = charged_file(job, transfer.fd);
  if (file == nullptr) return false;
  protocol::add(*job.member, Counter::calls, 1);
  Charge charge;
  if (!passes_unpredicted(job, *file, transfer) && !predict(job, *file, transfer, &charge)) charge = Charge{};
  if (charge.estimate.cost_bytes() != 0 && is_profiling(job)) profile_call(job, charge.estimate);
  charge.disk = disk_of(job, *file->device);
  const bool has_pending_read = transfer.is_copy && transfer.kind == OpKind::write &&
                                job.member->pending_read_bytes.load(std::memory_order_relaxed) != 0;
  const bool is_held_later = has_pending_read || waits_when_sent(job, *file, transfer);
  const Place place{charge.disk, is_held_later ? Looking::as_known : Looking::afresh};
  transfer.may_wait = admit(job, charge.estimate, place, transfer.may_wait, *transfer.signals);
  note_charge(job, charge);
  if (is_verifying(job)) note_class_prediction(job, class_of(transfer), charge.estimate);
  if (is_measured(job)) transfer.account_before = read_thread_account();
  if (transfer.kind == OpKind::read && may_tell(*file, charge.estimate.read_bytes)) {
    const CallKind kind = transfer.is_going_on ? CallKind::read_on : CallKind::read_start;
    transfer.telling = begin_call(job, charge.disk, kind);
  }
  return true;
}

void before_call(Job& job, const Transfer& transfer) {
  OpenFile* file = known_open_file(transfer.fd);
  if (file != nullptr && file->fetched_count != 0) note_brought_in(job, *file, transfer.fd);
}

void after_transfer(Job& job, const Transfer& transfer, ssize_t result) {
  if (end_call(job, transfer.telling, result > 0 ? static_cast<std::uint64_t>(result) : 0))
    expect_waits(transfer.fd);
  follow_position(transfer, result);
  if (is_measured(job)) note_outcome(job, transfer, result);
  if (result > 0) {
    const Counter counter =
        transfer.kind == OpKind::read ? Counter::file_read_bytes : Counter::file_write_bytes;
    protocol::add(*job.member, counter, static_cast<std::uint64_t>(result));
    if (transfer.kind == OpKind::write) smooth(job, transfer, static_cast<std::uint64_t>(result));
  }
  if (result > 0) let_go_behind(job, transfer, static_cast<std::uint64_t>(result));
  const std::uint64_t read_bytes =
      result > 0 && transfer.kind == OpKind::read ? static_cast<std::uint64_t>(result) : 0;
  if (transfer.unpredicted_at_ns != 0 &&
      !is_cached_time(monotonic_ns() - transfer.unpredicted_at_ns, read_bytes)) {
    if (settle(job) > 0) return catch_up(job, transfer, read_bytes);
  }
  if (job.member->pending_read_bytes.load(std::memory_order_relaxed) == 0) {
    note_free_read(read_bytes);
    offer_pass(job, transfer);
    settle_if_stale(job);
    return;
  }
  settle(job);
  if (read_bytes > 0) test_backend(transfer, result);
}

std::size_t part_bytes_max(Job& job, const Transfer& transfer) {
  if (transfer.length_bytes <= kPartBytesMin) return SIZE_MAX;
  const Grant grant = protocol::load_grant(*job.segment);
  const bool is_write = transfer.kind == OpKind::write;
  if (part_bytes(grant, is_write, false) == 0) return SIZE_MAX;
  const std::uint64_t part = part_bytes(grant, is_write, is_disk_shared(last_disk(), monotonic_coarse_ns()));
  if (transfer.length_bytes <= part) return SIZE_MAX;
  OpenFile* file = charged_file(job, transfer.fd);
  if (file == nullptr) return SIZE_MAX;
  const TryLock lock(file->lock, job.epoch);
  if (!lock) return SIZE_MAX;
  ask_details(*file, transfer.fd);
  // Appends of several processes must not mix, and direct I/O must keep its alignment: those stay whole.
  if (file->is_append || file->is_direct) return SIZE_MAX;
  const bool is_warm = transfer.kind == OpKind::read && is_in_warm_streak(job, *file);
  return is_warm && part < kWarmPartBytes ? kWarmPartBytes : part;
}

bool is_charged(Job& job, int fd) {
  return charged_file(job, fd) != nullptr;
}

void note_status(int fd, const struct stat& status) {
  Job* here = job();
  if (here == nullptr || !S_ISREG(status.st_mode)) return;
  OpenFile* file = find_open_file(fd);
  if (file == nullptr || file->file_class.load(std::memory_order_acquire) != FileClass::unknown) return;
  const TryLock lock(file->lock, here->epoch);
  if (!lock) return;
  classify(*here->segment, *file, fd, status);
  const bool is_on_disk = file->file_class.load(std::memory_order_relaxed) == FileClass::charged;
  note_class(is_on_disk ? file->device : nullptr);
  if (!is_on_disk) return;
  share_streak(*here, *file->device);
  offer_sample_pass(*here, *file);
}

std::int64_t offset_at(const off64_t* offset) {
  off64_t value = 0;
  if (offset == nullptr || !read_caller(offset, &value, sizeof value) || value < 0) return kAtPointer;
  return value;
}

std::uint64_t copied_bytes_max(Job& job, const Transfer& from, std::uint64_t part) {
  OpenFile* file = charged_file(job, from.fd);
  if (file == nullptr) return waiting_bytes(from.fd, part);
  const TryLock lock(file->lock, job.epoch);
  std::uint64_t offset_bytes = 0;
  if (!lock || !find_offset(*file, from, &offset_bytes) || !refresh_size(*file, from.fd)) return part;
  const std::uint64_t left = file->size_bytes > offset_bytes ? file->size_bytes - offset_bytes : 0;
  return left < part ? left : part;
}

bool is_at_size_limit(const Transfer& transfer) {
  if (transfer.kind != OpKind::write) return false;
  rlimit limit{};
  if (is_raw_error(raw_syscall(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, word(&limit)))) return false;
  if (limit.rlim_cur == RLIM_INFINITY) return false;
  const long position =
      transfer.offset_bytes >= 0 ? transfer.offset_bytes : raw_syscall(SYS_lseek, transfer.fd, 0, SEEK_CUR);
  return !is_raw_error(position) && static_cast<rlim_t>(position) >= limit.rlim_cur;
}

}  // namespace discnice::shim
