// SPDX-License-Identifier: MIT
#include "toolbox/cli/diagnostics.hpp"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <system_error>

namespace gray::cli {
namespace {

constexpr std::string_view kClearLine = "\r\033[K";
constexpr unsigned char kFirstPrintable = 0x20;
constexpr unsigned char kDelete = 0x7f;

std::string& stored_program_name() {
  static std::string name = "gray";
  return name;
}

std::atomic<bool> is_progress_line_shown{false};

void write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

std::string without_final_newlines(std::string_view text) {
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  return std::string(text);
}

}  // namespace

void set_program_name(const char* argv0) {
  if (argv0 == nullptr) return;
  const std::string_view path = argv0;
  const std::size_t slash = path.rfind('/');
  const std::string_view last = slash == std::string_view::npos ? path : path.substr(slash + 1);
  if (!last.empty()) stored_program_name() = last;
}

const std::string& program_name() {
  return stored_program_name();
}

std::string escape_controls(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      escaped += "\\n";
    } else if (c == '\t') {
      escaped += "\\t";
    } else if (c == '\\') {
      escaped += "\\\\";
    } else if (byte < kFirstPrintable || byte == kDelete) {
      escaped += fmt::format("\\x{:02x}", byte);
    } else {
      escaped += c;
    }
  }
  return escaped;
}

void write_diagnostic(std::string_view message) {
  const int kept_errno = errno;
  std::string line;
  if (is_progress_line_shown.exchange(false)) line += kClearLine;
  line += program_name() + ": ";
  // Backslashes stay single here: a person reads this line, no program does.
  for (const char c : without_final_newlines(message)) {
    line += c == '\\' ? std::string("\\") : escape_controls(std::string_view(&c, 1));
  }
  line += '\n';
  write_all(STDERR_FILENO, line);
  errno = kept_errno;
}

int fail_usage_text(std::string_view message) {
  std::string line = without_final_newlines(message);
  if (!line.empty() && line.back() == '.') line.pop_back();
  write_diagnostic(fmt::format("{}. Try '{} --help' for more information.", line, program_name()));
  return kExitUsage;
}

std::string error_text(int error_number) {
  return std::generic_category().message(std::abs(error_number));
}

void set_progress_line_shown(bool is_shown) {
  is_progress_line_shown.store(is_shown);
}

}  // namespace gray::cli
