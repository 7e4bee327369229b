// SPDX-License-Identifier: MIT
#include "toolbox/cli/options.hpp"

#include <stdio_ext.h>

#include <cerrno>
#include <iostream>

#include "toolbox/cli/diagnostics.hpp"

namespace gray::cli {

std::string version_text() {
  return program_name() + " (Gray Toolbox) " GRAY_VERSION;
}

int print_and_close(std::string_view text) {
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size()) return close_stdout(kExitSuccess);
  // The write of a text longer than stdio's buffer fails here, and stdio would not tell the reason later.
  write_diagnostic(
      fmt::format("cannot write to standard output: {}", error_text(errno != 0 ? -errno : -EIO)));
  return kExitSomeFailed;
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
  // stdio is flushed first, while errno still has the reason of a failure: flushing std::cout would also flush stdout, and hide the reason.
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
