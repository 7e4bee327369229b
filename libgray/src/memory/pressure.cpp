// SPDX-License-Identifier: MIT
#include "libgray/src/memory/pressure.hpp"

#include <cerrno>
namespace gray::memory {
namespace {

// Fires when some task waited for memory for 100 ms within 2 s. Without privilege the window must be a multiple of 2 s.
constexpr char kTrigger[] = "some 100000 2000000";

}  // namespace

base::Result<os::EventSource> open_pressure(const HostAccounts& accounts) {
  if (accounts.is_version_2()) {
    const std::string file = accounts.group_file("memory.pressure");
    const auto trigger =
        file.empty() ? base::Result<int>::failure(-ENOENT) : os::open_trigger(file, kTrigger);
    if (trigger) return os::EventSource{trigger.value(), false};
  } else {
    // memory.pressure_level cannot be read, so it is found beside memory.stat, which can.
    const std::string stat = accounts.group_file("memory.stat");
    const std::string level = stat.substr(0, stat.rfind('/') + 1) + "memory.pressure_level";
    const auto event =
        stat.empty() ? base::Result<int>::failure(-ENOENT) : os::open_group_event(level, "medium");
    if (event) return os::EventSource{event.value(), true};
  }
  const auto trigger = os::open_trigger("/proc/pressure/memory", kTrigger);
  if (trigger) return os::EventSource{trigger.value(), false};
  return base::Result<os::EventSource>::failure(-ENOTSUP);
}

}  // namespace gray::memory
