// SPDX-License-Identifier: MIT
#include "tools/discnice/cli/job_page.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/core.h>
#include <sys/sysmacros.h>

#include "toolbox/cli/quantities.hpp"
#include "toolbox/html/bars.hpp"
#include "toolbox/html/chart.hpp"
#include "toolbox/html/document.hpp"
#include "tools/discnice/policy/registry.hpp"

namespace discnice::cli {
namespace {

using gray::cli::format_bytes;
using gray::cli::format_duration_ns;
using gray::cli::format_rate;
using gray::html::BarRow;
using gray::html::Chart;
using gray::html::escape;
using gray::html::Mark;
using gray::html::Point;
using gray::html::Quantity;
using gray::html::section;
using gray::html::Shape;

constexpr std::size_t kSpansShown = 150;
// A call moves all its bytes at once. A span is long enough for some of the largest calls, so that a steady rate looks steady.
constexpr double kCallsInSpan = 4;
constexpr std::size_t kFilesShown = 20;
constexpr std::size_t kFunctionsShown = 20;
constexpr std::size_t kStacksShown = 5;
constexpr const char* kClassNames[protocol::kCallClassCount] = {"read", "write", "copy", "remove", "create"};

std::string duration_text(std::uint64_t duration_ns) {
  return format_duration_ns(static_cast<double>(duration_ns));
}

// Returns the predicted writes less the refunds.
std::uint64_t predicted_writes(const DiskBytes& bytes) {
  return bytes.predicted_write - std::min(bytes.refunded, bytes.predicted_write);
}

std::string error_text(std::uint64_t predicted, std::uint64_t counted) {
  if (counted == 0) return predicted == 0 ? "0.0 %" : "-";
  const double percent = 100 * (static_cast<double>(predicted) / static_cast<double>(counted) - 1);
  return std::abs(percent) < 0.05 ? "0.0 %" : fmt::format("{:+.1f} %", percent);
}

// The course of a job over time, in spans that are wide enough to be seen.
struct Course {
  double span_ns = 0;
  std::vector<HistorySpan> spans;
};

Course course_of(const JobHistory& history, std::uint64_t rate_bytes_per_s) {
  double wanted_ns = static_cast<double>(history.duration_ns) / kSpansShown;
  if (rate_bytes_per_s != 0) {
    const double call_ns =
        1e9 * static_cast<double>(history.largest_bytes) / static_cast<double>(rate_bytes_per_s);
    wanted_ns =
        std::max(wanted_ns, std::min(kCallsInSpan * call_ns, static_cast<double>(history.duration_ns) / 8));
  }
  const auto stride = std::max<std::size_t>(
      1, static_cast<std::size_t>(
             wanted_ns / static_cast<double>(std::max<std::uint64_t>(history.span_ns, 1)) + 1));
  Course course{static_cast<double>(stride) * static_cast<double>(history.span_ns), {}};
  for (std::size_t i = 0; i < history.spans.size(); ++i) {
    if (i % stride == 0) course.spans.emplace_back();
    course.spans.back().bytes += history.spans[i].bytes;
    course.spans.back().waited_ns += history.spans[i].waited_ns;
  }
  return course;
}

// Makes one step of each span, with the height `value`. A last point closes the steps at the end of the last span.
template <typename Value>
std::vector<Point> steps_of(const Course& course, Value value) {
  std::vector<Point> points;
  for (std::size_t i = 0; i < course.spans.size(); ++i)
    points.push_back({static_cast<double>(i) * course.span_ns, value(course.spans[i])});
  if (!points.empty()) points.push_back({static_cast<double>(course.spans.size()) * course.span_ns, 0});
  return points;
}

template <typename Value>
std::vector<Point> sums_of(const Course& course, Value value) {
  std::vector<Point> points{{0, 0}};
  double sum = 0;
  for (std::size_t i = 0; i < course.spans.size(); ++i) {
    sum += static_cast<double>(value(course.spans[i].bytes));
    points.push_back({static_cast<double>(i + 1) * course.span_ns, sum});
  }
  return points;
}

std::string limit_text(const protocol::RecordFileHeader& header) {
  const policy::Policy& policy = policy::policy_by_id(header.policy_id);
  if (header.rate_bytes_per_s == 0) return fmt::format("policy {} ({})", policy.name, policy.summary);
  return fmt::format("policy {}, {}", policy.name, format_rate(static_cast<double>(header.rate_bytes_per_s)));
}

std::string tiles_of(const JobHistory& history) {
  const DiskBytes all = history.all();
  return gray::html::tiles(
      {{duration_text(history.duration_ns), "from its first call to its last"},
       {format_bytes(all.kernel_read), "read from disk"},
       {format_bytes(all.kernel_write), "written to disk"},
       {duration_text(history.waited_ns), "waited, all processes together"},
       {std::to_string(history.processes), history.processes == 1 ? "process" : "processes"}});
}

std::string traffic_section(const protocol::RecordFileHeader& header, const Course& course) {
  const double span_s = course.span_ns / 1e9;
  Chart chart{
      "Disk traffic over time", Shape::steps, Quantity::time_ns, Quantity::bytes_per_s, false, false, {}};
  const auto reads = [&](const HistorySpan& span) {
    return static_cast<double>(span.bytes.kernel_read) / span_s;
  };
  const auto writes = [&](const HistorySpan& span) {
    return static_cast<double>(span.bytes.kernel_write) / span_s;
  };
  chart.series = {{"read", steps_of(course, reads)}, {"written", steps_of(course, writes)}};
  if (header.rate_bytes_per_s != 0) {
    const auto rate = static_cast<double>(header.rate_bytes_per_s);
    chart.marks.push_back({Mark::Along::y, rate, "limit at the start: " + format_rate(rate)});
  }
  return section("Disk traffic",
                 fmt::format("What the kernel counted for the job's calls, in steps of {}. Reads and writes "
                             "stand on one another.",
                             format_duration_ns(course.span_ns)),
                 draw(chart));
}

std::string waiting_section(const protocol::RecordFileHeader& header, const JobHistory& history,
                            const Course& course) {
  if (header.version < 2)
    return section("Waiting", "This recording is of an older discnice, which did not record waits.", "");
  if (history.waited_ns == 0) return section("Waiting", "Nothing waited.", "");
  const auto waiting = [&](const HistorySpan& span) {
    return static_cast<double>(span.waited_ns) / course.span_ns;
  };
  const Chart chart{"Waiting over time",
                    Shape::steps,
                    Quantity::time_ns,
                    Quantity::number,
                    false,
                    false,
                    {{"threads that waited at a time, on average", steps_of(course, waiting)}}};
  return section("Waiting", "For the limit, or for the disk's other users.", draw(chart));
}

std::string class_table(const JobHistory& history) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < protocol::kCallClassCount; ++i) {
    const ClassHistory& one = history.classes[i];
    if (one.calls == 0 && one.bytes.kernel() == 0) continue;
    rows.push_back({kClassNames[i], std::to_string(one.calls), format_bytes(one.moved_bytes),
                    format_bytes(one.bytes.predicted_read), format_bytes(one.bytes.kernel_read),
                    format_bytes(predicted_writes(one.bytes)), format_bytes(one.bytes.kernel_write)});
  }
  return gray::html::table({{"calls"},
                            {"number", true},
                            {"moved", true},
                            {"read, predicted", true},
                            {"read, counted", true},
                            {"written, predicted", true},
                            {"written, counted", true}},
                           rows);
}

