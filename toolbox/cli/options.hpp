// SPDX-License-Identifier: MIT
// options: what every program does in the same way: it prints its version, ends, and checks that its output was written. The options themselves are defined in command_line.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace gray::cli {

/// "prog (Gray Toolbox) 0.1.0", with the name of diagnostics' program_name().
std::string version_text();

/// Writes help, a version or another ready text to stdout. Returns the status to end with.
[[nodiscard]] int print_and_close(std::string_view text);

/// Closes `stream`. Returns 0, or the negative errno of the first write that failed. If the descriptor of the stream was never open, this is an error only if something was
/// written to the stream.
int close_stream(std::FILE* stream);

/// Call this last, with the exit status of the program. It flushes and closes stdout. If not all output was written (full disk, closed pipe), it says so on stderr and returns
/// kExitSomeFailed instead of success.
[[nodiscard]] int close_stdout(int exit_status);

}  // namespace gray::cli
