// SPDX-License-Identifier: MIT
// schedule: decides which limit is in force at which time of the week.
//
//   Mon-Fri 09:00-18:00 2M, Sat 10:00-12:00 idle, else nice
//
// Entries are separated by commas; each has days (one, or a range that may pass Sunday), hours (a range that may pass midnight), or
// both, and then a rate, the name of a policy that needs no rate, or `pause`. Behind that `net` and a limit of the network (net_limits.hpp) may
// follow:
//
//   Mon-Fri 09:00-18:00 2M net 500K, else nice net up=1M down=4M
//
// The first entry that fits the time is used. `else` fits at any time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tools/discnice/contract/grant.hpp"
#include "tools/discnice/policy/net_limits.hpp"

namespace discnice::policy {

inline constexpr unsigned kScheduleEntriesMax = 16;
inline constexpr unsigned kDayMinutes = 24 * 60;

struct ScheduleEntry {
  unsigned first_day = 0;  // 0 is Monday
  unsigned last_day = 6;
  unsigned from_minute = 0;  // of the day
  unsigned to_minute = kDayMinutes;
  std::uint32_t policy_id = 0;
  std::uint64_t rate_bytes_per_s = 0;
  bool is_pause = false;
  bool has_net = false;  // else the network is held as at other times
  NetLimits net;
};

struct Schedule {
  ScheduleEntry entries[kScheduleEntriesMax];
  unsigned count = 0;
  const char* problem = nullptr;     // what is wrong; null: nothing
  std::size_t problem_position = 0;  // in the text
};

/// Reads a schedule. Pure.
Schedule parse_schedule(const char* text, std::size_t length);

/// The entry that is valid on `day` (0 is Monday) at `minute` of the day, or null if there is none. Pure.
const ScheduleEntry* active_entry(const Schedule& schedule, unsigned day, unsigned minute);

/// Whether each time of the week has an entry that fits. Pure.
bool is_always_said(const Schedule& schedule);

/// The grant while the entry is in force: `grant` with the policy, the rate and the network limit of the entry. Pure.
Grant scheduled(const Grant& grant, const ScheduleEntry* entry);

}  // namespace discnice::policy
