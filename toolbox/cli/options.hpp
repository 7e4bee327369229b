// SPDX-License-Identifier: MIT
// options: how every program prints its version, checks that its output was written, and ends. The options themselves are defined with command_line.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace gray::cli {

/// "prog (Gray Toolbox) 0.1.0", with the name of diagnostics' program_name().
std::string version_text();

/// Writes help, a version or another ready text to stdout. Returns the status to end with.
[[nodiscard]] int print_and_close(std::string_view text);

/// Closes `stream` and returns 0, or the negative errno of the first write that failed. A stream whose descriptor was never open is an error only if something was written to it.
int close_stream(std::FILE* stream);

/// Call this last, with the status with which the program would end. Flushes and closes stdout. If a part of the output could not be written (full disk, closed pipe), it prints
/// a message on stderr and returns kExitSomeFailed instead of
/// success.
[[nodiscard]] int close_stdout(int exit_status);

}  // namespace gray::cli
