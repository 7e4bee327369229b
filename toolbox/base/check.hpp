// SPDX-License-Identifier: MIT
// check: GRAY_CHECK, for mistakes of this project's code in code that runs inside somebody else's process.
//
// An assertion that aborts is right on the developer's desk and wrong in a stranger's program. A failed check
// traps in a build with assertions (NDEBUG not defined when toolbox/base was compiled); in a release it returns false, and the caller takes the safe way:
//   if (!GRAY_CHECK(offset <= size)) return pass_through();
// Faults from outside (files, users, the kernel) are not checked in this way: they are reported by a Result.
#pragma once

/// True if the condition holds. Otherwise it traps (see above), or is false.
#define GRAY_CHECK(condition) \
  (static_cast<bool>(condition) || ::gray::base::fail_check(#condition, __FILE_NAME__, __LINE__))

namespace gray::base {

/// The function that GRAY_CHECK calls. Always returns false. Async-signal-safe, keeps errno, and prints only before it traps.
bool fail_check(const char* condition, const char* file, int line);

}  // namespace gray::base
