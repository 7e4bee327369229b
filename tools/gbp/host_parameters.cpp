// SPDX-License-Identifier: MIT
#include "tools/gbp/host_parameters.hpp"

#include <fmt/core.h>

#include "libgray/src/filecache/probe_memory.hpp"
#include "toolbox/cli/diagnostics.hpp"
#include "toolbox/cli/quantities.hpp"
#include "toolbox/repo/device_identity.hpp"

namespace gbp {
namespace {

using gray::filecache::HostSettings;
using gray::repo::Found;
using gray::repo::Repository;

// The rates used where the repository has no value.
constexpr double kDiskBytesPerS = 100e6;
constexpr double kMemoryBytesPerS = 4e9;

std::string named(const char* key, const std::optional<Found>& found) {
  if (!found) return fmt::format("{} (not measured)", key);
  return fmt::format("{} ({}, {})", key,
                     gray::cli::format_bytes(static_cast<std::uint64_t>(found->parameter.value)),
                     gray::repo::source_name(found->source));
}

std::string explain_unit(const HostSettings& settings) {
  if (settings.unit_set) return "as " + named("filecache.prediction_unit_bytes", settings.unit_set) + " says";
  if (!settings.unit && !settings.window) return "the default: microbench has not measured this host";
  return fmt::format("the larger of {} and {}, between {} and {}",
                     named("disk.access_unit_bytes", settings.unit),
                     named("disk.readahead_max_bytes", settings.window),
                     gray::cli::format_bytes(gray::filecache::kMeasuredUnitBytesMin),
                     gray::cli::format_bytes(gray::filecache::kMeasuredUnitBytesMax));
}

std::string explain_threshold(const HostSettings& settings) {
  const std::string above =
      fmt::format("a timed read above {} missed",
                  gray::cli::format_duration_ns(static_cast<double>(settings.hit_time_max_ns)));
  if (settings.threshold) {
    return fmt::format("{}: cache.threshold_ns ({}, {})\n", above,
                       gray::repo::source_name(settings.threshold->source),
                       settings.threshold->parameter.date);
  }
  if (settings.hit_now) {
    return fmt::format(
        "{}: cache.threshold_ns is not measured, a cached read took {} just now (measured in {})\n", above,
        gray::cli::format_duration_ns(settings.hit_now->hit_ns),
        gray::cli::format_duration_ns(static_cast<double>(settings.hit_now->took_ns)));
  }
  return "a timed read missed when it is much slower than a second one: cache.threshold_ns is not measured\n";
}

}  // namespace

HostParameters choose_host_parameters(const Repository& repository, const std::string& device,
                                      gray::filecache::TimeHit time_hit) {
  HostParameters parameters;
  const HostSettings settings = gray::filecache::choose_settings(repository, device, time_hit);
  parameters.prediction_unit_bytes = settings.prediction_unit_bytes;
  parameters.hit_time_max_ns = settings.hit_time_max_ns;
  parameters.access_unit_bytes = settings.access_unit_bytes;
  const double unit_bytes = parameters.prediction_unit_bytes != 0
                                ? static_cast<double>(parameters.prediction_unit_bytes)
                                : repository.value("filecache.prediction_unit_bytes").value_or(0);
  parameters.explanation =
      fmt::format("one timed probe answers for {}: {}\n",
                  gray::cli::format_bytes(static_cast<std::uint64_t>(unit_bytes)), explain_unit(settings));
  parameters.explanation += explain_threshold(settings);
  const std::optional<Found>& ratio = settings.ratio;
  if (ratio) parameters.random_over_sequential = ratio->parameter.value;
  parameters.explanation +=
      ratio
          ? fmt::format(
                "a random read takes {:.0f} times a sequential one: disk.random_over_sequential ({}, {})\n",
                ratio->parameter.value, gray::repo::source_name(ratio->source), ratio->parameter.date)
          : "whether seeks are dear is taken from the kernel: disk.random_over_sequential is not measured\n";
  parameters.disk_bytes_per_s =
      repository.value("disk.sequential_bytes_per_s", device).value_or(kDiskBytesPerS);
  parameters.memory_bytes_per_s = repository.value("memory.copy_bytes_per_s").value_or(kMemoryBytesPerS);
  return parameters;
}

HostParameters read_host_parameters(const std::string& path, bool is_threshold_wanted) {
  const Repository repository(gray::repo::default_places());
  for (const std::string& problem : repository.problems()) gray::cli::warn("{}", problem);
  HostParameters parameters =
      choose_host_parameters(repository, gray::repo::device_identity(path).value_or(""),
                             is_threshold_wanted ? gray::timing::time_cached_read : nullptr);
  parameters.memory_path = gray::filecache::find_user_memory();
  return parameters;
}

}  // namespace gbp
