// SPDX-License-Identifier: MIT
#include "tools/discnice/transfer/smooth_writes.hpp"

#include <fcntl.h>
#include <sys/syscall.h>

#include "toolbox/base/clock.hpp"
#include "toolbox/base/raw_sys.hpp"
#include "tools/discnice/descriptor/file_locks.hpp"
#include "tools/discnice/kernel/cachestat.hpp"
#include "tools/discnice/kernel/disk_watch.hpp"
#include "tools/discnice/observe/recording.hpp"
#include "tools/discnice/outputs/disk_below.hpp"
#include "tools/discnice/outputs/disk_counters.hpp"
#include "tools/discnice/policy/lanes.hpp"
#include "tools/discnice/policy/registry.hpp"
#include "tools/discnice/policy/write_steps.hpp"
#include "tools/discnice/protocol/disk_words.hpp"
#include "tools/discnice/protocol/left_writes.hpp"
#include "tools/discnice/protocol/segment.hpp"
#include "tools/discnice/transfer/admission.hpp"
#include "tools/discnice/transfer/disk_flush.hpp"

namespace discnice::guest {
namespace {

using gray::base::is_raw_error;
using gray::base::monotonic_ns;
using gray::base::raw_syscall;

constexpr unsigned kStartWriting = 2;  // SYNC_FILE_RANGE_WRITE
constexpr std::uint64_t kSecondNs = 1'000'000'000;
constexpr std::uint64_t kBatchSteps = 24;
// Small files are sent when they are closed. After this many bytes the length of the disk's queue is read. While the queue is longer than allowed, the job waits. The allowed
// length adapts, so that emptying the queue takes no longer than one step.
constexpr std::uint64_t kQueueLookBytes = 256 * 1024;
constexpr std::uint32_t kQueueMax = 64;
constexpr std::uint32_t kQueueStep = 4;
constexpr std::uint64_t kQueueFeltNs = kSecondNs / policy::kWriteStepsPerSecond;
constexpr std::uint64_t kSmallFileBytesMin = 16 * 1024;  // the least that a file costs
// Unless the user requests smoothing, a job's first writes, up to this many bytes, are not smoothed. For a job with a rate these bytes are at most this part
// of the bytes of a second at the rate, because the kernel sends them in addition to the job's rate.
constexpr std::uint64_t kLeftAloneBytes = UINT64_C(1) << 20;
constexpr std::uint64_t kLeftAloneShare = 8;
// The longest time for which a write waits for an earlier step, and the time between two looks.
constexpr std::uint64_t kWaitMaxNs = 250'000'000;
constexpr std::uint64_t kLookAgainNs = 250'000;
constexpr std::uint32_t kLaterRequests = 1;  // on most disks a step is one request
constexpr unsigned kChunksMax = 64;          // of a file whose writes were not in order

std::atomic<std::uint64_t> written_bytes{0};    // by this process
std::atomic<std::uint64_t> turn_left_bytes{0};  // the rest of the turn that this process had
std::atomic<std::uint64_t> unflushed_bytes{0};  // sent since the disk's write cache was last emptied
std::atomic<std::uint32_t> queue_allowed{8};
std::atomic<std::uint64_t> queued_bytes{0};  // of small files, sent since the queue was last looked at

// How written data is brought to the disk.
struct Pace {
  std::uint64_t step_bytes;  // sent at once
  std::uint64_t due_bytes;   // up to this many bytes are left to the kernel
  bool gives_way;            // each step waits for the job's turn
  bool is_shared;            // other users use the disk now
};

bool does_give_way(const Grant& grant) {
  return policy::policy_by_id(grant.policy_id).hold != nullptr;
}

// The bytes that this process has written, and those that the job's ended processes have written. So a job of many short processes counts as one writer.
std::uint64_t written_by_job(const Job& job) {
  constexpr auto kWritten = static_cast<unsigned>(protocol::Counter::file_write_bytes);
  return written_bytes.load(std::memory_order_relaxed) +
         job.segment->left.value[kWritten].load(std::memory_order_relaxed);
}

std::uint64_t left_alone_bytes(const Grant& grant) {
  const std::uint64_t rate = policy::write_rate(grant);
  const std::uint64_t share = rate / kLeftAloneShare;
  return rate == 0 || share > kLeftAloneBytes ? kLeftAloneBytes : share;
}

bool is_wanted(const Job& job, const Grant& grant) {
  if (grant.smooth_writes == SmoothWrites::on) return true;
  if (grant.smooth_writes == SmoothWrites::off) return false;
  // Without a rate the writes need not be spread, and writing that is started early delays the fsync of other programs.
  return (does_give_way(grant) || policy::has_limit(grant)) && written_by_job(job) >= left_alone_bytes(grant);
}

std::uint64_t speed_of(const protocol::Disk* disk) {
  return disk == nullptr ? 0 : disk->write_bytes_per_s.load(std::memory_order_relaxed);
}

Pace pace_of(const Grant& grant, const protocol::Disk* disk) {
  const bool gives_way = does_give_way(grant);
  Pace pace{policy::step_bytes(grant, gives_way, speed_of(disk)), 0, gives_way, false};
  pace.is_shared = gives_way && is_disk_shared(disk, monotonic_ns());
  pace.due_bytes = pace.gives_way && !pace.is_shared ? kBatchSteps * pace.step_bytes : pace.step_bytes;
  return pace;
}

// The number of writes of all programs that are under way at the disk; 0 when no counter tells.
std::uint32_t writes_in_flight(const protocol::Disk* disk) {
  const std::uint64_t number = disk == nullptr ? 0 : disk->number.load(std::memory_order_relaxed);
  DiskSample sample;
  if (number == 0 || !outputs::read_disk_sample(number - 1, &sample)) return 0;
  return sample.in_flight > sample.reads_in_flight ? sample.in_flight - sample.reads_in_flight : 0;
}

// Whether the kernel is still writing a step. When the kernel does not count such pages, this is true while more requests are under way than `later`, the number that may
// belong to the next step.
bool is_being_written(int fd, const WriteStep& step, const protocol::Disk* disk, std::uint32_t later) {
  CachestatAnswer answer{};
  if (step.to_bytes <= step.from_bytes) return false;
  if (is_raw_error(ask_cachestat(fd, step.from_bytes, step.to_bytes - step.from_bytes, &answer)))
    return writes_in_flight(disk) > later;
  return answer.in_writeback != 0;
}

bool is_dirty(int fd, const WriteStep& step) {
  CachestatAnswer answer{};
  return is_raw_error(ask_cachestat(fd, step.from_bytes, step.to_bytes - step.from_bytes, &answer)) ||
         answer.dirty != 0;
}

// Waits until `is_over()` is true, but at most kWaitMaxNs. The write has already succeeded, so a signal only ends the waiting. Returns false after a signal.
template <typename IsOver>
bool wait_until(Job& job, throttle::SignalHold& signals, IsOver is_over) {
  const std::uint64_t start_ns = monotonic_ns();
  std::uint64_t now_ns = start_ns;
  bool is_interrupted = false;
  while (!is_interrupted && now_ns - start_ns < kWaitMaxNs && !is_over()) {
    signals.begin();
    is_interrupted = throttle::sleep_until(now_ns + kLookAgainNs, signals.program_mask()) != 0;
    now_ns = monotonic_ns();
  }
  if (now_ns != start_ns) protocol::add(*job.member, protocol::Counter::slept_ns, now_ns - start_ns);
  record_wait(job, start_ns, now_ns);
  return !is_interrupted;
}

void start_writing(int fd, const WriteStep& step) {
  raw_syscall(SYS_sync_file_range, fd, static_cast<long>(step.from_bytes),
              static_cast<long>(step.to_bytes - step.from_bytes), kStartWriting);
}

// The bytes written since the last step, from the end of that step to the file's position. When the writes were not in order, the whole file.
WriteStep unsent_part(int fd, const OpenFile& file, bool* is_in_order) {
  const long position = raw_syscall(SYS_lseek, fd, 0, SEEK_CUR);
  const std::uint64_t from = file.steps[0].to_bytes;
  const auto to = static_cast<std::uint64_t>(position);
  *is_in_order = !is_raw_error(position) && to > from && to - from <= 2 * file.unsent_bytes;
  return *is_in_order ? WriteStep{from, to} : WriteStep{0, file.size_bytes};
}

// Waits for the job's turn to send a step. Returns false when the step may not be sent now.
bool may_send(Job& job, protocol::Disk* disk, std::uint64_t bytes, throttle::SignalHold& signals) {
  if (disk == nullptr) return true;
  if (holds_fresh_lock(monotonic_ns())) return false;
  return wait_for_turn(job, disk, bytes, signals);
}

// Computes the disk's speed from the time that a batch took.
void learn_speed(protocol::Disk& disk, std::uint64_t bytes, std::uint64_t elapsed_ns) {
  if (bytes < 4 * policy::kWriteStepBytesMin || elapsed_ns < 1'000'000) return;
  __extension__ using Wide = unsigned __int128;
  const auto speed = static_cast<std::uint64_t>(static_cast<Wide>(bytes) * kSecondNs / elapsed_ns);
  const std::uint64_t before = disk.write_bytes_per_s.load(std::memory_order_relaxed);
  disk.write_bytes_per_s.store(before == 0 ? speed : before / 4 * 3 + speed / 4, std::memory_order_relaxed);
}

// Sends the written data step by step. Each step waits until the step before the previous one is on the disk. While others use the disk, each call sends one step, unless
// the file is about to be closed.
void send(Job& job, OpenFile& file, int fd, const Pace& pace, bool is_last, throttle::SignalHold& signals) {
  protocol::Disk* disk = pace.gives_way ? file.device->disk.load(std::memory_order_relaxed) : nullptr;
  bool is_in_order = false;
  const WriteStep part = unsent_part(fd, file, &is_in_order);
  std::uint64_t step_bytes = pace.step_bytes;
  if (!is_in_order && (part.to_bytes - part.from_bytes) / kChunksMax > step_bytes)
    step_bytes = (part.to_bytes - part.from_bytes) / kChunksMax;
  const std::uint64_t start_ns = monotonic_ns();
  bool is_speed = pace.gives_way && !pace.is_shared && is_in_order;
  std::uint64_t from = part.from_bytes;
  while (from < part.to_bytes) {
    const WriteStep step{from, from + step_bytes < part.to_bytes ? from + step_bytes : part.to_bytes};
    from = step.to_bytes;
    if (!is_in_order && !is_dirty(fd, step)) continue;
    if (pace.gives_way && !may_send(job, disk, step.to_bytes - step.from_bytes, signals)) {
      from = step.from_bytes;
      break;
    }
    wait_until(job, signals, [&] { return !is_being_written(fd, file.steps[1], disk, kLaterRequests); });
    start_writing(fd, step);
    file.steps[1] = file.steps[0];
    file.steps[0] = step;
    if (pace.gives_way && !is_last && is_disk_shared(disk, monotonic_ns())) {
      is_speed = false;
      break;
    }
  }
  if (disk != nullptr && is_speed && from == part.to_bytes) {
    for (const WriteStep& step : file.steps)
      wait_until(job, signals, [&] { return !is_being_written(fd, step, disk, 0); });
    const std::uint64_t sent = from - part.from_bytes;
    const std::uint64_t unflushed = unflushed_bytes.fetch_add(sent, std::memory_order_relaxed) + sent;
    if (unflushed >= pace.due_bytes) {
      unflushed_bytes.store(0, std::memory_order_relaxed);
      flush_after_batch(job, *disk, fd);
      learn_speed(*disk, sent, monotonic_ns() - start_ns);
    }
  }
  if (is_in_order || from == part.to_bytes) {
    file.unsent_bytes = part.to_bytes - from;
  } else {
    file.unsent_bytes /= 2;  // it is not known how much of it was in the steps that were sent
  }
}

// Waits until the disk's queue is short enough. The duration of the wait decides how long the queue may be the next time.
void wait_for_queue(Job& job, const protocol::Disk& disk, throttle::SignalHold& signals) {
  const std::uint64_t number = disk.number.load(std::memory_order_relaxed);
  const std::uint32_t allowed = queue_allowed.load(std::memory_order_relaxed);
  const std::uint64_t start_ns = monotonic_ns();
  wait_until(job, signals, [&] {
    DiskSample sample;
    return !outputs::read_disk_sample(number - 1, &sample) || sample.in_flight <= allowed;
  });
  const bool is_felt = monotonic_ns() - start_ns > kQueueFeltNs;
  const std::uint32_t next = is_felt ? allowed / 2 : allowed + kQueueStep;
  queue_allowed.store(next < 1 ? 1 : next > kQueueMax ? kQueueMax : next, std::memory_order_relaxed);
}

// Computes from the disk's counters how many of the job's written bytes are not on the disk yet.
bool look_at_left(Job& job, protocol::Disk& disk, const Grant& grant, std::uint64_t* left_bytes) {
  DiskActivity activity;
  if (!look_at_disk(job, disk, Looking::afresh, grant, monotonic_ns(), &activity)) return false;
  *left_bytes = activity.own_writes_awaited;
  return true;
}

void ask_for_left(Job& job, const protocol::Disk& disk, int fd) {
  std::uint64_t mount_id = 0;
  if (protocol::is_left_asked(*job.segment) || protocol::is_sending_left(*job.segment, disk, monotonic_ns()))
    return;
  if (outputs::find_mount_id(fd, &mount_id)) {
    protocol::ask_to_send_left(*job.segment, mount_id);
  } else {
    protocol::set_left_sender(*job.segment, false);  // the launcher cannot be told what to send
  }
}

// Asks the launcher to send the small files that were left to the kernel, and waits until few bytes are left. Returns false when others use the disk, or when
// the launcher does not send: it reports this, or the remaining bytes do not shrink during a whole wait (the launcher may be stopped).
bool wait_for_left(Job& job, protocol::Disk& disk, int fd, const Grant& grant, std::uint64_t most_bytes,
                   throttle::SignalHold& signals) {
  const std::uint64_t start_ns = monotonic_ns();
  std::uint64_t left_bytes = UINT64_MAX;
  std::uint64_t before_bytes = 0;
  bool is_shared = false;
  bool is_interrupted = false;
  do {
    before_bytes = left_bytes;
    is_interrupted = !wait_until(job, signals, [&] {
      is_shared = is_disk_shared(&disk, monotonic_ns());
      if (is_shared || !protocol::has_left_sender(*job.segment)) return true;
      if (look_at_left(job, disk, grant, &left_bytes) && left_bytes <= most_bytes) return true;
      ask_for_left(job, disk, fd);
      return false;
    });
    if (left_bytes <= most_bytes) return !is_shared;
    if (is_shared || is_interrupted) return false;
  } while (left_bytes < before_bytes && protocol::has_left_sender(*job.segment) &&
           monotonic_ns() - start_ns < protocol::kSendingLeftMaxNs);
  protocol::set_left_sender(*job.segment, false);
  return false;
}

// Whether the dirty data of a small file may stay with the kernel. It may while the total is small, or while the launcher sends such files.
bool may_leave(Job& job, const OpenFile& file, int fd, const Grant& grant, const Pace& pace,
               throttle::SignalHold& signals) {
  protocol::Disk& disk = *file.device->disk.load(std::memory_order_relaxed);
  const std::uint64_t most_bytes =
      policy::left_bytes_max(pace.step_bytes, protocol::quiet_ns(*job.segment, disk, monotonic_ns()));
  std::uint64_t left_bytes = 0;
  if (!look_at_left(job, disk, grant, &left_bytes)) return false;
  left_bytes += file.unsent_bytes;
  if (left_bytes <= most_bytes) return true;
  if (pace.is_shared || !protocol::has_left_sender(*job.segment)) return false;
  return wait_for_left(job, disk, fd, grant, most_bytes, signals);
}

// Sends a small file that is about to be closed, because this process cannot send it later. Returns false when the file was left to the kernel.
bool send_small(Job& job, OpenFile& file, int fd, const Grant& grant, const Pace& pace,
                throttle::SignalHold& signals) {
  protocol::Disk* disk = file.device->disk.load(std::memory_order_relaxed);
  if (disk != nullptr && may_leave(job, file, fd, grant, pace, signals)) return false;
  const std::uint64_t cost = file.unsent_bytes > kSmallFileBytesMin ? file.unsent_bytes : kSmallFileBytesMin;
  std::uint64_t left = turn_left_bytes.load(std::memory_order_relaxed);
  if (left < cost) {
    if (!may_send(job, disk, pace.step_bytes, signals)) return false;
    left = pace.step_bytes;
  }
  turn_left_bytes.store(left > cost ? left - cost : 0, std::memory_order_relaxed);
  start_writing(fd, {0, file.size_bytes});
  if (disk == nullptr || queued_bytes.fetch_add(cost, std::memory_order_relaxed) + cost < kQueueLookBytes)
    return true;
  queued_bytes.store(0, std::memory_order_relaxed);
  wait_for_queue(job, *disk, signals);
  return true;
}

}  // namespace

bool is_sent_in_steps(const Job& job, const Grant& grant, const OpenFile& file) {
  return !file.is_direct && !file.is_synchronous && !file.is_block_device && !file.device->is_served &&
         does_give_way(grant) && is_wanted(job, grant);
}

bool smooth_after_write(Job& job, OpenFile& file, int fd, std::uint64_t bytes,
                        throttle::SignalHold& signals) {
  written_bytes.fetch_add(bytes, std::memory_order_relaxed);
  if (file.is_direct || file.is_synchronous || file.is_block_device) return false;
  file.unsent_bytes += bytes;
  if (file.unsent_bytes < policy::kWriteStepBytesMin) return false;
  const Grant grant = protocol::load_grant(*job.segment);
  if (!is_wanted(job, grant)) return false;
  const Pace pace = pace_of(grant, file.device->disk.load(std::memory_order_relaxed));
  if (file.unsent_bytes < pace.due_bytes) return false;
  send(job, file, fd, pace, false, signals);
  return true;
}

bool is_sent_at_close(const Job& job, const OpenFile& file) {
  return !file.is_direct && !file.is_synchronous && !file.is_block_device && !file.device->is_served &&
         is_wanted(job, protocol::load_grant(*job.segment));
}

bool smooth_before_close(Job& job, OpenFile& file, int fd) {
  if (file.unsent_bytes == 0 || !is_sent_at_close(job, file)) return false;
  const Grant grant = protocol::load_grant(*job.segment);
  const Pace pace = pace_of(grant, file.device->disk.load(std::memory_order_relaxed));
  throttle::SignalHold signals;
  bool is_sent = true;
  if (!pace.gives_way) {
    start_writing(fd, {0, file.size_bytes});
  } else if (file.unsent_bytes >= policy::kWriteStepBytesMin) {
    send(job, file, fd, pace, true, signals);
  } else {
    is_sent = send_small(job, file, fd, grant, pace, signals);
  }
  file.unsent_bytes = 0;
  return is_sent;
}

}  // namespace discnice::guest
