// SPDX-License-Identifier: MIT
#include "toolbox/cli/progress.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>

#include "toolbox/base/clock.hpp"
#include "toolbox/base/units.hpp"
#include "toolbox/cli/diagnostics.hpp"

namespace gray::cli {
namespace {

// Work shorter than this shows no line, because a line that vanishes at once only distracts.
constexpr std::uint64_t kSilentStartNs = 500 * base::kNanosecondsPerMillisecond;

// Ten redraws a second look continuous, and are little data on a slow line.
constexpr std::uint64_t kRedrawIntervalNs = 100 * base::kNanosecondsPerMillisecond;

void write_line(int fd, const std::string& text) {
  // When the terminal does not accept the line, one redraw is lost. The work itself goes on.
  [[maybe_unused]] const ssize_t written = ::write(fd, text.data(), text.size());
}

}  // namespace

Progress::Progress(std::string what, std::uint64_t total, int fd)
    : Progress(std::move(what), total, fd, ::isatty(fd) == 1, base::monotonic_coarse_ns()) {}

Progress::Progress(std::string what, std::uint64_t total, int fd, bool is_terminal, std::uint64_t start_ns)
    : what_(std::move(what)),
      total_(total),
      fd_(fd),
      is_terminal_(is_terminal),
      next_draw_ns_(start_ns + kSilentStartNs) {}

Progress::~Progress() {
  finish();
}

void Progress::set(std::uint64_t done) {
  if (is_terminal_) set_at(done, base::monotonic_coarse_ns());
}

void Progress::set_at(std::uint64_t done, std::uint64_t now_ns) {
  if (!is_terminal_ || now_ns < next_draw_ns_) return;
  next_draw_ns_ = now_ns + kRedrawIntervalNs;
  draw(done);
}

void Progress::draw(std::uint64_t done) {
  std::string text = fmt::format("\r{}: {}", escape_controls(what_), done);
  if (total_ > 0) {
    const double percent = 100.0 * static_cast<double>(std::min(done, total_)) / static_cast<double>(total_);
    text += fmt::format(" of {} ({:.0f}%)", total_, percent);
  }
  write_line(fd_, text + "\033[K");
  is_shown_ = true;
  set_progress_line_shown(true);
}

void Progress::finish() {
  if (!is_shown_) return;
  write_line(fd_, "\r\033[K");
  is_shown_ = false;
  set_progress_line_shown(false);
}

}  // namespace gray::cli
