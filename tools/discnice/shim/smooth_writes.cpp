// SPDX-License-Identifier: MIT
#include "tools/discnice/shim/smooth_writes.hpp"

#include <fcntl.h>
#include <sys/syscall.h>

#include "toolbox/base/clock.hpp"
#include "toolbox/base/raw_sys.hpp"
#include "tools/discnice/policy/lanes.hpp"
#include "tools/discnice/protocol/segment.hpp"
#include "tools/discnice/shim/cachestat.hpp"

namespace discnice::shim {
namespace {

using gray::base::is_raw_error;
using gray::base::monotonic_ns;
using gray::base::raw_syscall;

constexpr unsigned kStartWriting = 2;  // SYNC_FILE_RANGE_WRITE
// A step of a job whose rate says nothing else: a hundredth of a second of an ordinary disk.
constexpr std::uint64_t kStepBytes = UINT64_C(1) << 20;
constexpr std::uint64_t kStepBytesMin = 256 * 1024;
constexpr std::uint64_t kStepBytesMax = UINT64_C(4) << 20;
constexpr std::uint64_t kStepsPerSecond = 10;
// Before it, a process's writes are left alone unless smoothing is asked for.
constexpr std::uint64_t kLeftAloneBytes = UINT64_C(1) << 20;
// How long a write may wait for an earlier step, and how often it looks.
constexpr std::uint64_t kWaitMaxNs = 250'000'000;
constexpr std::uint64_t kLookNs = 1'000'000;

std::atomic<std::uint64_t> written_bytes{0};  // of this process

bool is_wanted(const Grant& grant) {
  if (grant.smooth_writes == SmoothWrites::on) return true;
  if (grant.smooth_writes == SmoothWrites::off) return false;
  // Without a rate there is none for the disk to see, and what is started early delays other programs' fsync.
  return policy::has_limit(grant) && written_bytes.load(std::memory_order_relaxed) >= kLeftAloneBytes;
}

std::uint64_t step_bytes(const Grant& grant) {
  std::uint64_t rate = grant.rate_bytes_per_s;
  if (grant.write_rate_bytes_per_s != 0 && (rate == 0 || grant.write_rate_bytes_per_s < rate))
    rate = grant.write_rate_bytes_per_s;
  if (rate == 0) return kStepBytes;
  const std::uint64_t paced = rate / kStepsPerSecond;
  if (paced < kStepBytesMin) return kStepBytesMin;
  return paced > kStepBytesMax ? kStepBytesMax : paced;
}

bool is_being_written(int fd, const WriteStep& step) {
  CachestatAnswer answer{};
  return step.to_bytes > step.from_bytes &&
         !is_raw_error(ask_cachestat(fd, step.from_bytes, step.to_bytes - step.from_bytes, &answer)) &&
         answer.in_writeback != 0;
}

// The write has succeeded already, so a signal only ends the waiting.
void wait_for_step(int fd, const WriteStep& step, Job& job, throttle::SignalHold& signals) {
  const std::uint64_t start_ns = monotonic_ns();
  std::uint64_t now_ns = start_ns;
  while (now_ns - start_ns < kWaitMaxNs && is_being_written(fd, step)) {
    signals.begin();
    if (throttle::sleep_until(now_ns + kLookNs, signals.program_mask()) != 0) break;
    now_ns = monotonic_ns();
  }
  if (now_ns != start_ns) protocol::add(*job.member, protocol::Counter::slept_ns, now_ns - start_ns);
}

void start_writing(int fd, const WriteStep& step) {
  raw_syscall(SYS_sync_file_range, fd, static_cast<long>(step.from_bytes),
              static_cast<long>(step.to_bytes - step.from_bytes), kStartWriting);
}

// What was written since the last step: from its end to where the file now stands; of a file written here and there, all of it.
WriteStep step_up_to(int fd, const OpenFile& file) {
  const long position = raw_syscall(SYS_lseek, fd, 0, SEEK_CUR);
  const std::uint64_t from = file.steps[0].to_bytes;
  const auto to = static_cast<std::uint64_t>(position);
  if (is_raw_error(position) || to <= from || to - from > 2 * file.unsent_bytes) return {0, file.size_bytes};
  return {from, to};
}

}  // namespace

bool smooth_after_write(Job& job, OpenFile& file, int fd, std::uint64_t bytes,
                        throttle::SignalHold& signals) {
  written_bytes.fetch_add(bytes, std::memory_order_relaxed);
  if (file.is_direct || file.is_synchronous || file.is_block_device) return false;
  file.unsent_bytes += bytes;
  if (file.unsent_bytes < kStepBytesMin) return false;
  const Grant grant = protocol::load_grant(*job.segment);
  if (file.unsent_bytes < step_bytes(grant) || !is_wanted(grant)) return false;
  const WriteStep step = step_up_to(fd, file);
  wait_for_step(fd, file.steps[1], job, signals);
  start_writing(fd, step);
  file.steps[1] = file.steps[0];
  file.steps[0] = step;
  file.unsent_bytes = 0;
  return true;
}

void smooth_before_close(int fd) {
  Job* here = job();
  OpenFile* file = here == nullptr ? nullptr : find_open_file(fd);
  if (file == nullptr || file->file_class.load(std::memory_order_acquire) != FileClass::charged) return;
  if (file->unsent_bytes == 0 || !is_wanted(protocol::load_grant(*here->segment))) return;
  start_writing(fd, {0, file->size_bytes});
  file->unsent_bytes = 0;
}

}  // namespace discnice::shim
