// SPDX-License-Identifier: MIT
#include "toolbox/cli/options.hpp"

#include <stdio_ext.h>
#include <CLI/CLI.hpp>

#include <cerrno>
#include <iostream>

#include "toolbox/cli/diagnostics.hpp"

namespace gray::cli {

std::string version_text() {
  return program_name() + " (Gray Toolbox) " GRAY_VERSION;
}

std::string explain_parse_error(const CLI::ParseError& error) {
  std::string text = error.what();
  // CLI11 names the unexpected arguments after a colon; the first words are long-winded and plural or not.
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    const std::size_t colon = text.find(": ");
    if (colon != std::string::npos) return "unexpected argument: " + text.substr(colon + 2);
  }
  for (char& c : text) {
    if (c == '\n') c = ' ';
  }
  return text;
}

std::optional<int> parse(CLI::App& app, int argc, const char* const* argv) {
  if (app.get_version_ptr() == nullptr) {
    app.set_version_flag("--version", version_text(), "Print the version and exit");
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return print_and_close(app.help());
  } catch (const CLI::CallForAllHelp&) {
    return print_and_close(app.help("", CLI::AppFormatMode::All));
  } catch (const CLI::CallForVersion&) {
    return print_and_close(version_text() + "\n");
  } catch (const CLI::ParseError& error) {
    return fail_usage_text(explain_parse_error(error));
  }
  return std::nullopt;
}

int print_and_close(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  return close_stdout(kExitSuccess);
}

int close_stream(std::FILE* stream) {
  const bool has_pending = __fpending(stream) > 0;
  const bool had_error = std::ferror(stream) != 0;
  errno = 0;
  if (std::fclose(stream) != 0) {
    const bool was_never_open = errno == EBADF && !has_pending && !had_error;
    return was_never_open ? 0 : -(errno != 0 ? errno : EIO);
  }
  return had_error ? -EIO : 0;  // stdio keeps the fact of an earlier error, not its number
}

int close_stdout(int exit_status) {
  // stdio first, while errno still says what went wrong: flushing std::cout would flush stdout unseen.
  errno = 0;
  int error = std::fflush(stdout) == 0 ? 0 : -(errno != 0 ? errno : EIO);
  std::cout.flush();
  const bool has_stream_failed = !std::cout;
  const int close_error = close_stream(stdout);
  if (error == 0) error = close_error;
  if (error == 0 && has_stream_failed) error = -EIO;
  if (error == 0) return exit_status;
  write_diagnostic(fmt::format("cannot write to standard output: {}", error_text(error)));
  return exit_status == kExitSuccess ? kExitSomeFailed : exit_status;
}

}  // namespace gray::cli
