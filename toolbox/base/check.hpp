// SPDX-License-Identifier: MIT
// check: GRAY_CHECK, an assertion for mistakes of this project in code that runs inside the program that loads the library.
//
// An assertion that aborts is right while a developer tests, and wrong in a user's program. A failed check traps in a build with assertions (NDEBUG not defined when toolbox/base
// was compiled). In a release build a failed check is false, and the caller takes the safe way:
#pragma once

/// True when the condition holds. Otherwise it traps (see above) or is false.
#define GRAY_CHECK(condition) \
  (static_cast<bool>(condition) || ::gray::base::fail_check(#condition, __FILE_NAME__, __LINE__))

namespace gray::base {

/// The function that GRAY_CHECK calls. Always returns false. The function is async-signal-safe, keeps errno, and prints
/// only before it traps.
bool fail_check(const char* condition, const char* file, int line);

}  // namespace gray::base
