// SPDX-License-Identifier: MIT
#include "libgray/src/filecache/host_settings.hpp"

#include <algorithm>

#include "libgray/src/core/hit_classifier.hpp"
#include "toolbox/base/units.hpp"
#include "toolbox/repo/device_identity.hpp"

namespace gray::filecache {
namespace {

using repo::Found;
using repo::Repository;

// The upper limit of a size. It converts to an integer without overflow, and is larger than every useful file.
constexpr double kUnitBytesMax = 0x1p62;

// The lower limit is the paper's unit. The upper limit still leaves several units in a file.
constexpr std::uint64_t kAccessUnitBytesMin = 20 * base::kMiB;
constexpr std::uint64_t kAccessUnitBytesMax = 128 * base::kMiB;
constexpr double kWindowsPerUnit = 3;

// A threshold above this cannot be the time of a read.
constexpr double kHitTimeMaxNs = 1e12;
constexpr double kSpeedMax = 1e15;
constexpr double kMemoryBytesPerS = 4e9;
constexpr double kHitNs = 500;

// No device's ratio of random to sequential time is larger than this.
constexpr double kRatioMax = 1e9;

double bytes_of(const std::optional<Found>& found) {
  return found ? found->parameter.value : 0;
}

void choose_prediction_unit(HostSettings& settings) {
  if (settings.unit_set) {
    settings.prediction_unit_bytes = static_cast<std::uint64_t>(settings.unit_set->parameter.value);
  } else if (settings.unit || settings.window) {
    const double larger = std::max(bytes_of(settings.unit), bytes_of(settings.window));
    settings.prediction_unit_bytes =
        std::clamp(static_cast<std::uint64_t>(larger), kMeasuredUnitBytesMin, kMeasuredUnitBytesMax);
  }
  if (settings.prediction_unit_bytes != 0) settings.prediction_unit_origin = Origin::record;
}

// The value that a person set. Otherwise the largest of the measured unit, three read-ahead windows and the paper's unit: read-ahead for one part must not
// evict the next part.
void choose_access_unit(const std::optional<Found>& set, HostSettings& settings) {
  if (set) {
    settings.access_unit_bytes = static_cast<std::uint64_t>(set->parameter.value);
    settings.access_unit_origin = Origin::record;
    return;
  }
  const double larger = std::max(bytes_of(settings.unit), kWindowsPerUnit * bytes_of(settings.window));
  settings.access_unit_bytes =
      std::clamp(static_cast<std::uint64_t>(larger), kAccessUnitBytesMin, kAccessUnitBytesMax);
  if (settings.access_unit_bytes != kAccessUnitBytesMin) settings.access_unit_origin = Origin::record;
}

void choose_threshold(TimeHit time_hit, HostSettings& settings) {
  if (settings.threshold) {
    settings.hit_time_max_ns = static_cast<std::uint64_t>(settings.threshold->parameter.value);
    settings.hit_time_origin = Origin::record;
    return;
  }
  if (time_hit == nullptr) return;
  const base::Result<timing::CachedRead> timed = time_hit();
  if (!timed) return;
  const auto hit_ns = static_cast<std::uint64_t>(timed.value().hit_ns);
  if (hit_ns == 0 || !core::is_hit_credible(hit_ns, false)) return;
  settings.hit_now = timed.value();
  settings.hit_time_max_ns = core::threshold_by_hit(hit_ns);
  settings.hit_time_origin = Origin::now;
}

// A figure measured on another disk is not used. A figure that a person set for all devices is used.
double of_device(const Repository& repository, const char* key, const std::string& device) {
  const std::optional<Found> found = find_known(repository, key, device, kSpeedMax);
  if (!found) return 0;
  const bool is_said = found->source == repo::Source::kFlag || found->source == repo::Source::kEnvironment;
  const bool is_this = !device.empty() && found->parameter.device == device;
  return is_said || is_this ? found->parameter.value : 0;
}

void choose_speed(const Repository& repository, const std::string& device, HostSettings& settings) {
  settings.speed.access_ns = of_device(repository, "disk.miss_ns", device);
  if (settings.speed.access_ns == 0)
    settings.speed.access_ns = of_device(repository, "disk.random_read_ns", device);
  settings.speed.bytes_per_s = of_device(repository, "disk.sequential_bytes_per_s", device);
  settings.seek_settle_ns = of_device(repository, "disk.seek_settle_ns", device);
  settings.seek_average_ns = of_device(repository, "disk.seek_average_ns", device);
  settings.rotation_ns = of_device(repository, "disk.rotation_ns", device);
  settings.seek_span_bytes = of_device(repository, "disk.seek_span_bytes", device);
  const std::optional<Found> memory = find_known(repository, "memory.copy_bytes_per_s", "", kSpeedMax);
  settings.memory_bytes_per_s = memory ? memory->parameter.value : kMemoryBytesPerS;
}

}  // namespace

std::optional<Found> find_known(const Repository& repository, const char* key, const std::string& device,
                                double max) {
  std::optional<Found> found = repository.find(key, device);
  if (!found || found->source == repo::Source::kDefault || found->parameter.value < 1 ||
      found->parameter.value > max) {
    return std::nullopt;
  }
  return found;
}

HostSettings choose_settings(const Repository& repository, const std::string& device, TimeHit time_hit) {
  HostSettings settings;
  settings.unit_set = find_known(repository, "filecache.prediction_unit_bytes", device, kUnitBytesMax);
  settings.unit = find_known(repository, "disk.access_unit_bytes", device, kUnitBytesMax);
  settings.window = find_known(repository, "disk.readahead_max_bytes", device, kUnitBytesMax);
  settings.threshold = find_known(repository, "cache.threshold_ns", device, kHitTimeMaxNs);
  choose_prediction_unit(settings);
  choose_access_unit(find_known(repository, "filecache.access_unit_bytes", device, kUnitBytesMax), settings);
  choose_threshold(time_hit, settings);
  choose_speed(repository, device, settings);
  settings.ratio = find_known(repository, "disk.random_over_sequential", device, kRatioMax);
  settings.hit_ns = repository.value("cache.hit_ns").value_or(kHitNs);
  if (settings.hit_now) settings.hit_ns = settings.hit_now->hit_ns;
  return settings;
}

const HostSettings& HostRecord::settings_for(const std::string& path) {
  if (!repository_) repository_ = std::make_shared<const Repository>(repo::default_places());
  const std::string device = repo::device_identity(path).value_or("");
  const auto known = by_device_.find(device);
  if (known != by_device_.end()) return known->second;
  return by_device_[device] = choose_settings(*repository_, device, timing::time_cached_read);
}

}  // namespace gray::filecache
