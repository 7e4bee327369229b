// SPDX-License-Identifier: MIT
#include "tools/discnice/shim/warm_streak.hpp"

#include <atomic>

namespace discnice::shim {
namespace {

constexpr std::uint64_t kStreakBytesMin = 1024UL * 1024;

// Read without the disk since it was last needed. Of this process; a race between threads costs a prediction more or less.
std::atomic<std::uint64_t> free_bytes{0};

// A sequential reader of a cold file needs the disk once a window: a streak has to be longer than two of them.
std::uint64_t streak_bytes_min(const OpenFile& file) {
  const std::uint64_t windows_bytes = 2 * file.device->limits.window_pages_max * kPageBytes;
  return windows_bytes > kStreakBytesMin ? windows_bytes : kStreakBytesMin;
}

}  // namespace

bool is_in_warm_streak(const Job& job, const OpenFile& file) {
  return free_bytes.load(std::memory_order_relaxed) >= streak_bytes_min(file) &&
         file.device->is_ledger_kept && job.segment->options.is_ledger_on != 0 &&
         job.segment->options.is_verifying == 0 && job.segment->options.recorded == 0;
}

void note_free_read(std::uint64_t bytes) {
  free_bytes.fetch_add(bytes, std::memory_order_relaxed);
}

void end_warm_streak() {
  free_bytes.store(0, std::memory_order_relaxed);
}

}  // namespace discnice::shim
