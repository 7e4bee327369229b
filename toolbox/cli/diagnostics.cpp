// SPDX-License-Identifier: MIT
#include "toolbox/cli/diagnostics.hpp"

#include <unistd.h>
#include <algorithm>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <system_error>

namespace gray::cli {
namespace {

constexpr std::string_view kClearLine = "\r\033[K";
constexpr unsigned char kFirstPrintable = 0x20;
constexpr unsigned char kDelete = 0x7f;
constexpr unsigned char kFirstNotAscii = 0x80;

std::string& stored_program_name() {
  static std::string name = "gray";
  return name;
}

// With a blank before it, or empty.
std::string& stored_subcommand() {
  static std::string name;
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

// How many bytes from here on are one character of UTF-8; 0 if they are not UTF-8.
std::size_t character_bytes(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  const std::size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;
  if (bytes == 0 || first > 0xf4 || text.size() < bytes) return 0;
  for (std::size_t i = 1; i < bytes; ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xc0U) != 0x80U) return 0;
  return bytes;
}

// Whether a terminal may take what begins here for a command: a control, one of the second set of controls (0x80 to 0x9f), in
// UTF-8 or as a bare byte, or a byte that is no text.
bool is_command(std::string_view text, std::size_t bytes) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < kFirstNotAscii) return first < kFirstPrintable || first == kDelete;
  return bytes == 0 || (first == 0xc2 && static_cast<unsigned char>(text[1]) < 0xa0);
}

std::string escaped(std::string_view text, bool is_backslash_doubled) {
  std::string shown;
  shown.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const std::string_view rest = text.substr(i);
    const bool is_ascii = static_cast<unsigned char>(rest[0]) < kFirstNotAscii;
    const std::size_t character = is_ascii ? 1 : character_bytes(rest);
    const std::size_t bytes = std::max<std::size_t>(character, 1);
    if (rest[0] == '\n') {
      shown += "\\n";
    } else if (rest[0] == '\t') {
      shown += "\\t";
    } else if (rest[0] == '\\' && is_backslash_doubled) {
      shown += "\\\\";
    } else if (is_command(rest, character)) {
      for (const char c : rest.substr(0, bytes))
        shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      shown += rest.substr(0, bytes);
    }
    i += bytes;
  }
  return shown;
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

void set_subcommand_name(std::string_view name) {
  stored_subcommand() = name.empty() ? "" : fmt::format(" {}", name);
}

std::string escape_controls(std::string_view text) {
  return escaped(text, true);
}

std::string printable(std::string_view text) {
  return escaped(text, false);
}

void write_diagnostic(std::string_view message) {
  const int kept_errno = errno;
  std::string line;
  if (is_progress_line_shown.exchange(false)) line += kClearLine;
  line += program_name() + ": ";
  line += printable(without_final_newlines(message));
  line += '\n';
  write_all(STDERR_FILENO, line);
  errno = kept_errno;
}

int fail_usage_text(std::string_view message) {
  std::string line = without_final_newlines(message);
  if (!line.empty() && line.back() == '.') line.pop_back();
  write_diagnostic(
      fmt::format("{}. Try '{}{} --help' for more information.", line, program_name(), stored_subcommand()));
  return kExitUsage;
}

std::string error_text(int error_number) {
  return std::generic_category().message(std::abs(error_number));
}

void set_progress_line_shown(bool is_shown) {
  is_progress_line_shown.store(is_shown);
}

}  // namespace gray::cli
