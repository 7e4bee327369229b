// SPDX-License-Identifier: MIT
#include "tools/discnice/transfer/metadata.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "toolbox/base/clock.hpp"
#include "toolbox/base/raw_sys.hpp"
#include "tools/discnice/descriptor/file_locks.hpp"
#include "tools/discnice/descriptor/trust.hpp"
#include "tools/discnice/job/dirty_table.hpp"
#include "tools/discnice/job/try_lock.hpp"
#include "tools/discnice/kernel/account.hpp"
#include "tools/discnice/kernel/disks.hpp"
#include "tools/discnice/observe/recording.hpp"
#include "tools/discnice/policy/lanes.hpp"
#include "tools/discnice/policy/registry.hpp"
#include "tools/discnice/predictor/predictor.hpp"
#include "tools/discnice/protocol/segment.hpp"
#include "tools/discnice/transfer/admission.hpp"
#include "tools/discnice/transfer/own_cache.hpp"
#include "tools/discnice/transfer/prediction.hpp"
#include "tools/discnice/transfer/route.hpp"
#include "tools/discnice/transfer/smooth_writes.hpp"

namespace discnice::guest {
namespace {

using gray::base::is_raw_error;
using gray::base::monotonic_coarse_ns;
using gray::base::monotonic_ns;
using gray::base::raw_syscall;
using gray::base::word;

// A removal changes an inode and an entry of a folder (kRemovalBytes). It also changes one byte of bitmap or extents for every kRemovalShare bytes of the file.
constexpr std::uint64_t kRemovalBytes = 512;
constexpr std::uint64_t kRemovalShare = 1024;
constexpr std::uint64_t kSectorBytes = 512;  // the unit of st_blocks
// The part of a journal's commit that is charged to the program that requested the commit: the journal's blocks, and the seek
// to them.
constexpr std::uint64_t kSyncBytes = 64 * 1024;

void note_creation_outcome(Job& job, const Creation& made) {
  const ThreadAccount after = read_thread_account();
  const ThreadAccount booked{after.read_bytes - made.account_before.read_bytes,
                             after.write_bytes - made.account_before.write_bytes};
  if (is_verifying(job)) note_class_outcome(job, protocol::CallClass::create, 0, booked);
  record_outcome(job, 0, OpKind::create, protocol::CallClass::create, 0, booked, 0);
}

// A removal is charged only when the job has a limit, gives way or is paused.
bool does_charge_removals(const Job& job) {
  if (is_verifying(job)) return false;
  const Grant grant = protocol::load_grant(*job.segment);
  return (grant.flags & kPaused) != 0 || policy::policy_by_id(grant.policy_id).hold != nullptr ||
         policy::has_limit(grant);
}

// Charges the removal of `bytes` of a file: its metadata, which is more for a larger file.
void admit_removal(Job& job, std::uint64_t bytes) {
  if (!does_charge_removals(job)) return;
  throttle::SignalHold signals;
  admit(job, {.write_bytes = kRemovalBytes + bytes / kRemovalShare}, {last_disk()}, true, signals);
}

// The device of a folder. When no file of that device has been opened yet, the folder itself is opened for a moment.
Device* device_of_folder(const Job& job, int folder, const char* path, std::uint64_t number) {
  if (Device* known = known_device(number); known != nullptr) return known;
  const long fd = raw_syscall(SYS_openat, folder, word(path), O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
  if (is_raw_error(fd)) return nullptr;
  Device* device = device_of(*job.segment, static_cast<int>(fd), number);
  raw_syscall(SYS_close, fd);
  return device;
}

}  // namespace

void note_sent(Job& job, const OpenFile& file) {
  HeldTable table(job);
  if (table) table->regions.clear(file.id);
  if (table) record_operation(job, {OpKind::settle, file.id}, {}, monotonic_coarse_ns());
}

void note_folder(int fd) {
  Job* here = job();
  if (here == nullptr) return;
  if (policy::policy_by_id(protocol::load_grant(*here->segment).policy_id).hold == nullptr) return;
  struct stat status {};
  if (is_raw_error(raw_syscall(SYS_fstat, fd, word(&status)))) return;
  Device* device = device_of(*here->segment, fd, status.st_dev);
  if (device != nullptr && !device->is_free) disk_of(*here, *device);
}

Removal before_removal(int folder, const char* path) {
  Removal removal;
  Job* here = job();
  if (here == nullptr || path == nullptr || (!has_dirty_data(*here) && !does_charge_removals(*here)))
    return removal;
  struct stat status {};
  if (is_raw_error(raw_syscall(SYS_newfstatat, folder, word(path), word(&status), AT_SYMLINK_NOFOLLOW)))
    return removal;
  removal.is_known = S_ISREG(status.st_mode) && status.st_nlink == 1;
  removal.file = {status.st_dev, status.st_ino};
  if (removal.is_known) admit_removal(*here, static_cast<std::uint64_t>(status.st_blocks) * kSectorBytes);
  return removal;
}

void charge_creation(Job& job, const Creation& made) {
  if (made.device.is_free || made.device.inode_bytes == 0) return;
  if ((job.segment->options.disabled_models & protocol::kWithoutWrites) != 0) return;
  if (is_measured(job)) note_creation_outcome(job, made);
  const std::uint64_t now_ns = monotonic_coarse_ns();
  const IoOp op{OpKind::create, made.file, 0, made.device.inode_bytes, made.is_folder ? kPageBytes : 0};
  IoEstimate estimate;
  {
    HeldTable table(job);
    if (!table) return;
    estimate = predictor::estimate_creation(op, *table, now_ns);
    record_operation(job, op, estimate, now_ns);
  }
  if (is_verifying(job)) note_class_prediction(job, protocol::CallClass::create, estimate);
  if (estimate.write_bytes == 0) return;
  protocol::Disk* disk = disk_of(job, made.device);
  throttle::SignalHold signals;
  admit(job, estimate, {disk}, false, signals);
  note_metadata(job, estimate.write_bytes, disk);
}

void after_replacing(int folder, const char* path) {
  Job* here = job();
  struct stat status {};
  if (here == nullptr || !has_dirty_data(*here) ||
      is_raw_error(raw_syscall(SYS_newfstatat, folder, word(path), word(&status), AT_SYMLINK_NOFOLLOW)))
    return;
  const Device* device = known_device(status.st_dev);
  if (device == nullptr || !device->is_flushed_by_renaming) return;
  const FileId file{status.st_dev, status.st_ino};
  HeldTable table(*here);
  if (table) table->regions.clear(file);
  if (table) record_operation(*here, {OpKind::settle, file}, {}, monotonic_coarse_ns());
}

void after_folder_made(int folder, const char* path, const ThreadAccount& before) {
  Job* here = job();
  struct stat status {};
  if (here == nullptr || is_raw_error(raw_syscall(SYS_newfstatat, folder, word(path), word(&status), 0)))
    return;
  Device* device = device_of_folder(*here, folder, path, status.st_dev);
  if (device != nullptr) charge_creation(*here, {{status.st_dev, status.st_ino}, *device, true, before});
}

void before_truncation(int fd, std::uint64_t size_bytes) {
  Job* here = job();
  const OpenFile* file = here == nullptr ? nullptr : charged_file(*here, fd);
  struct stat status {};
  if (file == nullptr || is_raw_error(raw_syscall(SYS_fstat, fd, word(&status)))) return;
  const auto before_bytes = static_cast<std::uint64_t>(status.st_size);
  if (before_bytes > size_bytes) admit_removal(*here, before_bytes - size_bytes);
}

void after_removal(const Removal& removal, std::uint64_t offset_bytes) {
  Job* here = job();
  if (here == nullptr) return;
  if (removal.is_known) {
    HeldTable table(*here);
    const IoOp op{OpKind::remove, removal.file, offset_bytes, 0, 0, false};
    if (table) {
      const std::uint64_t now_ns = monotonic_coarse_ns();
      const IoEstimate saved = predictor::estimate_remove(op, table->regions, now_ns);
      refund(*here, saved.refund_bytes);
      record_operation(*here, op, saved, now_ns);
      if (is_verifying(*here)) note_class_prediction(*here, protocol::CallClass::remove, saved);
    }
  }
  settle_if_stale(*here);
}

void after_truncation(int fd, std::uint64_t size_bytes) {
  Job* here = job();
  if (here == nullptr) return;
  Removal removal;
  struct stat status {};
  if (has_dirty_data(*here) && !is_raw_error(raw_syscall(SYS_fstat, fd, word(&status)))) {
    removal.is_known = S_ISREG(status.st_mode);
    removal.file = {status.st_dev, status.st_ino};
  }
  after_removal(removal, size_bytes);
}

void before_sync(int fd) {
  Job* here = job();
  OpenFile* file = here == nullptr ? nullptr : charged_file(*here, fd);
  if (file == nullptr || is_verifying(*here)) return;
  protocol::Disk* disk = disk_of(*here, *file->device);
  if (disk == nullptr || policy::policy_by_id(protocol::load_grant(*here->segment).policy_id).hold == nullptr)
    return;
  throttle::SignalHold signals;
  if (!holds_fresh_lock(monotonic_ns())) wait_for_turn(*here, disk, kSyncBytes + file->unsent_bytes, signals);
  book_sync(*here, *disk);
}

void after_sync(int fd) {
  Job* here = job();
  if (here == nullptr) return;
  OpenFile* file = charged_file(*here, fd);
  if (file == nullptr) return;
  file->unsent_bytes = 0;
  if (protocol::Disk* disk = file->device->disk.load(std::memory_order_relaxed); disk != nullptr)
    book_sync(*here, *disk);
  note_sent(*here, *file);
  settle_if_stale(*here);
}

void send_before_close(int fd) {
  Job* here = job();
  OpenFile* file = here == nullptr ? nullptr : find_open_file(fd);
  if (file == nullptr || file->file_class.load(std::memory_order_acquire) != FileClass::charged) return;
  if (smooth_before_close(*here, *file, fd)) note_sent(*here, *file);
}

void after_range_removal(int fd, std::uint64_t offset_bytes, std::uint64_t length_bytes) {
  Job* here = job();
  OpenFile* file = here == nullptr ? nullptr : charged_file(*here, fd);
  if (file == nullptr) return;
  if (const TryLock lock(file->lock, here->epoch); lock) file->state.belief = predictor::Belief{};
  HeldTable table(*here);
  if (!table) return;
  const IoOp op{OpKind::remove, file->id, offset_bytes, length_bytes};
  const std::uint64_t now_ns = monotonic_coarse_ns();
  const IoEstimate saved = predictor::estimate_remove(op, table->regions, now_ns);
  refund(*here, saved.refund_bytes);
  record_operation(*here, op, saved, now_ns);
  if (is_verifying(*here)) note_class_prediction(*here, protocol::CallClass::remove, saved);
}

void after_range_sent(int fd, std::uint64_t offset_bytes, std::uint64_t length_bytes) {
  Job* here = job();
  const OpenFile* file = here == nullptr ? nullptr : charged_file(*here, fd);
  if (file == nullptr) return;
  HeldTable table(*here);
  if (!table) return;
  const IoOp op{OpKind::settle, file->id, offset_bytes, length_bytes};
  const std::uint64_t now_ns = monotonic_coarse_ns();
  predictor::note_sent(op, table->regions, now_ns);
  record_operation(*here, op, {}, now_ns);
}

void after_advice(int fd, int advice) {
  Job* here = job();
  OpenFile* file = here == nullptr ? nullptr : charged_file(*here, fd);
  if (file == nullptr) return;
  const TryLock lock(file->lock, here->epoch);
  if (!lock) return;
  predictor::FileState& state = file->state;
  const predictor::ReadaheadLimits& limits = file->device->limits;
  if (advice == POSIX_FADV_DONTNEED || advice == POSIX_FADV_NOREUSE || advice == POSIX_FADV_WILLNEED)
    leave_cache_to_program(*file);
  record_advice(*here, *file, fd, advice);
  switch (advice) {
    case POSIX_FADV_NORMAL:
      return predictor::advise(state.readahead, state.limits, limits, predictor::Advice::normal);
    case POSIX_FADV_SEQUENTIAL:
      return predictor::advise(state.readahead, state.limits, limits, predictor::Advice::sequential);
    case POSIX_FADV_RANDOM:
      return predictor::advise(state.readahead, state.limits, limits, predictor::Advice::random);
    case POSIX_FADV_DONTNEED:
      state.belief = predictor::Belief{};
      trust.cool();
      trust.end_term();
      return;
    default:
      settle(*here);  // WILLNEED reads at once; the kernel's account knows how many bytes
  }
}

}  // namespace discnice::guest
