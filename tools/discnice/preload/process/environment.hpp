// SPDX-License-Identifier: MIT
// environment: reads the few variables for use without the launcher (LD_PRELOAD). Wrong values are refused.
//
//   DISCNICE_RATE=5M          hold this program and its children to a rate
//   DISCNICE_POLICY=NAME      rate (the default with a rate), share, nice, idle, manners, unlimited
//   DISCNICE_LEDGER=on|off    settle predictions by the kernel's account (the default), or run the models alone
//   DISCNICE_BACKEND=NAME     auto, cachestat, mincore, nowait, timed, none: how cached pages are found
//   DISCNICE_CACHE=HOW        neutral, own=SIZE, shared, auto: what becomes of pages brought into the page cache
//   DISCNICE_DISABLE=1        do nothing at all
//   DISCNICE_SEGMENT=NAME     set by the launcher: the job to join
//
// A wrong value is reported in one line, and the program and its children run without a limit.
//
// Children find the job of a bare first process because its name is appended to DISCNICE_RATE (or to DISCNICE_POLICY, without a
// rate) in place ("5M,segment=NAME"): no new variable is needed, so neither the heap nor the array of pointers that main()
// already holds is touched.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tools/discnice/contract/grant.hpp"
#include "tools/discnice/protocol/layout.hpp"

namespace discnice::guest {

/// A part of the environment's text; it does not end in a zero byte.
struct Text {
  const char* start = nullptr;
  std::size_t length = 0;
  explicit operator bool() const { return start != nullptr; }
};

struct Request {
  bool is_disabled = false;
  Text segment;  // the job to join
  bool has_rate = false;
  bool has_policy = false;  // one that needs no rate
  bool is_alone = false;    // the first process could make no segment to share: don't try, don't say so again
  Grant grant;
  protocol::JobOptions options{1, 0, 0};
  const char* complaint = nullptr;  // what is wrong and what would be right; null when all is well
  const char* bad_entry = nullptr;  // the variable it is about
};

/// Reads the variables from `environment`, the array that main() gets. Pure.
Request read_request(char* const* environment);

/// Replaces the entry of DISCNICE_RATE by "DISCNICE_RATE=<rate>,segment=<name>" in place. If there is no such entry, it does the same with DISCNICE_POLICY.
void announce_segment(char** environment, const char* name);

/// Makes an entry empty.
void silence_entry(const char* entry);

/// Empties all entries that ask for a limit. So children do not report the error again, and do not do what the first process of their tree could not do.
void silence_entries(char* const* environment);

}  // namespace discnice::guest
