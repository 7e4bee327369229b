// SPDX-License-Identifier: MIT
#include "microbench/page.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "microbench/curve.hpp"
#include "microbench/quantity.hpp"
#include "microbench/registry.hpp"
#include "toolbox/cli/shell_words.hpp"
#include "toolbox/html/bars.hpp"
#include "toolbox/html/chart.hpp"
#include "toolbox/html/document.hpp"

namespace microbench {
namespace {

using gray::html::Chart;
using gray::html::Mark;
using gray::html::Point;
using gray::html::Quantity;
using gray::html::Shape;
using gray::repo::Found;
using gray::repo::Repository;
using gray::repo::Source;

// The points of a curve for a device or for the host, ascending.
std::vector<Point> points_of(const std::vector<Found>& all, std::string_view curve,
                             const std::string& device) {
  std::vector<Point> points;
  for (const Found& found : all) {
    const auto point = parse_point(found.parameter.key);
    if (!point || point->curve != curve || found.parameter.device != device) continue;
    points.push_back({static_cast<double>(point->x), found.parameter.value});
  }
  std::sort(points.begin(), points.end(), [](const Point& a, const Point& b) { return a.x < b.x; });
  return points;
}

std::string use_of(const Output& output) {
  return *output.readers != '\0' ? output.readers : output.reason;
}

// A section of the page. It is left out if none of its values was measured.
struct Section {
  Chart chart;
  std::string sentence;
  bool is_known;  // whether a value in the sentence was measured
};

class Page {
 public:
  Page(const Repository& repository, const Place& place)
      : repository_(repository), place_(place), device_(place.device), all_(repository.list()) {}

  std::string text() {
    const auto& host = repository_.fingerprint();
    const std::string lead = fmt::format(
        "{}, Linux {}{}.<br><span class=\"soft\">File system {}{}</span>", gray::html::escape(host.cpu_model),
        gray::html::escape(host.kernel_release), host.has_hypervisor ? ", a virtual machine" : "",
        gray::html::name(place_.directory), device_.empty() ? "" : ": " + gray::html::escape(device_));
    add_pictures();
    add_memory();
    add_missing();
    add_table();
    return gray::html::document("This host, measured", lead, text_);
  }

 private:
  [[nodiscard]] std::vector<Point> points(std::string_view curve) const {
    return points_of(all_, curve, device_);
  }

  // Whether the value was measured. A shipped default is no fact about this host.
  [[nodiscard]] bool is_measured(const char* key) const {
    const auto found = repository_.find(key, device_);
    return found && found->source != Source::kDefault;
  }

  [[nodiscard]] double measured(const char* key) const {
    return is_measured(key) ? repository_.find(key, device_)->parameter.value : 0;
  }

  // The value in use, or "nothing".
  [[nodiscard]] std::string shown(const char* key) const {
    const auto found = repository_.find(key, device_);
    return found ? format_quantity(found->parameter.value, found->parameter.unit) : "nothing";
  }

  // Each of these has one sentence for measured values and one for missing values: the page must not claim properties that were not measured.
  [[nodiscard]] std::string cache_sentence() const;
  [[nodiscard]] std::string unit_sentence() const;
  [[nodiscard]] std::string seek_sentence() const;
  [[nodiscard]] std::string readahead_sentence() const;

  // Adds a vertical line if `key` was measured.
  void mark(Chart& chart, const char* key, const char* word) const {
    if (measured(key) > 0)
      chart.marks.push_back({Mark::Along::x, measured(key), fmt::format("{}: {}", word, shown(key))});
  }

  void add(const Section& section) {
    const std::string picture = draw(section.chart);
    if (picture.empty() && !section.is_known) return missing_.push_back(section.chart.title);
    text_ += gray::html::section(section.chart.title, section.sentence, picture);
  }

  void add_pictures();
  void add_memory();
  void add_missing();
  void add_table();