std::string unaccounted_note(const JobHistory& history) {
  if (!history.end || history.end->is_account_known == 0) return "";
  const DiskBytes all = history.all();
  const std::uint64_t counted = history.end->kernel_read_bytes + history.end->kernel_write_bytes;
  const std::uint64_t missed = counted - std::min(all.kernel(), counted);
  std::string text = fmt::format("In its whole account the kernel has {} read and {} written",
                                 format_bytes(history.end->kernel_read_bytes),
                                 format_bytes(history.end->kernel_write_bytes));
  if (missed == 0) return gray::html::note(text + ".");
  return gray::html::note(text +
                          fmt::format("; {} of that outside these calls: page faults, folders, programs that "
                                      "the library did not reach.",
                                      format_bytes(missed)));
}

std::string prediction_section(const JobHistory& history, const Course& course) {
  const DiskBytes all = history.all();
  const std::uint64_t predicted = all.predicted_read + predicted_writes(all);
  const Chart chart{
      "Predicted and counted, summed up over time",
      Shape::path,
      Quantity::time_ns,
      Quantity::bytes,
      false,
      false,
      {{"predicted",
        sums_of(course, [](const DiskBytes& bytes) { return bytes.predicted_read + bytes.predicted_write; })},
       {"counted by the kernel", sums_of(course, [](const DiskBytes& bytes) { return bytes.kernel(); })}}};
  return section(
      "Predicted and counted",
      fmt::format("Predicted before the calls, {}; counted by the kernel for them, {} ({}).",
                  format_bytes(predicted), format_bytes(all.kernel()), error_text(predicted, all.kernel())),
      draw(chart) + class_table(history) + unaccounted_note(history));
}

