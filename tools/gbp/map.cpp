// SPDX-License-Identifier: MIT
#include "tools/gbp/map.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <numeric>
#include <sstream>

#include <fmt/core.h>

#include "toolbox/base/units.hpp"
#include "toolbox/cli/quantities.hpp"
#include "toolbox/html/bars.hpp"
#include "toolbox/html/document.hpp"
#include "tools/gbp/emit.hpp"
#include "tools/gbp/parts.hpp"

namespace gbp {
namespace {

using gray::cli::format_bytes;
using gray::html::BarRow;
using gray::html::Stretch;

constexpr std::uint64_t kPageBytes = 4 * gray::base::kKiB;
// How many parts of a file a bar can show, and how many slices of the whole set.
constexpr std::uint64_t kPartsShown = 400;
constexpr std::size_t kSlicesShown = 400;
// The opacity of a stretch of which unknown parts are cached.
constexpr double kSomewhere = 0.5;

bool is_counted(std::uint32_t backend) {
  return backend == GB_BACKEND_CACHESTAT || backend == GB_BACKEND_MINCORE;
}

bool is_known(const File& file) {
  return file.error == 0 && file.cached_fraction >= 0;
}

double cached_bytes(const File& file) {
  return is_known(file) ? static_cast<double>(file.cached_fraction) * static_cast<double>(file.size_bytes)
                        : 0;
}

std::string bytes_text(double bytes) {
  return format_bytes(static_cast<std::uint64_t>(std::max(bytes, 0.0)));
}

// A share below 1 is never printed as 100 %.
std::string percent(double share) {
  if (share > 0 && share < 0.01) return "< 1 %";
  return fmt::format("{:.0f} %", share < 1 ? std::min(100 * share, 99.0) : 100.0);
}

std::string share_text(double share) {
  if (share <= 0) return "not cached";
  return share >= 1 ? "cached" : percent(share) + " cached";
}

std::string counted_files(std::size_t count) {
  return fmt::format("{} file{}", count, count == 1 ? "" : "s");
}

// How much of a set is cached, not cached, and unknown.
struct Sum {
  std::size_t files = 0;
  std::uint64_t bytes = 0;
  std::uint64_t unknown_bytes = 0;
  double cached_bytes = 0;

