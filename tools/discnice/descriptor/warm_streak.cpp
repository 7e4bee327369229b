// SPDX-License-Identifier: MIT
#include "tools/discnice/descriptor/warm_streak.hpp"

#include <atomic>

namespace discnice::shim {
namespace {

using detail::assumed_left;
using detail::made_left;

constexpr std::uint64_t kStreakBytesMin = 1024UL * 1024;

// A small file has no windows: that each of so many in a row was there says as much.
constexpr std::uint64_t kStreakFilesMin = 64;

// Read without the disk since it was last needed. Of this process; a race between threads costs a prediction more or less.
std::atomic<std::uint64_t> free_bytes{0};
std::atomic<bool> has_looked_ahead{false};  // since then
std::atomic<bool> has_part{false};          // in the job's streak, since then
std::atomic<bool> is_told{false};           // that it is one

// The device of the files looked at last, how many of these in a row were charged, and how many may be assumed to be so from here on: once it
// has been asked whether there is a streak these are detail::assumed_left.
constexpr std::uint32_t kAlikeMin = 16;
constexpr std::uint32_t kAssumedMax = 63;
std::atomic<Device*> device_seen{nullptr};
std::atomic<std::uint32_t> alike_seen{0};
std::atomic<std::uint32_t> assumed_next{0};
// The same of files made in memory, of which detail::made_left may be assumed.
std::atomic<std::uint32_t> made_in_memory{0};
std::atomic<std::uint32_t> made_next{0};

// A sequential reader of a cold file needs the disk once a window: a streak has to be longer than two of them. One who says that he reads in
// order (POSIX_FADV_SEQUENTIAL, as cp and sha256sum do) has windows of twice the device's length.
std::uint64_t streak_bytes_min(const Device& device) {
  const std::uint64_t windows_bytes = 2 * 2 * device.limits.window_pages_max * kPageBytes;
  return windows_bytes > kStreakBytesMin ? windows_bytes : kStreakBytesMin;
}

// One fewer than were looked at in a row: the longer they were alike, the more.
std::uint32_t assumed_after(std::uint32_t looked_at) {
  return looked_at > kAssumedMax ? kAssumedMax : looked_at - (looked_at != 0 ? 1 : 0);
}

// The account will show what was not looked at, and nobody asks for each call.
bool may_assume(const Job& job) {
  const protocol::JobOptions& options = job.segment->options;
  return options.is_ledger_on != 0 && options.is_verifying == 0 && options.recorded == 0;
}

bool is_in_warm_streak(const Job& job, const Device& device) {
  return free_bytes.load(std::memory_order_relaxed) >= streak_bytes_min(device) && device.is_ledger_kept &&
         may_assume(job);
}

}  // namespace

constinit std::atomic<std::uint32_t> detail::assumed_left{0};
constinit std::atomic<std::uint32_t> detail::made_left{0};
constinit std::atomic<bool> detail::has_begun{false};

bool is_in_warm_streak(const Job& job, const OpenFile& file) {
  return is_in_warm_streak(job, *file.device);
}

bool is_assumed_warm(const Job& job, OpenFile& file, std::uint64_t length_bytes) {
  if (!file.was_opened.load(std::memory_order_relaxed)) return false;
  if (!are_files_alike() || length_bytes > kAssumedBytesMax) return false;
  const Device* device = device_seen.load(std::memory_order_relaxed);
  if (device == nullptr || !is_in_warm_streak(job, *device)) return false;
  if (file.assumed_bytes.load(std::memory_order_relaxed) != 0) return takes_assumed(file, length_bytes);
  std::uint32_t left = assumed_left.load(std::memory_order_relaxed);
  if (left == 0) left = assumed_next.exchange(0, std::memory_order_relaxed);
  if (left == 0) return false;  // this one is looked at
  assumed_left.store(left - 1, std::memory_order_relaxed);
  return takes_assumed(file, length_bytes);
}

void go_on_assuming() {
  assumed_left.store(assumed_next.exchange(0, std::memory_order_relaxed), std::memory_order_relaxed);
}

bool are_files_alike() {
  return alike_seen.load(std::memory_order_relaxed) >= kAlikeMin;
}

bool is_assumed_in_memory(const Job& job) {
  if (made_in_memory.load(std::memory_order_relaxed) < kAlikeMin || !may_assume(job)) return false;
  std::uint32_t left = made_left.load(std::memory_order_relaxed);
  if (left == 0) left = made_next.exchange(0, std::memory_order_relaxed);
  if (left == 0) return false;  // this one is looked at
  made_left.store(left - 1, std::memory_order_relaxed);
  return true;
}

void note_made(bool is_in_memory) {
  const std::uint32_t alike = is_in_memory ? made_in_memory.load(std::memory_order_relaxed) + 1 : 0;
  made_in_memory.store(alike, std::memory_order_relaxed);
  made_left.store(0, std::memory_order_relaxed);
  made_next.store(assumed_after(alike), std::memory_order_relaxed);
}

void end_assuming_in_memory() {
  made_in_memory.store(0, std::memory_order_relaxed);
  made_left.store(0, std::memory_order_relaxed);
}

void note_class(Device* device) {
  const bool is_alike = device != nullptr && device == device_seen.load(std::memory_order_relaxed);
  const std::uint32_t alike = is_alike ? alike_seen.load(std::memory_order_relaxed) + 1 : 0;
  alike_seen.store(alike, std::memory_order_relaxed);
  device_seen.store(device, std::memory_order_relaxed);
  assumed_left.store(0, std::memory_order_relaxed);
  assumed_next.store(assumed_after(alike), std::memory_order_relaxed);
}

void note_free_read(std::uint64_t bytes) {
  free_bytes.fetch_add(bytes, std::memory_order_relaxed);
}

void note_free_file(const Device& device) {
  free_bytes.fetch_add(streak_bytes_min(device) / kStreakFilesMin, std::memory_order_relaxed);
}

std::uint64_t take_missing_for_streak(const Job& job, const Device& device) {
  const std::uint64_t had_bytes = free_bytes.load(std::memory_order_relaxed);
  const std::uint64_t wanted_bytes = streak_bytes_min(device);
  if (had_bytes < kLookAheadBytesMin || had_bytes >= wanted_bytes || !device.is_ledger_kept ||
      !may_assume(job))
    return 0;
  if (has_looked_ahead.load(std::memory_order_relaxed)) return 0;
  has_looked_ahead.store(true, std::memory_order_relaxed);
  return wanted_bytes - had_bytes;
}

void share_streak(const Job& job, const Device& device) {
  if (!device.is_ledger_kept || !may_assume(job) || is_told.load(std::memory_order_relaxed)) return;
  protocol::Segment& segment = *job.segment;
  const bool is_same = segment.warm_device.load(std::memory_order_relaxed) == device.number + 1;
  // More than a streak takes is of no use, and may be a wrong byte.
  const std::uint64_t streak_bytes = streak_bytes_min(device);
  const std::uint64_t told_bytes = is_same ? segment.warm_bytes.load(std::memory_order_relaxed) : 0;
  const std::uint64_t job_bytes = told_bytes < streak_bytes ? told_bytes : streak_bytes;
  const bool is_first = !detail::has_begun.exchange(true, std::memory_order_relaxed);
  const std::uint64_t taken_bytes = is_first ? job_bytes : 0;
  const std::uint64_t own_bytes = free_bytes.fetch_add(taken_bytes, std::memory_order_relaxed) + taken_bytes;
  if (own_bytes == 0) return;
  if (own_bytes >= streak_bytes) {
    is_told.store(true, std::memory_order_relaxed);
    if (is_first) {
      alike_seen.store(kAlikeMin, std::memory_order_relaxed);
      assumed_next.store(assumed_after(kAlikeMin), std::memory_order_relaxed);
    }
  }
  has_part.store(true, std::memory_order_relaxed);
  if (own_bytes <= job_bytes) return;
  segment.warm_bytes.store(own_bytes, std::memory_order_relaxed);
  segment.warm_device.store(device.number + 1, std::memory_order_relaxed);
}

void end_warm_streak(const Job& job) {
  if (has_part.exchange(false, std::memory_order_relaxed))
    job.segment->warm_device.store(0, std::memory_order_relaxed);
  is_told.store(false, std::memory_order_relaxed);
  has_looked_ahead.store(false, std::memory_order_relaxed);
  free_bytes.store(0, std::memory_order_relaxed);
  assumed_left.store(0, std::memory_order_relaxed);
}

}  // namespace discnice::shim