  const Repository& repository_;
  const Place& place_;
  const std::string& device_;
  std::vector<Found> all_;
  std::vector<std::string> missing_;
  std::string text_;
};

std::string Page::cache_sentence() const {
  if (!is_measured("cache.threshold_ns")) {
    return "One-byte reads by how long they took. No threshold was measured: gbp and libgray time a cached "
           "read when they need one.";
  }
  return fmt::format(
      "One-byte reads by how long they took: above {} gbp, discnice and libgray take a page for not cached "
      "where the "
      "kernel does not tell them.",
      shown("cache.threshold_ns"));
}

std::string Page::unit_sentence() const {
  const char* const kUnit = "disk.access_unit_bytes";
  if (!is_measured(kUnit)) {
    return "The access unit, for no less than which gbp and libgray let one probe answer, was not measured: "
           "they take a default.";
  }
  return fmt::format(
      "gbp and libgray let one probe answer for no less than the access unit, {}: larger requests gain "
      "little.",
      shown(kUnit));
}

std::string Page::seek_sentence() const {
  const char* const kRatio = "disk.random_over_sequential";
  const std::string use =
      is_measured(kRatio)
          ? fmt::format(
                "gbp -file goes by {}, how many times longer a random page takes than a sequential one",
                shown(kRatio))
          : "how many times longer a random page takes than a sequential one was not measured, and gbp -file "
            "asks "
            "the kernel whether the disk turns";
  if (!is_measured("disk.is_rotational")) {
    return fmt::format("Whether distance costs time was not measured here; {}.", use);
  }
  if (measured("disk.is_rotational") > 0) {
    return fmt::format("Distance costs time, as under a moving head; {}.", use);
  }
  return fmt::format("Distance costs nothing, this is no disk with a head; {}.", use);
}

std::string Page::readahead_sentence() const {
  const char* const kMax = "disk.readahead_max_bytes";
  if (!is_measured(kMax)) {
    return "How far they grow was not measured: gbp and libgray take a default for what one probe answers "
           "for.";
  }
  if (measured(kMax) <= 0)
    return "Nothing is read ahead here: what is cached has been asked for page by page.";
  return fmt::format(
      "They grow to {}, for which one probe of gbp or libgray answers at least: what is read together is "
      "cached "
      "together.",
      shown(kMax));
}

void Page::add_pictures() {
  Chart cache{"Hits and misses", Shape::line, Quantity::time_ns, Quantity::count, true, false, {}};
  cache.series = {{"in the page cache", points("cache.hit_histogram")},
                  {"from the disk", points("cache.miss_histogram")}};
  // A mark without points makes no picture.
  mark(cache, "cache.threshold_ns", "threshold");
  add({cache, cache_sentence(), is_measured("cache.threshold_ns")});
  Chart unit{"Bandwidth by request size",
             Shape::line,
             Quantity::bytes,
             Quantity::bytes_per_s,
             true,
             false,
             {{"reads at random places", points("disk.unit_curve")}}};
  mark(unit, "disk.access_unit_bytes", "access unit");
  add({unit, unit_sentence(), is_measured("disk.access_unit_bytes")});
  add({{"Seek time by distance",
        Shape::line,
        Quantity::bytes,
        Quantity::time_ns,
        true,
        false,
        {{"a page at this distance from the last one", points("disk.seek_curve")}}},
       seek_sentence(),
       is_measured("disk.is_rotational") || is_measured("disk.random_over_sequential")});
  add({{"Read-ahead windows",
        Shape::line,
        Quantity::count,
        Quantity::bytes,
        false,
        true,
        {{"first, second, ... window of a stream", points("disk.readahead_curve")}}},
       readahead_sentence(),
       is_measured("disk.readahead_max_bytes")});
  add({{"Random reads at once",
        Shape::line,
        Quantity::count,
        Quantity::per_second,
        true,
        false,
        {{"reads a second", points("disk.queue_curve")}}},
       "No tool reads this: it tells a person how much a program that reads many files gains by asking for "
       "several at once.",
       false});
}

void Page::add_memory() {
  const std::pair<const char*, const char*> bars[] = {{"memory.retouch_ns", "there already"},
                                                      {"memory.touch_4k_ns", "first touch"},
                                                      {"memory.reclaim_page_ns", "reclaim of a page"},
                                                      {"memory.touch_huge_ns", "first touch, huge"},
                                                      {"memory.swap_in_ns", "from swap"}};
  // A factor of two has the same width everywhere on the axis, so the bar of the least time is narrow but visible.
  gray::html::Axis axis{Quantity::time_ns, true, INFINITY, 0};
  for (const auto& [key, word] : bars) {
    if (measured(key) <= 0) continue;
    axis.low = std::min(axis.low, measured(key) / 2);
    axis.high = std::max(axis.high, measured(key));
  }
  std::vector<gray::html::BarRow> rows;
  for (const auto& [key, word] : bars)
    if (measured(key) > 0) rows.push_back({word, shown(key), {{0, axis.place(measured(key)), "s0"}}});
  if (rows.empty()) return missing_.push_back("Touching memory");
  text_ += gray::html::section(
      "Touching memory",
      "How long one page takes; the lengths are logarithmic. By these gb_alloc tells from how long a touch "
      "takes "
      "whether there is still memory to be had. A huge page is none of its: that bar shows what a slow first "
      "touch may be in place of paging.",
      gray::html::bar_list(rows));
}

void Page::add_missing() {
  if (missing_.empty()) return;
  std::string names;
  for (const std::string& name : missing_) names += (names.empty() ? "" : ", ") + name;
  text_ +=
      fmt::format("<p>Not measured here: {}. This measures it: <code>microbench --dir {}</code></p>\n",
                  gray::html::escape(names), gray::html::escape(gray::cli::shell_word(place_.directory)));
}

void Page::add_table() {
  std::vector<std::vector<std::string>> rows;
  for (const Found& found : all_) {
    const auto& p = found.parameter;
    if (parse_point(p.key) || (!p.device.empty() && p.device != device_)) continue;
    if (found.source == Source::kDefault && is_measured(p.key.c_str())) continue;
    const Described described = describe(p.key);
    const std::string value =
        format_quantity(p.value, p.unit) + (found.source == Source::kDefault ? " (default)" : "");
    const std::string use = described.output != nullptr ? use_of(*described.output) : "-";
    rows.push_back({gray::html::escape(p.key), gray::html::escape(value),
                    gray::html::escape(p.spread ? format_quantity(*p.spread, p.unit) : "-"),
                    fmt::format("<span class=\"soft\">{}</span>", gray::html::escape(use))});
  }
  text_ += gray::html::section(
      "All values", "",
      gray::html::table({{"key"}, {"value", true}, {"spread", true}, {"read by, or what it tells"}}, rows));
}

}  // namespace

std::string make_page(const Repository& repository, const Place& place) {
  return Page(repository, place).text();
}

}  // namespace microbench
