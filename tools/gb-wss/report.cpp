// SPDX-License-Identifier: MIT
#include "tools/gb-wss/report.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include <fmt/core.h>

#include "toolbox/cli/columns.hpp"
#include "toolbox/cli/diagnostics.hpp"
#include "toolbox/cli/quantities.hpp"

namespace gb_wss {
namespace {

using gray::cli::Alignment;
using gray::cli::Cell;
using gray::cli::Column;
using gray::cli::format_bytes;
using gray::cli::format_duration_ns;
using nlohmann::ordered_json;

constexpr int kBarWidth = 40;
constexpr double kNsPerS = 1e9;

struct DoubtWords {
  std::uint32_t doubt;
  const char* key;
};
constexpr DoubtWords kDoubts[] = {{GB_DOUBT_HUGE, "huge"},
                                  {GB_DOUBT_RECLAIM, "reclaim"},
                                  {GB_DOUBT_CLEARED, "cleared"},
                                  {GB_DOUBT_HUGETLB, "hugetlb"},
                                  {GB_DOUBT_SWAPPED, "swapped"}};

const Point* knee_of(const std::vector<Point>& curve) {
  std::vector<std::uint64_t> since_ns;
  std::vector<std::uint64_t> touched_bytes;
  for (const Point& point : curve) {
    since_ns.push_back(point.since_ns);
    touched_bytes.push_back(point.touched_bytes);
  }
  std::size_t knee = 0;
  const bool is_found = gb_working_set_knee(since_ns.data(), touched_bytes.data(), curve.size(), &knee) == 0;
  return is_found ? &curve[knee] : nullptr;
}

std::string percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? "-"
                    : fmt::format("{:.0f} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

// The rate at which the curve still grows behind its knee.
double growth_bytes_per_s(const std::vector<Point>& curve, const Point& knee) {
  const Point& last = curve.back();
  if (last.since_ns <= knee.since_ns || last.touched_bytes <= knee.touched_bytes) return 0;
  return static_cast<double>(last.touched_bytes - knee.touched_bytes) * kNsPerS /
         static_cast<double>(last.since_ns - knee.since_ns);
}

std::string curve_text(const std::vector<Point>& curve, std::uint64_t resident_bytes) {
  std::string text = fmt::format("{:>12}  {:>10}  {:>5}\n", "WITHIN", "TOUCHED", "OF IT");
  for (const Point& point : curve) {
    const std::uint64_t whole = std::max(resident_bytes, std::uint64_t{1});
    const auto width = static_cast<std::size_t>(std::min<double>(
        kBarWidth, kBarWidth * static_cast<double>(point.touched_bytes) / static_cast<double>(whole) + 0.5));
    text += fmt::format(
        "{:>12}  {:>10}  {:>5}  {}\n", format_duration_ns(static_cast<double>(point.since_ns)),
        format_bytes(point.touched_bytes), percent(point.touched_bytes, whole), std::string(width, '#'));
  }
  return text;
}

std::string verdict_text(const std::vector<Point>& curve, std::uint64_t resident_bytes) {
  if (curve.empty()) return "nothing was seen: it ended too early\n";
  const Point& last = curve.back();
  const std::string span = format_duration_ns(static_cast<double>(last.since_ns));
  const std::string idle =
      format_bytes(resident_bytes > last.touched_bytes ? resident_bytes - last.touched_bytes : 0);
  if (last.touched_bytes == 0)
    return fmt::format("touched nothing within {}\nnot touched for {}: {}\n", span, span, idle);
  const Point* knee = knee_of(curve);
  if (knee == nullptr) {
    return fmt::format(
        "no bend: what it touches still grows after {}, as fast as before or nearly so; look for longer "
        "(--span)\n"
        "not touched for {}: {}\n",
        span, span, idle);
  }
  const auto growth = static_cast<std::uint64_t>(growth_bytes_per_s(curve, *knee));
  const std::string more = growth == 0 ? "nothing more" : format_bytes(growth) + " a second more";
  return fmt::format("works with: {} (touched within {}; after that {})\nnot touched for {}: {}\n",
                     format_bytes(knee->touched_bytes),
                     format_duration_ns(static_cast<double>(knee->since_ns)), more, span, idle);
}

Cell bytes_cell(std::uint64_t bytes) {
  return {bytes, format_bytes(bytes)};
}

std::string process_table(const std::vector<Process>& processes) {
  const std::vector<Column<Process>> columns = {
      {"PID", "", Alignment::kRight, true,
       [](const Process& p) { return Cell(p.pid, std::to_string(p.pid)); }},
      {"NAME", "", Alignment::kLeft, true, [](const Process& p) { return Cell(p.name); }},
      {"RESIDENT", "", Alignment::kRight, true,
       [](const Process& p) { return bytes_cell(p.last.resident_bytes); }},
      {"WORKS WITH", "", Alignment::kRight, true,
       [](const Process& p) {
         const Point* knee = knee_of(p.curve);
         return knee == nullptr ? Cell() : bytes_cell(knee->touched_bytes);
       }},
      {"TOUCHED", "", Alignment::kRight, true,
       [](const Process& p) { return p.curve.empty() ? Cell() : bytes_cell(p.curve.back().touched_bytes); }},
      {"IN SWAP", "", Alignment::kRight, true,
       [](const Process& p) { return bytes_cell(p.last.swapped_bytes); }}};
  return gray::cli::format_rows(columns, gray::cli::select_columns(gray::cli::heads_of(columns), ""),
                                processes, gray::cli::TableFormat::kText);
}

std::string cost_text(const Sampling& sampling) {
  std::uint64_t cost_ns = 0;
  for (const Process& process : sampling.processes) cost_ns = std::max(cost_ns, process.last.cost_ns);
  const std::uint64_t span_ns = sampling.curve.empty() ? 0 : sampling.curve.back().since_ns;
  if (span_ns == 0) return "";
  return fmt::format("cost: {}, {:.2g} % of the time{}\n", format_duration_ns(static_cast<double>(cost_ns)),
                     100.0 * static_cast<double>(cost_ns) / static_cast<double>(span_ns),
                     sampling.processes.size() > 1 ? ", of the process that it held up most" : "");
}

ordered_json curve_json(const std::vector<Point>& curve) {
  ordered_json list = ordered_json::array();
  for (const Point& point : curve)
    list.push_back({{"since_ns", point.since_ns}, {"touched_bytes", point.touched_bytes}});
  return list;
}

ordered_json knee_json(const std::vector<Point>& curve) {
  const Point* knee = knee_of(curve);
  if (knee == nullptr) return nullptr;
  return {{"since_ns", knee->since_ns},
          {"touched_bytes", knee->touched_bytes},
          {"growth_bytes_per_s", static_cast<std::uint64_t>(growth_bytes_per_s(curve, *knee))}};
}

ordered_json process_json(const Process& process) {
  ordered_json doubts = ordered_json::array();
  for (const DoubtWords& words : kDoubts) {
    if ((process.last.doubts & words.doubt) != 0) doubts.push_back(words.key);
  }
  ordered_json error = nullptr;
  if (process.error != 0) error = gb_status_text(process.error);
  return {{"pid", process.pid},
          {"name", gray::cli::printable(process.name)},
          {"error", error},
          {"has_ended", process.has_ended},
          {"resident_bytes", process.last.resident_bytes},
          {"share_bytes", process.last.share_bytes},
          {"swapped_bytes", process.last.swapped_bytes},
          {"huge_bytes", process.last.huge_bytes},
          {"curve", curve_json(process.curve)},
          {"knee", knee_json(process.curve)},
          {"doubts", doubts},
          {"cost_ns", process.last.cost_ns}};
}

}  // namespace

std::vector<std::string> doubts_in_words(const Process& process) {
  const std::uint32_t doubts = process.last.doubts;
  std::vector<std::string> words;
  const bool is_smaller = std::any_of(process.curve.begin(), process.curve.end(), [&](const Point& point) {
    return point.touched_bytes > process.last.resident_bytes;
  });
  if (is_smaller)
    words.emplace_back("it gave memory back that it had touched: the curve is of more than is left");
  if ((doubts & GB_DOUBT_HUGE) != 0)
    words.push_back(fmt::format("too high by {} at most: a touch of a huge page counts all of it",
                                format_bytes(process.last.huge_bytes)));
  if ((doubts & GB_DOUBT_RECLAIM) != 0)
    words.emplace_back("too low: the kernel took memory away meanwhile, and marks with it");
  if ((doubts & GB_DOUBT_CLEARED) != 0)
    words.emplace_back("too low: somebody else took the marks away, perhaps another gb-wss");
  if ((doubts & GB_DOUBT_HUGETLB) != 0) words.emplace_back("without pages of hugetlbfs: they carry no marks");
  if ((doubts & GB_DOUBT_SWAPPED) != 0)
    words.push_back(
        fmt::format("of what is in memory alone: {} lie in swap", format_bytes(process.last.swapped_bytes)));
  return words;
}

std::string text_report(const Sampling& sampling) {
  std::string text;
  const bool is_one = sampling.processes.size() == 1;
  std::vector<Process> watched;
  std::copy_if(sampling.processes.begin(), sampling.processes.end(), std::back_inserter(watched),
               [](const Process& process) { return process.error == 0; });
  if (watched.empty()) return text;
  if (is_one) {
    const Process& process = watched.front();
    text = fmt::format("{} {}: {} resident\n", process.pid, gray::cli::printable(process.name),
                       format_bytes(process.last.resident_bytes));
    text += curve_text(process.curve, process.last.resident_bytes) +
            verdict_text(process.curve, process.last.resident_bytes);
  } else {
    text = process_table(watched) +
           fmt::format("\nall together: {} resident\n", format_bytes(sampling.resident_bytes)) +
           curve_text(sampling.curve, sampling.resident_bytes) +
           verdict_text(sampling.curve, sampling.resident_bytes);
  }
  return text + cost_text(sampling);
}

std::string json_report(const Sampling& sampling) {
  ordered_json processes = ordered_json::array();
  for (const Process& process : sampling.processes) processes.push_back(process_json(process));
  const ordered_json report = {{"span_ns", sampling.span_ns},
                               {"is_ended_early", sampling.is_ended_early},
                               {"processes", processes},
                               {"all",
                                {{"resident_bytes", sampling.resident_bytes},
                                 {"curve", curve_json(sampling.curve)},
                                 {"knee", knee_json(sampling.curve)}}}};
  return report.dump(2) + "\n";
}

}  // namespace gb_wss
