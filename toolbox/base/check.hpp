// SPDX-License-Identifier: MIT
// check: GRAY_CHECK, for our own mistakes in code that runs inside somebody else's process.
//
// An assertion that aborts is right on the developer's desk and wrong in a stranger's program. A failed check
// traps in a build with assertions (NDEBUG not defined when toolbox/base was compiled); in a release it is
// counted, kept for a report, and false for the caller, who goes on the safe way:
//   if (!GRAY_CHECK(offset <= size)) return pass_through();
// What the world may do wrong (files, users, the kernel) is not checked so: it gets a Result.
#pragma once

#include <cstdint>

/// True when the condition holds; else counts the failure, or traps (see above), and is false.
#define GRAY_CHECK(condition) \
  (static_cast<bool>(condition) || ::gray::base::fail_check(#condition, __FILE_NAME__, __LINE__))

namespace gray::base {

/// A failed check: the text of the condition, the file without its folder and the line. Texts live as long as
/// the program.
struct FailedCheck {
  const char* condition;  // null: none failed
  const char* file;
  int line;
};

/// How many checks failed in this process. Any thread.
std::uint64_t failed_check_count();

/// The first check that failed in this process. Any thread; async-signal-safe.
FailedCheck first_failed_check();

/// What GRAY_CHECK calls. Always false. Async-signal-safe, keeps errno; prints only before it traps.
bool fail_check(const char* condition, const char* file, int line);

}  // namespace gray::base