  void add(const File& file) {
    ++files;
    bytes += file.size_bytes;
    if (!is_known(file)) unknown_bytes += file.size_bytes;
    cached_bytes += gbp::cached_bytes(file);
  }
  [[nodiscard]] double missing_bytes() const {
    return static_cast<double>(bytes - unknown_bytes) - cached_bytes;
  }
};

Sum sum_of(const std::vector<File>& files) {
  Sum sum;
  for (const File& file : files) sum.add(file);
  return sum;
}

void append(std::vector<Stretch>& stretches, double from, double to, double share) {
  if (share <= 0) return;
  if (!stretches.empty() && stretches.back().to == from && stretches.back().opacity == share) {
    stretches.back().to = to;
    return;
  }
  stretches.push_back({from, to, "s0", share});
}

// The slices of the set in the order of reading. The colour shows how much of each is cached.
std::vector<Stretch> slices_of(const std::vector<File>& files, std::uint64_t set_bytes) {
  struct Slice {
    double cached = 0;
    double unknown = 0;
  };
  std::vector<Slice> slices(kSlicesShown);
  const double width = static_cast<double>(set_bytes) / static_cast<double>(slices.size());
  double at = 0;
  for (const File& file : files) {
    double left = static_cast<double>(file.size_bytes);
    while (left > 0) {
      const auto index = std::min(static_cast<std::size_t>(at / width), slices.size() - 1);
      const double room = width * static_cast<double>(index + 1) - at;
      const double part = index + 1 == slices.size() ? left : std::min(left, std::max(room, 1.0));
      (is_known(file) ? slices[index].cached : slices[index].unknown) +=
          part * (is_known(file) ? static_cast<double>(file.cached_fraction) : 1);
      at += part;
      left -= part;
    }
  }
  std::vector<Stretch> stretches;
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const double from = static_cast<double>(i) / static_cast<double>(slices.size());
    const double to = static_cast<double>(i + 1) / static_cast<double>(slices.size());
    if (slices[i].unknown > width / 2) stretches.push_back({from, to, "lost"});
    append(stretches, from, to, std::min(1.0, std::round(20 * slices[i].cached / width) / 20));
  }
  return stretches;
}

// The cached parts of the file and their places. If the kernel does not count, the bar shows only how much of the file is cached.
std::vector<Stretch> stretches_of(gb_cache_t* detector, const File& file) {
  if (file.error != 0 || file.cached_fraction < 0) return {{0, 1, "lost"}};
  if (file.cached_fraction >= 1) return {{0, 1, "s0"}};
  if (file.cached_fraction <= 0) return {};
  if (detector == nullptr || !is_counted(file.backend)) return {{0, file.cached_fraction, "s0", kSomewhere}};
  gb_status_t status = 0;
  std::vector<gb_cache_unit> units =
      units_of_length(detector, file.path, std::max(file.size_bytes / kPartsShown, kPageBytes), status);
  std::sort(units.begin(), units.end(),
            [](const gb_cache_unit& a, const gb_cache_unit& b) { return a.offset_bytes < b.offset_bytes; });
  std::vector<Stretch> stretches;
  const auto size = static_cast<double>(file.size_bytes);
  for (const gb_cache_unit& unit : units)
    append(stretches, static_cast<double>(unit.offset_bytes) / size,
           static_cast<double>(unit.offset_bytes + unit.length_bytes) / size, unit.cached_fraction);
  return stretches;
}

std::string known_of(const File& file, const std::vector<gb_order_level>& levels) {
  if (file.error != 0) return fmt::format("It cannot be looked at: {}.", gb_status_text(file.error));
  if (file.cached_fraction < 0) return "What of it is cached is not known.";
  std::string text;
  if (!is_counted(file.backend))
    text = fmt::format("Probed ({}); it is not known where. ", backend_name(file.backend));
  if (file.access_ns > 0) {
    text += fmt::format("A first read takes {}",
                        gray::cli::format_duration_ns(static_cast<double>(file.access_ns)));
    const bool is_level_told = levels.size() > 1 && file.level < levels.size();
    text += is_level_told ? fmt::format(" ({}).", kind_name(levels[file.level].kind)) : ".";
  }
  return text;
}

// The largest files, in the order in which they are read.
std::vector<std::size_t> shown_of(const std::vector<File>& files) {
  std::vector<std::size_t> shown(files.size());
  std::iota(shown.begin(), shown.end(), std::size_t{0});
  if (shown.size() <= kMappedFiles) return shown;
  std::stable_sort(shown.begin(), shown.end(), [&files](std::size_t a, std::size_t b) {
    return files[a].size_bytes > files[b].size_bytes;
  });
  shown.resize(kMappedFiles);
  std::sort(shown.begin(), shown.end());
  return shown;
}

std::string files_section(const std::vector<File>& files, const std::vector<gb_order_level>& levels,
                          const Wanted& wanted) {
  const Detector detector(open_detector(wanted, wanted.backend, false));
  const std::vector<std::size_t> shown = shown_of(files);
  std::vector<BarRow> rows;
  Sum shown_sum;
  for (const std::size_t index : shown) {
    const File& file = files[index];
    shown_sum.add(file);
    std::string value = file.error != 0 ? "-" : format_bytes(file.size_bytes);
    if (is_known(file)) value += ", " + share_text(file.cached_fraction);
    rows.push_back({fmt::format("<span class=\"soft\">{}.</span> {}", index + 1, gray::html::name(file.path)),
                    value, stretches_of(detector.get(), file), gray::html::escape(known_of(file, levels))});
  }
  std::string text = gray::html::bar_list(rows);
  const Sum all = sum_of(files);
  if (all.files > shown_sum.files) {
    text += fmt::format("<p>And {}, smaller than these: {}, of which {} are cached.</p>\n",
                        counted_files(all.files - shown_sum.files), format_bytes(all.bytes - shown_sum.bytes),
                        bytes_text(all.cached_bytes - shown_sum.cached_bytes));
  }
  const std::string title =
      all.files > shown_sum.files ? fmt::format("The {} largest files", shown_sum.files) : "Each file";
  return gray::html::section(
      title, "Each with its place in the order. A bar is a file from its beginning to its end.", text);
}

// Each line of the text becomes a paragraph.
std::string paragraphs(const std::string& text) {
  std::string html;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) html += gray::html::note(line);
  return html;
}

}  // namespace

std::string map_page(const std::vector<File>& files, const std::vector<gb_order_level>& levels,
                     const std::string& order, const Wanted& wanted) {
  const Sum sum = sum_of(files);
  const auto set_bytes = static_cast<double>(std::max<std::uint64_t>(sum.bytes, 1));
  std::vector<std::pair<std::string, std::string>> figures = {
      {std::to_string(sum.files), sum.files == 1 ? "file" : "files"},
      {format_bytes(sum.bytes), "all together"},
      {bytes_text(sum.cached_bytes), "cached, " + percent(sum.cached_bytes / set_bytes)},
      {bytes_text(sum.missing_bytes()), "not cached"}};
  std::vector<gray::html::Key> keys = {{"s0", "cached"}, {"grid", "not cached"}};
  if (sum.unknown_bytes != 0) {
    figures.emplace_back(format_bytes(sum.unknown_bytes), "not known");
    keys.push_back({"lost", "not known"});
  }
  std::string body = gray::html::tiles(figures);
  if (sum.bytes != 0) {
    body += gray::html::section(
        "The whole set",
        "In the order in which gbp reads it, from left to right. A paler stretch is cached in part.",
        gray::html::keys(keys) + gray::html::bar(slices_of(files, sum.bytes), true));
  }
  if (!files.empty()) body += files_section(files, levels, wanted);
  body += gray::html::section("What decides", "", paragraphs(wanted.host->explanation + describe(levels)));
  const std::string lead =
      fmt::format("<code>{}</code>, on {}. What is cached can have changed since.", gray::html::escape(order),
                  gray::html::date(static_cast<std::uint64_t>(std::time(nullptr))));
  return gray::html::document("What is cached", lead, body);
}

}  // namespace gbp