std::string name_of(const FileHistory& file) {
  if (!file.name.empty()) return gray::html::name(file.name);
  return fmt::format("<span class=\"soft\">file {} of device {}:{}</span>", file.inode, major(file.device),
                     minor(file.device));
}

std::string traffic_text(std::uint64_t read_bytes, std::uint64_t write_bytes) {
  if (write_bytes == 0) return format_bytes(read_bytes) + " read";
  if (read_bytes == 0) return format_bytes(write_bytes) + " written";
  return fmt::format("{} read, {} written", format_bytes(read_bytes), format_bytes(write_bytes));
}

// Draws one bar: first the part that was read, then the part that was written. `whole_bytes` is the length of a full bar.
std::vector<gray::html::Stretch> traffic_bar(std::uint64_t read_bytes, std::uint64_t write_bytes,
                                             std::uint64_t whole_bytes) {
  const double whole = static_cast<double>(std::max<std::uint64_t>(whole_bytes, 1));
  const double read = static_cast<double>(read_bytes) / whole;
  std::vector<gray::html::Stretch> stretches;
  if (read_bytes != 0) stretches.push_back({0, read, "s0"});
  if (write_bytes != 0) stretches.push_back({read, read + static_cast<double>(write_bytes) / whole, "s1"});
  return stretches;
}

std::string traffic_keys() {
  return gray::html::keys({{"s0", "read"}, {"s1", "written"}});
}

std::string files_section(const JobHistory& history) {
  if (history.files.empty()) return section("Files", "No call on a file of a disk was recorded.", "");
  const std::uint64_t most = history.files.front().bytes.kernel();
  std::vector<BarRow> rows;
  DiskBytes rest;
  std::size_t shown = 0;
  for (const FileHistory& file : history.files) {
    const DiskBytes& bytes = file.bytes;
    if (shown == kFilesShown || bytes.kernel() == 0) {
      rest += bytes;
      continue;
    }
    ++shown;
    rows.push_back({name_of(file), traffic_text(bytes.kernel_read, bytes.kernel_write),
                    traffic_bar(bytes.kernel_read, bytes.kernel_write, most)});
  }
  std::string text = shown == 0 ? "" : traffic_keys() + gray::html::bar_list(rows);
  const std::size_t others = history.files.size() - shown;
  if (others != 0) {
    const std::string moved =
        rest.kernel() == 0 ? "no bytes of the disk" : traffic_text(rest.kernel_read, rest.kernel_write);
    text += fmt::format("<p>{}{} file{}: {}.</p>\n", shown == 0 ? "" : "Other than these, ", others,
                        others == 1 ? "" : "s", moved);
  }
  return section("Files", "Those for which the disk moved most, by the kernel's count for each call.", text);
}

