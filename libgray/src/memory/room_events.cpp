// SPDX-License-Identifier: MIT
#include "libgray/src/memory/room_events.hpp"

#include <algorithm>
#include <string>

#include "libgray/src/memory/account_text.hpp"
#include "libgray/src/memory/pressure.hpp"
#include "toolbox/base/units.hpp"

namespace gray::memory {
namespace {

// The least change of the expected use before a new event is requested.
constexpr std::uint64_t kDriftBytes = base::kMiB;
constexpr std::uint64_t kPauseAfterEventNs =
    10'000'000;  // a pause, because memory comes back in many parts, and cache comes and goes

}  // namespace

RoomEvents::RoomEvents(const Claims& claims, const HostAccounts& accounts, bool is_pressure_wanted) {
  const auto watch = claims.watch();
  if (!watch) return;
  sources_.push_back({watch.value(), true});
  if (!is_pressure_wanted) return;
  if (const auto pressure = open_pressure(accounts)) sources_.push_back(pressure.value());
}

RoomEvents::~RoomEvents() {
  for (const os::EventSource& source : sources_) os::close_event(source);
  if (usage_.fd >= 0) os::close_event(usage_);
}

bool RoomEvents::expect(const std::vector<Pool>& pools, std::uint64_t bytes) {
  const auto tightest = std::min_element(
      pools.begin(), pools.end(), [](const Pool& a, const Pool& b) { return a.room_bytes < b.room_bytes; });
  if (tightest == pools.end() || tightest->kind != PoolKind::group) return false;
  const auto missing = static_cast<std::int64_t>(bytes) - tightest->room_bytes;
  // There is enough free memory, but it is promised to other processes with claims. These processes announce when
  // they give memory back.
  if (missing <= 0) return true;
  const std::string file = tightest->name + "/memory.usage_in_bytes";
  std::string text;
  if (os::read_text(file, text) != 0) return false;
  const std::uint64_t used_bytes = parse_amount(text).value_or(0);
  const std::uint64_t goal_bytes = used_bytes - std::min(used_bytes, static_cast<std::uint64_t>(missing));
  const std::uint64_t drift_bytes =
      std::max(goal_bytes, expected_bytes_) - std::min(goal_bytes, expected_bytes_);
  if (usage_.fd >= 0 && expected_group_ == tightest->name && drift_bytes < kDriftBytes) return true;
  if (usage_.fd >= 0) os::close_event(usage_);
  usage_.fd = os::open_group_event(file, std::to_string(goal_bytes)).value_or(-1);
  expected_bytes_ = goal_bytes;
  expected_group_ = tightest->name;
  return usage_.fd >= 0;
}

void RoomEvents::wait(std::uint64_t timeout_ns) {
  std::vector<os::EventSource> all = sources_;
  if (usage_.fd >= 0) all.push_back(usage_);
  const std::uint64_t end_ns = os::now_ns() + timeout_ns;
  const int told = os::wait_for_events(all.data(), all.size(), timeout_ns);
  const std::uint64_t now_ns = os::now_ns();
  if (told > 0 && now_ns < end_ns) os::pause_ns(std::min(kPauseAfterEventNs, end_ns - now_ns));
}

}  // namespace gray::memory
