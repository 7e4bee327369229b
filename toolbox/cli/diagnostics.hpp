// SPDX-License-Identifier: MIT
// diagnostics: how a program reports an error to a person, and with which exit status it ends.
//
// One problem is one line on stderr, "prog: message", written by a single write(2) so that lines of several
// processes do not mix. Control characters in the message (a file name may hold a newline) are shown escaped.
// Results go to stdout. All messages of this module go to stderr.
#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>
#include <utility>

namespace gray::cli {

inline constexpr int kExitSuccess = 0;
inline constexpr int kExitSomeFailed = 1;      ///< Some input failed; the rest was done.
inline constexpr int kExitUsage = 2;           ///< The command line was wrong; nothing was done.
inline constexpr int kExitToolFailed = 125;    ///< A launcher failed before its program was started.
inline constexpr int kExitCannotInvoke = 126;  ///< The program to launch exists but cannot be run.
inline constexpr int kExitNotFound = 127;      ///< The program to launch does not exist.

/// Sets the name that is printed before each message: the last component of argv[0]. Call it first in main().
/// A null or empty text leaves the name as it is. Not thread-safe: before threads are started.
void set_program_name(const char* argv0);

/// The name that was set, or "gray" before that. Owned by this module, valid until the next set_program_name().
const std::string& program_name();

/// The sub-command that the command line names; the hint of fail_usage() points to the help of that sub-command. Not thread-safe: before threads are started.
void set_subcommand_name(std::string_view name);

/// `text` in which backslashes, and all bytes that a terminal could take for a command, are escaped as \n, \t, \\ or \xHH: control
/// characters (newline and tab among them), those from U+0080 to U+009F, and bytes that are not UTF-8. Any thread.
std::string escape_controls(std::string_view text);

/// As escape_controls(), but single backslashes stay. The text is for a person and cannot be read back. Every name that is printed for a person goes through this function. Any
/// thread.
std::string printable(std::string_view text);

/// Writes "prog: message" and a newline to stderr, after clearing a progress line if one is shown.
/// A failure to write is ignored, because it cannot be reported. errno is kept. Any thread.
void write_diagnostic(std::string_view message);

/// Reports an error of one input. The caller continues, and ends with kExitSomeFailed.
template <typename... Args>
void warn(fmt::format_string<Args...> format, Args&&... args) {
  write_diagnostic(fmt::format(format, std::forward<Args>(args)...));
}

/// Prints why the program ends, and returns `exit_status` so that main() can read `return fail(...)`.
template <typename... Args>
[[nodiscard]] int fail(int exit_status, fmt::format_string<Args...> format, Args&&... args) {
  write_diagnostic(fmt::format(format, std::forward<Args>(args)...));
  return exit_status;
}

/// Same as fail(), for a wrong command line. Adds a hint at --help (of the sub-command, if there is one) on the same line, and returns kExitUsage.
[[nodiscard]] int fail_usage_text(std::string_view message);

template <typename... Args>
[[nodiscard]] int fail_usage(fmt::format_string<Args...> format, Args&&... args) {
  return fail_usage_text(fmt::format(format, std::forward<Args>(args)...));
}

/// The text of an errno value, given positive or negative ("No such file or directory"). Any thread.
std::string error_text(int error_number);

/// Used only by toolbox/cli/progress: whether the terminal shows an unfinished progress line.
void set_progress_line_shown(bool is_shown);

}  // namespace gray::cli
