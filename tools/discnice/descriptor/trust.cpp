// SPDX-License-Identifier: MIT
#include "tools/discnice/descriptor/trust.hpp"

namespace discnice::guest {
namespace {

constexpr std::uint64_t kWarmBytesMin = 1024UL * 1024;

// A small file has no windows. This many small files in a row that were in memory count as much as two windows.
constexpr std::uint64_t kWarmFilesMin = 64;

// Files are alike when this many in a row lie on one device. Then kUnseenOpenings files are opened without a look.
constexpr std::uint32_t kAlikeMin = 16;
constexpr std::uint32_t kUnseenOpenings = 15;

// A program that reads an uncached file in order needs the disk once for each window, so two windows must be free. A program that announces such reading
// (POSIX_FADV_SEQUENTIAL, as cp and sha256sum do) has windows of twice the device's length.
std::uint64_t warm_bytes_min(const Device& device) {
  const std::uint64_t windows_bytes = 2 * 2 * device.limits.window_pages_max * kPageBytes;
  return windows_bytes > kWarmBytesMin ? windows_bytes : kWarmBytesMin;
}

// True when the account will show a mistake of trust, and neither verification nor a recording needs each call.
bool is_trust_allowed(const Job& job, const Device& device) {
  const protocol::JobOptions& options = job.segment->options;
  return device.is_ledger_kept && options.is_ledger_on != 0 && options.is_verifying == 0 &&
         options.recorded == 0;
}

}  // namespace

constinit Trust trust;

bool Trust::is_warm(const Job& job, const Device& device) const {
  return free_bytes_.load(std::memory_order_relaxed) >= warm_bytes_min(device) &&
         is_trust_allowed(job, device);
}

void Trust::note_free_file(const Device& device) {
  note_free_read(warm_bytes_min(device) / kWarmFilesMin);
}

void Trust::note_looked_at(const Job& job, Device* device) {
  const bool is_alike = device != nullptr && device == device_.load(std::memory_order_relaxed);
  const std::uint32_t alike = is_alike ? alike_.load(std::memory_order_relaxed) + 1 : 0;
  device_.store(device, std::memory_order_relaxed);
  alike_.store(alike < kAlikeMin ? alike : kAlikeMin, std::memory_order_relaxed);
  const bool are_next_unseen = alike >= kAlikeMin && is_warm(job, *device);
  openings_left_.store(are_next_unseen ? kUnseenOpenings : 0, std::memory_order_relaxed);
}

void Trust::begin_term(std::uint64_t ends_at_ns) {
  ends_at_ns_.store(ends_at_ns, std::memory_order_relaxed);
  end_term();
}

void Trust::end_term() {
  if (term_.fetch_add(1, std::memory_order_relaxed) == UINT32_MAX)
    term_.fetch_add(1, std::memory_order_relaxed);
}

void Trust::cool() {
  free_bytes_.store(0, std::memory_order_relaxed);
  openings_left_.store(0, std::memory_order_relaxed);
}

Trust::Counted Trust::take_counted() {
  if (counted_.load(std::memory_order_relaxed) == 0) return {0, 0};
  const std::uint64_t taken = counted_.exchange(0, std::memory_order_relaxed);
  return {taken >> kCallShift, taken & kBytesMask};
}

void Trust::forget() {
  end_term();
  counted_.store(0, std::memory_order_relaxed);
}

}  // namespace discnice::guest
