// SPDX-License-Identifier: MIT
#include "tools/memnice/report.hpp"

#include <nlohmann/json.hpp>

#include <fmt/core.h>

#include "toolbox/cli/diagnostics.hpp"
#include "toolbox/cli/quantities.hpp"

namespace memnice {
namespace {

using gray::cli::format_bytes;

std::string duration(std::uint64_t time_ns) {
  return gray::cli::format_duration_ns(static_cast<double>(time_ns));
}

nlohmann::ordered_json known(std::uint64_t bytes, std::uint64_t unknown) {
  if (bytes == unknown) return nullptr;
  return bytes;
}

}  // namespace

std::string line_of(const Course& course, const std::string& means, std::uint64_t time_ns) {
  if (course.most_bytes == 0) return duration(time_ns) + "; it was too short to be seen";
  std::string text = fmt::format("{}; it had {} at most", duration(time_ns), format_bytes(course.most_bytes));
  if (course.needs_bytes != 0) text += fmt::format(" and works with {}", format_bytes(course.needs_bytes));
  if (course.held_ns == 0 && course.pauses == 0) return text + "; there was room all the time";
  if (course.held_ns != 0)
    text += fmt::format("; held for {}, to {} at least, by {}", duration(course.held_ns),
                        format_bytes(course.least_bytes), gray::cli::printable(means));
  if (course.pauses != 0)
    text += fmt::format("; stood still {} time{}, {}", course.pauses, course.pauses == 1 ? "" : "s",
                        duration(course.paused_ns));
  return text;
}

std::string json_of(const Course& course, const std::string& means, std::uint64_t time_ns) {
  const nlohmann::ordered_json report = {{"time_ns", time_ns},
                                         {"means", gray::cli::printable(means)},
                                         {"most_bytes", course.most_bytes},
                                         {"needs_bytes", known(course.needs_bytes, 0)},
                                         {"held_ns", course.held_ns},
                                         {"least_limit_bytes", known(course.least_bytes, kUnlimited)},
                                         {"paused_ns", course.paused_ns},
                                         {"pauses", course.pauses}};
  return report.dump(2) + "\n";
}

}  // namespace memnice