std::string function_bars(const std::vector<NamedStack>& stacks) {
  std::vector<FunctionShare> functions = by_function(stacks);
  if (functions.size() > kFunctionsShown) functions.resize(kFunctionsShown);
  std::uint64_t all_bytes = 1;
  for (const NamedStack& stack : stacks) all_bytes += stack.read_bytes + stack.write_bytes;
  std::vector<BarRow> rows;
  for (const FunctionShare& share : functions) {
    const double all = static_cast<double>(share.all_bytes) / static_cast<double>(all_bytes);
    const double own = static_cast<double>(share.own_bytes) / static_cast<double>(all_bytes);
    std::vector<gray::html::Stretch> stretches = {{0, all, "s0", 0.4}};
    if (share.own_bytes != 0) stretches.push_back({0, own, "s0"});
    rows.push_back({gray::html::name(share.function),
                    fmt::format("{} itself, {} with what it calls", format_bytes(share.own_bytes),
                                format_bytes(share.all_bytes)),
                    stretches});
  }
  return gray::html::bar_list(rows);
}

std::string stack_bars(const std::vector<NamedStack>& stacks) {
  std::vector<BarRow> rows;
  for (std::size_t i = 0; i < stacks.size() && i < kStacksShown; ++i) {
    const NamedStack& stack = stacks[i];
    std::string path;
    for (const std::string& function : stack.functions)
      path += (path.empty() ? "" : " <span class=\"soft\">&rsaquo;</span> ") + gray::html::name(function);
    rows.push_back({path, traffic_text(stack.read_bytes, stack.write_bytes),
                    traffic_bar(stack.read_bytes, stack.write_bytes,
                                stacks.front().read_bytes + stacks.front().write_bytes)});
  }
  return traffic_keys() + gray::html::bar_list(rows);
}

std::string stacks_section(const std::optional<std::vector<NamedStack>>& stacks) {
  if (!stacks) {
    return section("Functions",
                   "Which functions made the disk work is not in a recording: 'discnice --profile FILE "
                   "--record RECORDING -- CMD' "
                   "writes that to a file of its own, and 'discnice report --profile FILE --html PAGE "
                   "RECORDING' shows both.",
                   "");
  }
  if (stacks->empty()) return section("Functions", "No call was predicted to cost the disk anything.", "");
  return section("Functions",
                 "By what their calls were predicted to cost the disk: pale with what they call, strong by "
                 "themselves.",
                 function_bars(*stacks)) +
         section("Call stacks", "The dearest ones, from the program to the call.", stack_bars(*stacks));
}

}  // namespace

std::string job_page(const protocol::RecordFileHeader& header, const JobHistory& history,
                     const std::optional<std::vector<NamedStack>>& stacks) {
  const Course course = course_of(history, header.rate_bytes_per_s);
  std::string lead = fmt::format("{}, through the preload library. Began {}.", escape(limit_text(header)),
                                 gray::html::date(header.started_s));
  lead.front() = 'P';
  std::string body = tiles_of(history);
  if (history.end && history.end->lost != 0) {
    body += gray::html::note(
        fmt::format("{} records found no room and are missing: what is told here is less than what was.",
                    history.end->lost));
  }
  if (!history.spans.empty()) {
    body += traffic_section(header, course) + waiting_section(header, history, course) +
            prediction_section(history, course);
  }
  body += files_section(history) + stacks_section(stacks);
  return gray::html::document(history.command_line.empty() ? header.command : history.command_line, lead,
                              body);
}

}  // namespace discnice::cli
