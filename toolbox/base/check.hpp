// SPDX-License-Identifier: MIT
// check: GRAY_CHECK, for our own mistakes in code that runs inside somebody else's process.
//
// An assertion that aborts is right on the developer's desk and wrong in a stranger's program. A failed check
// traps in a build with assertions (NDEBUG not defined when toolbox/base was compiled); in a release it is
// false for the caller, who goes on the safe way:
//   if (!GRAY_CHECK(offset <= size)) return pass_through();
// What the world may do wrong (files, users, the kernel) is not checked so: it gets a Result.
#pragma once

/// True when the condition holds; else traps (see above), or is false.
#define GRAY_CHECK(condition) \
  (static_cast<bool>(condition) || ::gray::base::fail_check(#condition, __FILE_NAME__, __LINE__))

namespace gray::base {

/// What GRAY_CHECK calls. Always false. Async-signal-safe, keeps errno; prints only before it traps.
bool fail_check(const char* condition, const char* file, int line);

}  // namespace gray::base
