// SPDX-License-Identifier: MIT
// options: reads a command line with CLI11 and gives every program the same manners.
//
// --help and --version go to stdout and end with success; anything wrong is one line on stderr and ends with
// kExitUsage; what was printed to stdout is checked to have arrived.
// CLI11's header takes a compiler seconds, so it is included by those who define options, with this one, and by nobody else.
//
//   int main(int argc, char** argv) {
//     gray::cli::set_program_name(argv[0]);
//     CLI::App app{"what it does"};
//     ...
//     if (const auto status = gray::cli::parse(app, argc, argv)) return *status;
//     return gray::cli::close_stdout(run());
//   }
#pragma once

#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace gray::cli {

/// "prog (Gray Toolbox) 0.1.0", with the name of diagnostics' program_name().
std::string version_text();

/// Adds --version (unless the program has defined it) and parses. Returns nothing when the program shall go
/// on, else the status it shall end with at once: stdout is then already written and checked. Does not throw
/// CLI11's parse errors; a wrong *definition* of options still throws, being a mistake of ours.
std::optional<int> parse(CLI::App& app, int argc, const char* const* argv);

/// The one line that says what CLI11 found wrong, without the program's name. For programs that parse on
/// their own.
std::string explain_parse_error(const CLI::ParseError& error);

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
