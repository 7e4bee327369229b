// SPDX-License-Identifier: MIT
#include "tools/discnice/preload/process/environment.hpp"

#include <cstring>
#include <initializer_list>

#include "toolbox/base/units.hpp"
#include "tools/discnice/kernel/residency.hpp"
#include "tools/discnice/policy/registry.hpp"
#include "tools/discnice/protocol/segment.hpp"

namespace discnice::guest {
namespace {

constexpr char kRateVariable[] = "DISCNICE_RATE";
constexpr char kPolicyVariable[] = "DISCNICE_POLICY";
constexpr char kCacheVariable[] = "DISCNICE_CACHE";
constexpr char kSegmentMark[] = ",segment=";
constexpr char kNoSegment[] = "none";

// The length is enough for any rate that a person writes, together with a segment name. A longer entry stays unchanged.
char rate_entry[160];

bool is_text(Text text, const char* word) {
  return text.length == std::strlen(word) && std::memcmp(text.start, word, text.length) == 0;
}

// The value of "NAME=value" when `entry` is that variable, else an empty text.
Text value_of(const char* entry, const char* name) {
  const std::size_t length = std::strlen(name);
  if (std::strncmp(entry, name, length) != 0 || entry[length] != '=') return {};
  return {entry + length + 1, std::strlen(entry + length + 1)};
}

void complain(Request& request, const char* entry, const char* complaint) {
  request.complaint = complaint;
  request.bad_entry = entry;
}

// Removes ",segment=NAME" from a value and notes the name.
void take_segment(Request& request, Text& value) {
  const char* mark = std::strstr(value.start, kSegmentMark);
  if (mark == nullptr) return;
  const char* name = mark + sizeof kSegmentMark - 1;
  const Text segment{name, std::strlen(name)};
  if (is_text(segment, kNoSegment)) {
    request.is_alone = true;
  } else if (!request.segment) {
    request.segment = segment;
  }
  value.length = static_cast<std::size_t>(mark - value.start);
}

void read_rate(Request& request, const char* entry, Text value) {
  if (value.length == 0) return;  // silenced, or set to nothing: no limit
  take_segment(request, value);
  const auto rate = gray::base::parse_rate_bytes_per_s(value.start, value.length);
  if (!rate)
    return complain(request, entry, "is not a rate: write 5M or 5MiB (1024), 5MB/s (1000) or 40Mbit");
  if (gray::base::is_unit_forgotten(value.start, value.length, rate.value()))
    return complain(request, entry, "is some bytes a second: write 5M for 5 MiB/s, or 5B if that is meant");
  request.has_rate = true;
  request.grant.rate_bytes_per_s = rate.value();
}

void read_policy(Request& request, const char* entry, Text value) {
  take_segment(request, value);
  const int id = policy::policy_id_by_name(value.start, value.length);
  if (id < 0)
    return complain(request, entry, "is not a policy: write rate, share, nice, idle, manners or unlimited");
  request.has_policy = true;
  request.grant.policy_id = static_cast<std::uint32_t>(id);
}

void read_ledger(Request& request, const char* entry, Text value) {
  if (is_text(value, "off")) {
    request.options.is_ledger_on = 0;
  } else if (!is_text(value, "on")) {
    complain(request, entry, "is neither on nor off");
  }
}

// This code lies apart from the code that a start uses (start_order.ld), because few programs are started with these variables.
#define DISCNICE_SELDOM_READ __attribute__((noinline, section("seldom_text")))

DISCNICE_SELDOM_READ void read_backend(Request& request, const char* entry, Text value) {
  static constexpr const char* kNames[] = {"auto", "cachestat", "mincore", "nowait", "timed", "none"};
  for (std::uint32_t i = 0; i < sizeof kNames / sizeof kNames[0]; ++i) {
    if (!is_text(value, kNames[i])) continue;
    request.options.cache_backend = i;
    return;
  }
  complain(request, entry, "is not a backend: write auto, cachestat, mincore, nowait, timed or none");
}

DISCNICE_SELDOM_READ void read_cache(Request& request, const char* entry, Text value) {
  constexpr char kOwn[] = "own=";
  constexpr std::size_t kOwnLength = sizeof kOwn - 1;
  if (is_text(value, "neutral")) {
    request.grant.cache = CacheUse::neutral;
  } else if (is_text(value, "shared")) {
    request.grant.cache = CacheUse::shared;
  } else if (value.length > kOwnLength && std::memcmp(value.start, kOwn, kOwnLength) == 0) {
    const auto size = gray::base::parse_bytes(value.start + kOwnLength, value.length - kOwnLength);
    if (!size) return complain(request, entry, "names no size: write own=200M");
    request.grant.cache = CacheUse::own;
    request.grant.own_cache_bytes = size.value();
  } else if (!is_text(value, "auto")) {
    complain(request, entry, "is none of neutral, own=SIZE, shared, auto");
  }
}

void read_entry(Request& request, const char* entry) {
  if (const Text disable = value_of(entry, "DISCNICE_DISABLE"); disable) {
    request.is_disabled = disable.length != 0 && !is_text(disable, "0");
  } else if (const Text segment = value_of(entry, protocol::kSegmentVariable);
             segment && segment.length != 0) {
    request.segment = segment;
  } else if (const Text rate = value_of(entry, kRateVariable); rate) {
    read_rate(request, entry, rate);
  } else if (const Text policy = value_of(entry, kPolicyVariable); policy && policy.length != 0) {
    read_policy(request, entry, policy);
  } else if (const Text ledger = value_of(entry, "DISCNICE_LEDGER"); ledger && ledger.length != 0) {
    read_ledger(request, entry, ledger);
  } else if (const Text backend = value_of(entry, "DISCNICE_BACKEND"); backend && backend.length != 0) {
    read_backend(request, entry, backend);
  } else if (const Text cache = value_of(entry, kCacheVariable); cache && cache.length != 0) {
    read_cache(request, entry, cache);
  }
}

const char* find_entry(char* const* environment, const char* name) {
  for (char* const* entry = environment; entry != nullptr && *entry != nullptr; ++entry) {
    const Text value = value_of(*entry, name);
    if (value && value.length != 0) return *entry;
  }
  return nullptr;
}

// Finds errors that concern two entries: a setting that needs another setting, or that contradicts another setting.
void judge_together(Request& request, char* const* environment) {
  if (find_entry(environment, protocol::kSegmentVariable) != nullptr)
    request.complaint = nullptr;  // the launcher's job has all settings
  if (request.segment || request.complaint != nullptr) return;
  const policy::Policy& policy = policy::policy_by_id(request.grant.policy_id);
  if (request.has_policy && policy.needs_rate && !request.has_rate) {
    request.has_policy = false;
    return complain(request, find_entry(environment, kPolicyVariable),
                    "needs a rate: set DISCNICE_RATE=5M as well");
  }
  if (request.grant.policy_id == policy::kUnlimitedId && request.has_rate)
    return complain(request, find_entry(environment, kRateVariable),
                    "is no part of DISCNICE_POLICY=unlimited: leave out one of them");
  if (request.has_policy || request.has_rate) return;
  for (const char* name : {"DISCNICE_LEDGER", "DISCNICE_BACKEND", kCacheVariable}) {
    const char* entry = find_entry(environment, name);
    if (entry != nullptr)
      return complain(request, entry,
                      "has no effect alone: set DISCNICE_RATE=5M or DISCNICE_POLICY=nice as well");
  }
}

bool announce_segment_in(char** environment, const char* variable, const char* name) {
  for (char** entry = environment; entry != nullptr && *entry != nullptr; ++entry) {
    const Text value = value_of(*entry, variable);
    if (!value || value.length == 0) continue;
    const char* mark = std::strstr(value.start, kSegmentMark);
    const std::size_t kept = mark == nullptr ? std::strlen(*entry) : static_cast<std::size_t>(mark - *entry);
    const char* shown = name == nullptr ? kNoSegment : name;
    if (kept + sizeof kSegmentMark + std::strlen(shown) > sizeof rate_entry) return true;
    std::memmove(rate_entry, *entry, kept);
    std::memcpy(rate_entry + kept, kSegmentMark, sizeof kSegmentMark - 1);
    std::strcpy(rate_entry + kept + sizeof kSegmentMark - 1, shown);
    *entry = rate_entry;
    return true;
  }
  return false;
}

}  // namespace

Request read_request(char* const* environment) {
  Request request;
  request.grant.policy_id = policy::kRateWindowId;
  for (char* const* entry = environment; entry != nullptr && *entry != nullptr; ++entry) {
    if (std::strncmp(*entry, "DISCNICE_", 9) == 0) read_entry(request, *entry);
  }
  judge_together(request, environment);
  return request;
}

void announce_segment(char** environment, const char* name) {
  if (!announce_segment_in(environment, kRateVariable, name))
    announce_segment_in(environment, kPolicyVariable, name);
}

void silence_entry(const char* entry) {
  char* value = const_cast<char*>(std::strchr(entry, '='));  // the environment is the process's own memory
  if (value != nullptr) value[1] = '\0';
}

void silence_entries(char* const* environment) {
  for (char* const* entry = environment; entry != nullptr && *entry != nullptr; ++entry) {
    for (const char* name : {kRateVariable, kPolicyVariable, "DISCNICE_LEDGER", "DISCNICE_BACKEND",
                             kCacheVariable, protocol::kSegmentVariable}) {
      if (value_of(*entry, name)) silence_entry(*entry);
    }
  }
}

}  // namespace discnice::guest
