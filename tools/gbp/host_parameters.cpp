// SPDX-License-Identifier: MIT
#include "tools/gbp/host_parameters.hpp"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "toolbox/base/units.hpp"
#include "toolbox/cli/diagnostics.hpp"
#include "toolbox/cli/quantities.hpp"
#include "toolbox/repo/device_identity.hpp"

namespace gbp {
namespace {

using gray::repo::Found;
using gray::repo::Repository;
using gray::repo::Source;

// Converts to an integer without overflow, and exceeds every file of use.
constexpr double kUnitBytesMax = 0x1p62;

// A measured unit is held between these: below, probing costs as much as reading; above, one probe answers for too much.
constexpr std::uint64_t kMeasuredUnitBytesMin = gray::base::kMiB;
constexpr std::uint64_t kMeasuredUnitBytesMax = 32 * gray::base::kMiB;

// Between the paper's unit and what still leaves a file several units.
constexpr std::uint64_t kAccessUnitBytesMin = 20 * gray::base::kMiB;
constexpr std::uint64_t kAccessUnitBytesMax = 128 * gray::base::kMiB;
constexpr double kWindowsPerUnit = 3;

// A threshold beyond this is no time of a read.
constexpr double kHitTimeMaxNs = 1e12;

// No device is slower than this at random, and none is meant that reads slower than the default in a row.
constexpr double kRatioMax = 1e9;
constexpr double kDiskBytesPerS = 100e6;

// What somebody set or measured; a shipped default is neither.
std::optional<Found> known(const Repository& repository, const char* key, const std::string& device,
                           double max) {
  std::optional<Found> found = repository.find(key, device);
  if (!found || found->source == Source::kDefault || found->parameter.value < 1 ||
      found->parameter.value > max) {
    return std::nullopt;
  }
  return found;
}

std::string named(const char* key, const std::optional<Found>& found) {
  if (!found) return fmt::format("{} (not measured)", key);
  return fmt::format("{} ({}, {})", key,
                     gray::cli::format_bytes(static_cast<std::uint64_t>(found->parameter.value)),
                     gray::repo::source_name(found->source));
}

std::string choose_unit(const Repository& repository, const std::string& device, HostParameters& parameters) {
  if (const auto set = known(repository, "filecache.prediction_unit_bytes", device, kUnitBytesMax)) {
    parameters.prediction_unit_bytes = static_cast<std::uint64_t>(set->parameter.value);
    return "as " + named("filecache.prediction_unit_bytes", set) + " says";
  }
  const auto unit = known(repository, "disk.access_unit_bytes", device, kUnitBytesMax);
  const auto window = known(repository, "disk.readahead_max_bytes", device, kUnitBytesMax);
  if (!unit && !window) return "the default: microbench has not measured this host";
  const double larger = std::max(unit ? unit->parameter.value : 0, window ? window->parameter.value : 0);
  parameters.prediction_unit_bytes =
      std::clamp(static_cast<std::uint64_t>(larger), kMeasuredUnitBytesMin, kMeasuredUnitBytesMax);
  return fmt::format("the larger of {} and {}, between {} and {}", named("disk.access_unit_bytes", unit),
                     named("disk.readahead_max_bytes", window),
                     gray::cli::format_bytes(kMeasuredUnitBytesMin),
                     gray::cli::format_bytes(kMeasuredUnitBytesMax));
}

// Set, or the largest of the measured unit, three windows (what is read ahead of one part must not push out the next) and
// the paper's.
std::uint64_t choose_access_unit(const Repository& repository, const std::string& device) {
  if (const auto set = known(repository, "filecache.access_unit_bytes", device, kUnitBytesMax))
    return static_cast<std::uint64_t>(set->parameter.value);
  const auto unit = known(repository, "disk.access_unit_bytes", device, kUnitBytesMax);
  const auto window = known(repository, "disk.readahead_max_bytes", device, kUnitBytesMax);
  const double larger =
      std::max(unit ? unit->parameter.value : 0, window ? kWindowsPerUnit * window->parameter.value : 0);
  return std::clamp(static_cast<std::uint64_t>(larger), kAccessUnitBytesMin, kAccessUnitBytesMax);
}

}  // namespace

HostParameters choose_host_parameters(const Repository& repository, const std::string& device) {
  HostParameters parameters;
  const std::string reason = choose_unit(repository, device, parameters);
  const double unit_bytes = parameters.prediction_unit_bytes != 0
                                ? static_cast<double>(parameters.prediction_unit_bytes)
                                : repository.value("filecache.prediction_unit_bytes").value_or(0);
  parameters.explanation =
      fmt::format("one timed probe answers for {}: {}\n",
                  gray::cli::format_bytes(static_cast<std::uint64_t>(unit_bytes)), reason);
  const auto threshold = known(repository, "cache.threshold_ns", device, kHitTimeMaxNs);
  if (threshold) {
    parameters.hit_time_max_ns = static_cast<std::uint64_t>(threshold->parameter.value);
    parameters.explanation +=
        fmt::format("a timed read above {} missed: cache.threshold_ns ({}, {})\n",
                    gray::cli::format_duration_ns(threshold->parameter.value),
                    gray::repo::source_name(threshold->source), threshold->parameter.date);
  } else {
    parameters.explanation +=
        "a timed read missed when it is much slower than a second one: cache.threshold_ns is not measured\n";
  }
  parameters.access_unit_bytes = choose_access_unit(repository, device);
  const auto ratio = known(repository, "disk.random_over_sequential", device, kRatioMax);
  if (ratio) parameters.random_over_sequential = ratio->parameter.value;
  parameters.explanation +=
      ratio
          ? fmt::format(
                "a random read takes {:.0f} times a sequential one: disk.random_over_sequential ({}, {})\n",
                ratio->parameter.value, gray::repo::source_name(ratio->source), ratio->parameter.date)
          : "whether seeks are dear is taken from the kernel: disk.random_over_sequential is not measured\n";
  parameters.disk_bytes_per_s =
      repository.value("disk.sequential_bytes_per_s", device).value_or(kDiskBytesPerS);
  return parameters;
}

std::string find_memory_path() {
  for (const char* variable : {"XDG_RUNTIME_DIR", "XDG_CACHE_HOME"}) {
    const char* folder = std::getenv(variable);
    if (folder != nullptr && *folder == '/') return std::string(folder) + "/gbp-probes";
  }
  const char* home = std::getenv("HOME");
  return home != nullptr && *home == '/' ? std::string(home) + "/.cache/gbp-probes" : "";
}

HostParameters read_host_parameters(const std::string& path) {
  const Repository repository(gray::repo::default_places());
  for (const std::string& problem : repository.problems()) gray::cli::warn("{}", problem);
  HostParameters parameters =
      choose_host_parameters(repository, gray::repo::device_identity(path).value_or(""));
  parameters.memory_path = find_memory_path();
  return parameters;
}

}  // namespace gbp
