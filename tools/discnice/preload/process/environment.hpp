// SPDX-License-Identifier: MIT
// environment: the few variables for use without the launcher (with LD_PRELOAD alone), read strictly.
//
//   DISCNICE_RATE=5M          hold this program and its children to a rate
//   DISCNICE_POLICY=NAME      rate (the default with a rate), share, nice, idle, manners, unlimited
//   DISCNICE_LEDGER=on|off    correct predictions by the kernel's account (the default), or run the models alone
//   DISCNICE_BACKEND=NAME     auto, cachestat, mincore, nowait, timed, none: how cached pages are found
//   DISCNICE_CACHE=HOW        neutral, own=SIZE, shared, auto: what happens to pages brought into the page cache
//   DISCNICE_DISABLE=1        do nothing at all
//   DISCNICE_SEGMENT=NAME     set by the launcher: the job to join
//
// A bad value is reported in one line, and the program and its children run without a limit.
//
// Without the launcher, the first process appends the name of its job to DISCNICE_RATE (or to DISCNICE_POLICY, when there is no rate) in place
// ("5M,segment=NAME"), so that its children find the job. No new variable is needed, so neither the heap nor the array of
// pointers that main() already has is changed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tools/discnice/contract/grant.hpp"
#include "tools/discnice/protocol/layout.hpp"

namespace discnice::guest {

/// A part of a text in the environment. It is not terminated.
struct Text {
  const char* start = nullptr;
  std::size_t length = 0;
  explicit operator bool() const { return start != nullptr; }
};

struct Request {
  bool is_disabled = false;
  Text segment;  // the job to join
  bool has_rate = false;
  bool has_policy = false;  // a policy that needs no rate
  bool is_alone =
      false;  // the first process could make no shared segment: do not try again, and do not report it again
  Grant grant;
  protocol::JobOptions options{1, 0, 0};
  const char* complaint = nullptr;  // what is wrong and what would be right; null when nothing is wrong
  const char* bad_entry = nullptr;  // the variable that the complaint is about
};

/// Reads the variables from `environment`, the array that main() gets. Pure.
Request read_request(char* const* environment);

/// Replaces the entry of DISCNICE_RATE by "DISCNICE_RATE=<rate>,segment=<name>" in place. If there is no such entry, it does the same with DISCNICE_POLICY.
void announce_segment(char** environment, const char* name);

/// Makes an entry empty.
void silence_entry(const char* entry);

/// Makes all entries empty that request a limit. So the children neither repeat the message nor try again what the first process of their tree could not
/// do.
void silence_entries(char* const* environment);

}  // namespace discnice::guest
