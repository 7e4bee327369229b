// SPDX-License-Identifier: MIT
#include "tools/discnice/transfer/transfer.hpp"

#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "toolbox/base/clock.hpp"
#include "toolbox/base/raw_sys.hpp"
#include "tools/discnice/descriptor/file_position.hpp"
#include "tools/discnice/descriptor/open_files.hpp"
#include "tools/discnice/descriptor/trust.hpp"
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
#include "tools/discnice/transfer/route.hpp"
#include "tools/discnice/transfer/smooth_writes.hpp"
#include "tools/discnice/transfer/transfer_call.hpp"

namespace discnice::guest {
namespace {

using gray::base::is_raw_error;
using gray::base::monotonic_coarse_ns;
using gray::base::monotonic_ns;
using gray::base::raw_syscall;
using gray::base::word;
using protocol::Counter;

// The largest part of a call that most likely needs no disk. The part is bounded, because the prediction may be wrong.
constexpr std::uint64_t kWarmPartBytes = 4UL * 1024 * 1024;

// After a read that brought something in, this many reads of the file may have to wait for read-ahead: as many as a window has blocks.
constexpr std::uint32_t kAwaitedReads = 64;

// A read may wait for the disk when it is predicted to bring something in, or when it follows such a read closely.
bool may_tell(OpenFile& file, std::uint64_t read_bytes) {
  const std::uint32_t left = file.awaited_reads.load(std::memory_order_relaxed);
  if (read_bytes == 0 && left == 0) return false;
  file.awaited_reads.store(read_bytes != 0 ? kAwaitedReads : left - 1, std::memory_order_relaxed);
  return true;
}

// Moves the known position of the descriptor by the transfer's result. A copy may have moved it by less, or not at all, so the position is then unknown.
void follow_position(const Transfer& transfer, ssize_t result) {
  if (transfer.offset_bytes >= 0) return;
  if (transfer.is_copy) return lose_position(*transfer.file);
  note_moved(*transfer.file, result);
}

// Whether a read was short enough to be a copy from the page cache: at most 20 us plus the time at 1 GB/s.
bool is_cached_time(std::uint64_t elapsed_ns, std::uint64_t bytes) {
  constexpr std::uint64_t kStartNs = 20'000;
  return elapsed_ns < kStartNs + bytes;
}

protocol::CallClass class_of(const Transfer& transfer) {
  if (transfer.is_copy) return protocol::CallClass::copy;
  return transfer.kind == OpKind::read ? protocol::CallClass::read : protocol::CallClass::write;
}

// Adds the call's outcome to its class, and records it. A copy consists of two transfers of one call: the reads belong to one transfer, the writes to the other.
void note_outcome(Job& job, const Transfer& transfer, ssize_t result) {
  const ThreadAccount after = read_thread_account();
  ThreadAccount booked{after.read_bytes - transfer.account_before.read_bytes,
                       after.write_bytes - transfer.account_before.write_bytes};
  if (transfer.is_copy) (transfer.kind == OpKind::read ? booked.write_bytes : booked.read_bytes) = 0;
  const bool do_count = result > 0 && !(transfer.is_copy && transfer.kind == OpKind::write);
  if (is_verifying(job))
    note_class_outcome(job, class_of(transfer), do_count ? static_cast<std::uint64_t>(result) : 0, booked);
  record_outcome(job, transfer.record_number, transfer.kind, class_of(transfer), result, booked,
                 transfer.went_ns);
}

// The number of bytes that a pipe or socket has ready, at most `part`. When it has none yet, the usual load of a pipe.
std::uint64_t waiting_bytes(int fd, std::uint64_t part) {
  int bytes = 0;
  if (is_raw_error(raw_syscall(SYS_ioctl, fd, FIONREAD, word(&bytes)))) return part;
  const std::uint64_t ready = bytes > 0 ? static_cast<std::uint64_t>(bytes) : predictor::kSpliceBytes;
  return ready < part ? ready : part;
}

// Trusts a file that is most likely in the page cache. So its next reads need no prediction.
void offer_trust(Job& job, const Transfer& transfer) {
  if (!transfer.is_believed_cached || is_measured(job) || has_debt(job)) return;
  lose_position(*transfer.file);
  trust.give(*transfer.file, transfer.term);
  engine::prepare_quick_calls();
}

bool is_still_charged(const Transfer& transfer) {
  return transfer.file != nullptr &&
         transfer.file->file_class.load(std::memory_order_acquire) == FileClass::charged;
}

// Data that goes to the disk in steps waits when it is sent. While it is in memory, it disturbs no other program.
bool waits_when_sent(const Job& job, const OpenFile& file, const Transfer& transfer) {
  return transfer.kind == OpKind::write && transfer.signals != nullptr && !is_verifying(job) &&
         is_sent_in_steps(job, protocol::load_grant(*job.segment), file);
}

void smooth(Job& job, const Transfer& transfer, std::uint64_t bytes) {
  if (transfer.signals == nullptr || is_verifying(job)) return;
  OpenFile& file = *transfer.file;
  const bool is_sent = file.device->is_served
                           ? flush_far_after_write(job, file, transfer.fd, bytes)
                           : smooth_after_write(job, file, transfer.fd, bytes, *transfer.signals);
  if (is_sent) note_sent(job, file);
}

// The page that a read has just returned must count as resident. If it does not, the kernel's count is wrong on this device.
void test_backend(const Transfer& transfer, ssize_t result) {
  OpenFile& file = *transfer.file;
  if (file.is_direct || file.device->count_verdict.load(std::memory_order_relaxed) != CountVerdict::untested)
    return;
  const long end = transfer.offset_bytes >= 0 ? transfer.offset_bytes + result
                                              : raw_syscall(SYS_lseek, transfer.fd, 0, SEEK_CUR);
  if (end > 0) test_count(file, transfer.fd, static_cast<std::uint64_t>(end - 1) / kPageBytes);
}

}  // namespace

bool before_transfer(Job& job, Transfer& transfer) {
  if (!is_still_charged(transfer)) return false;
  OpenFile& file = *transfer.file;
  transfer.record_number = 0;
  transfer.telling.disk = nullptr;
  transfer.is_believed_cached = false;
  transfer.term = trust.term();
  protocol::add(*job.member, Counter::calls, 1);
  Charge charge;
  if (!predict(job, transfer, &charge)) charge = Charge{};
  if (charge.estimate.cost_bytes() != 0 && is_profiling(job)) profile_call(job, charge.estimate);
  charge.disk = disk_of(job, *file.device);
  const bool has_pending_read = transfer.is_copy && transfer.kind == OpKind::write &&
                                job.member->pending_read_bytes.load(std::memory_order_relaxed) != 0;
  const bool is_held_later = has_pending_read || waits_when_sent(job, file, transfer);
  const Place place{charge.disk, is_held_later ? Looking::as_known : Looking::afresh};
  transfer.may_wait = admit(job, charge.estimate, place, transfer.may_wait, *transfer.signals);
  note_charge(job, charge);
  if (is_verifying(job)) note_class_prediction(job, class_of(transfer), charge.estimate);
  if (is_measured(job)) transfer.account_before = read_thread_account();
  if (is_recording(job)) transfer.went_ns = monotonic_ns();
  if (transfer.kind == OpKind::read && may_tell(file, charge.estimate.read_bytes)) {
    const CallKind kind = transfer.is_going_on ? CallKind::read_on : CallKind::read_start;
    transfer.telling = begin_call(job, charge.disk, kind);
  }
  return true;
}

void before_call(Job& job, const Transfer& transfer) {
  if (transfer.file->fetched_count != 0) note_brought_in(job, *transfer.file, transfer.fd);
}

void after_transfer(Job& job, const Transfer& transfer, ssize_t result) {
  if (end_call(job, transfer.telling, result > 0 ? static_cast<std::uint64_t>(result) : 0))
    transfer.file->awaited_reads.store(kAwaitedReads, std::memory_order_relaxed);
  follow_position(transfer, result);
  if (is_measured(job)) note_outcome(job, transfer, result);
  if (result > 0) {
    const Counter counter =
        transfer.kind == OpKind::read ? Counter::file_read_bytes : Counter::file_write_bytes;
    protocol::add(*job.member, counter, static_cast<std::uint64_t>(result));
  }
  if (!is_still_charged(transfer)) {  // another thread has closed it
    settle(job);
    return;
  }
  if (result > 0 && transfer.kind == OpKind::write) smooth(job, transfer, static_cast<std::uint64_t>(result));
  if (result > 0) let_go_behind(job, transfer, static_cast<std::uint64_t>(result));
  const std::uint64_t read_bytes =
      result > 0 && transfer.kind == OpKind::read ? static_cast<std::uint64_t>(result) : 0;
  if (job.member->pending_read_bytes.load(std::memory_order_relaxed) == 0) {
    trust.note_free_read(read_bytes);
    offer_trust(job, transfer);
    settle_if_stale(job);
    return;
  }
  settle(job);
  if (read_bytes > 0) test_backend(transfer, result);
}

void after_trusted(Job& job, const Transfer& transfer, ssize_t result, std::uint64_t start_ns) {
  const std::uint64_t read_bytes = result > 0 ? static_cast<std::uint64_t>(result) : 0;
  if (is_cached_time(monotonic_ns() - start_ns, read_bytes) || settle(job) == 0) return;
  catch_up(job, transfer, read_bytes);
}

std::size_t part_bytes_max(Job& job, const Transfer& transfer) {
  if (transfer.length_bytes <= kPartBytesMin) return SIZE_MAX;
  const Grant grant = protocol::load_grant(*job.segment);
  const bool is_write = transfer.kind == OpKind::write;
  if (part_bytes(grant, is_write, false) == 0) return SIZE_MAX;
  const std::uint64_t part = part_bytes(grant, is_write, is_disk_shared(last_disk(), monotonic_coarse_ns()));
  if (transfer.length_bytes <= part) return SIZE_MAX;
  if (!is_still_charged(transfer)) return SIZE_MAX;
  OpenFile& file = *transfer.file;
  const TryLock lock(file.lock, job.epoch);
  if (!lock) return SIZE_MAX;
  ask_details(file, transfer.fd);
  // Appends of several processes must not mix, and direct I/O must keep its alignment, so these calls stay whole.
  if (file.is_append || file.is_direct) return SIZE_MAX;
  const bool is_warm = transfer.kind == OpKind::read && trust.is_warm(job, *file.device);
  return is_warm && part < kWarmPartBytes ? kWarmPartBytes : part;
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
  trust.note_looked_at(*here, is_on_disk ? file->device : nullptr);
}

std::int64_t offset_at(const off64_t* offset) {
  off64_t value = 0;
  if (offset == nullptr || !read_caller(offset, &value, sizeof value) || value < 0) return kAtPointer;
  return value;
}

std::uint64_t copied_bytes_max(Job& job, const Transfer& from, std::uint64_t part) {
  if (!is_still_charged(from)) return waiting_bytes(from.fd, part);
  OpenFile& file = *from.file;
  const TryLock lock(file.lock, job.epoch);
  std::uint64_t offset_bytes = 0;
  if (!lock || !find_offset(from, &offset_bytes) || !refresh_size(file, from.fd)) return part;
  const std::uint64_t left = file.size_bytes > offset_bytes ? file.size_bytes - offset_bytes : 0;
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

}  // namespace discnice::guest
