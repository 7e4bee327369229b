// SPDX-License-Identifier: MIT
#include "microbench/page.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "microbench/curve.hpp"
#include "microbench/quantity.hpp"
#include "microbench/registry.hpp"
#include "microbench/svg.hpp"

namespace microbench {
namespace {

using gray::repo::Found;
using gray::repo::Repository;
using gray::repo::Source;

constexpr char kHead[] = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>This host, measured</title>
<style>
:root { color-scheme: light dark; --back: #fdfdfb; --ink: #222; --soft: #6b6b66; --grid: #ddd; --s0: #1f6fb2; --s1: #c4541a; --mark: #8a1c5c; }
@media (prefers-color-scheme: dark) {
  :root { --back: #181a1b; --ink: #e4e2dd; --soft: #a09c94; --grid: #3a3c3e; --s0: #6db3ee; --s1: #f09a66; --mark: #f08cc4; }
}
@media print { :root { --back: #fff; --ink: #000; --soft: #444; --grid: #ccc; --s0: #1f6fb2; --s1: #c4541a; --mark: #8a1c5c; } }
body { background: var(--back); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2.2rem; }
section { break-inside: avoid; } p { margin: .4rem 0; } .soft { color: var(--soft); }
svg { width: 100%; height: auto; } svg text { fill: var(--soft); font-size: 11px; }
.grid { stroke: var(--grid); } .curve { fill: none; stroke-width: 2; }
.curve.s0 { stroke: var(--s0); } .curve.s1 { stroke: var(--s1); }
.dot.s0, .bar.s0 { fill: var(--s0); } .dot.s1, .bar.s1 { fill: var(--s1); }
.mark { stroke: var(--mark); stroke-dasharray: 4 3; } svg text.marked { fill: var(--mark); font-weight: 600; }
.wide { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-size: .85rem; }
th, td { text-align: left; padding: .15rem .5rem .15rem 0; border-bottom: 1px solid var(--grid); } .number { text-align: right; white-space: nowrap; }
</style></head><body>
)";

// The points of a curve on a device or the host, ascending.
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

class Page {
 public:
  Page(const Repository& repository, const std::string& device)
      : repository_(repository), device_(device), all_(repository.list()) {}

  std::string text() {
    text_ = kHead;
    add_heading();
    add_pictures();
    add_table();
    return text_ + "</body></html>\n";
  }

 private:
  [[nodiscard]] std::vector<Point> points(std::string_view curve) const {
    return points_of(all_, curve, device_);
  }

  // Only what was measured: a shipped default is no mark of this host's.
  [[nodiscard]] bool is_measured(const char* key) const {
    const auto found = repository_.find(key, device_);
    return found && found->source != Source::kDefault;
  }

  [[nodiscard]] double measured(const char* key) const {
    return is_measured(key) ? repository_.find(key, device_)->parameter.value : 0;
  }

  // What is used, or that there is nothing.
  [[nodiscard]] std::string shown(const char* key) const {
    const auto found = repository_.find(key, device_);
    return found ? format_quantity(found->parameter.value, found->parameter.unit) : "nothing";
  }

  // One for what was measured and one for what was not: a page must not claim what nobody looked at.
  [[nodiscard]] std::string cache_sentence() const;
  [[nodiscard]] std::string unit_sentence() const;
  [[nodiscard]] std::string seek_sentence() const;
  [[nodiscard]] std::string readahead_sentence() const;

  void add_heading() {
    const auto& host = repository_.fingerprint();
    text_ += fmt::format("<h1>This host, measured</h1><p>{}, Linux {}{}.</p>", escape_html(host.cpu_model),
                         escape_html(host.kernel_release), host.has_hypervisor ? ", a virtual machine" : "");
    if (!device_.empty()) text_ += fmt::format("<p class=\"soft\">File system {}</p>", escape_html(device_));
  }

  void add_section(const Chart& chart, const std::string& sentence) {
    const std::string picture = draw(chart);
    const std::string body =
        picture.empty() ? "<p class=\"soft\">Not measured yet: run microbench.</p>" : picture;
    text_ += fmt::format("<section><h2>{}</h2><p>{}</p>{}</section>\n", escape_html(chart.title),
                         escape_html(sentence), body);
  }

  void add_pictures();
  void add_memory();
  void add_table();

  const Repository& repository_;
  const std::string& device_;
  std::vector<Found> all_;
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
  Chart cache{"Hits and misses", "ns", "count", true, false, {}, {}, {}};
  cache.series = {{"in the page cache", points("cache.hit_histogram"), true},
                  {"from the disk", points("cache.miss_histogram"), true}};
  if (measured("cache.threshold_ns") > 0)
    cache.marks.push_back({measured("cache.threshold_ns"), "threshold"});
  add_section(cache, cache_sentence());
  Chart unit{"Bandwidth by request size", "bytes", "bytes/s", true, false, {}, {}, {}};
  unit.series = {{"reads at random places", points("disk.unit_curve"), false}};
  if (measured("disk.access_unit_bytes") > 0)
    unit.marks.push_back({measured("disk.access_unit_bytes"), "access unit"});
  add_section(unit, unit_sentence());
  Chart seek{"Seek time by distance", "bytes", "ns", true, false, {}, {}, {}};
  seek.series = {{"a page at this distance from the last one", points("disk.seek_curve"), false}};
  add_section(seek, seek_sentence());
  Chart ahead{"Read-ahead windows", "1", "bytes", false, true, {}, {}, {}};
  ahead.series = {{"first, second, ... window of a stream", points("disk.readahead_curve"), false}};
  add_section(ahead, readahead_sentence());
  Chart queue{"Random reads at once", "1", "1/s", true, false, {}, {}, {}};
  queue.series = {{"reads a second", points("disk.queue_curve"), false}};
  add_section(
      queue,
      "No tool reads this: it tells a person how much a program that reads many files gains by asking for "
      "several at once.");
  add_memory();
}

void Page::add_memory() {
  Chart memory{"Touching memory", "1", "ns", false, true, {}, {}, {}};
  const char* const keys[] = {"memory.retouch_ns", "memory.touch_4k_ns", "memory.reclaim_page_ns",
                              "memory.touch_huge_ns", "memory.swap_in_ns"};
  const char* const names[] = {"there already", "first touch", "reclaim of a page", "first touch, huge",
                               "from swap"};
  Series bars{"time of one page", {}, true};
  for (std::size_t i = 0; i < std::size(keys); ++i) {
    const double ns = measured(keys[i]);
    if (ns <= 0) continue;
    memory.names.emplace_back(names[i]);
    bars.points.push_back({static_cast<double>(memory.names.size()), ns});
  }
  if (!bars.points.empty()) memory.series = {bars};
  add_section(memory,
              "By these gb_alloc tells from how long a touch takes whether there is still memory to be had. "
              "A huge page "
              "is none of its: that bar shows what a slow first touch may be in place of paging.");
}

void Page::add_table() {
  text_ +=
      "<h2>All values</h2><div class=\"wide\"><table><tr><th>key</th><th>value</th><th>spread</th><th>read "
      "by, or what it tells</th></tr>\n";
  for (const Found& found : all_) {
    const auto& p = found.parameter;
    if (parse_point(p.key) || (!p.device.empty() && p.device != device_)) continue;
    const Described described = describe(p.key);
    const std::string spread = p.spread ? format_quantity(*p.spread, p.unit) : "-";
    const std::string value =
        format_quantity(p.value, p.unit) + (found.source == Source::kDefault ? " (default)" : "");
    text_ += fmt::format(
        "<tr><td>{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td><td "
        "class=\"soft\">{}</td></tr>\n",
        escape_html(p.key), escape_html(value), escape_html(spread),
        escape_html(described.output != nullptr ? use_of(*described.output) : "-"));
  }
  text_ += "</table></div>\n";
}

}  // namespace

std::string make_page(const Repository& repository, const std::string& device) {
  return Page(repository, device).text();
}

}  // namespace microbench
