// SPDX-License-Identifier: MIT
// options: the manners of every program: how it tells its version and ends, and that what it printed has arrived. Its options are
// command_line's.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace gray::cli {

/// "prog (Gray Toolbox) 0.1.0", with the name of diagnostics' program_name().
std::string version_text();

/// Writes help, a version or another ready text to stdout. Returns the status to end with.
[[nodiscard]] int print_and_close(std::string_view text);

/// Closes `stream` and returns 0, or the negative errno of the first write that failed. A stream whose
/// descriptor was never open is no error as long as nothing was written to it.
int close_stream(std::FILE* stream);

/// Call last, with the status the program would end with: flushes and closes stdout. If what was printed did
/// not all arrive (full disk, closed pipe) it says so on stderr and returns kExitSomeFailed instead of
/// success.
[[nodiscard]] int close_stdout(int exit_status);

}  // namespace gray::cli
