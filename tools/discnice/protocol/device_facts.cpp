// SPDX-License-Identifier: MIT
#include "tools/discnice/protocol/device_facts.hpp"

namespace discnice::protocol {
namespace {

// The limits are in one word, so that a reader gets them by one load.
constexpr unsigned kRequestShift = 24;
constexpr unsigned kFolioShift = 48;
constexpr std::uint64_t kPagesMask = (UINT64_C(1) << kRequestShift) - 1;

bool is_plausible(const DeviceFacts& facts) {
  return facts.window_pages <= kFactPagesMost && facts.request_pages <= kFactPagesMost &&
         facts.folio_order <= kFactFolioOrderMost;
}

}  // namespace

bool load_device_facts(const Segment& segment, std::uint64_t number, std::uint64_t now_ns,
                       DeviceFacts* facts) {
  for (const KnownDevice& known : segment.devices) {
    if (known.number.load(std::memory_order_relaxed) != number + 1) continue;
    const std::uint64_t learned_ns = known.learned_at_ns.load(std::memory_order_acquire);  // pairs with store
    if (learned_ns == 0 || learned_ns > now_ns || now_ns - learned_ns > kFactsMaxNs) return false;
    const std::uint64_t limits = known.limits.load(std::memory_order_relaxed);
    *facts = {limits & kPagesMask, limits >> kRequestShift & kPagesMask,
              static_cast<std::uint32_t>(limits >> kFolioShift), known.disk.load(std::memory_order_relaxed)};
    return is_plausible(*facts);
  }
  return false;
}

void store_device_facts(Segment& segment, std::uint64_t number, std::uint64_t now_ns,
                        const DeviceFacts& facts) {
  if (!is_plausible(facts)) return;
  for (KnownDevice& known : segment.devices) {
    std::uint64_t owner = 0;
    if (!known.number.compare_exchange_strong(owner, number + 1, std::memory_order_relaxed) &&
        owner != number + 1)
      continue;
    known.limits.store(facts.window_pages | facts.request_pages << kRequestShift |
                           std::uint64_t{facts.folio_order} << kFolioShift,
                       std::memory_order_relaxed);
    known.disk.store(facts.disk, std::memory_order_relaxed);
    known.learned_at_ns.store(now_ns, std::memory_order_release);  // pairs with load
    return;
  }
}

void store_device_disk(Segment& segment, std::uint64_t number, std::uint64_t disk) {
  for (KnownDevice& known : segment.devices) {
    if (known.number.load(std::memory_order_relaxed) == number + 1)
      return known.disk.store(disk, std::memory_order_relaxed);
  }
}

}  // namespace discnice::protocol
