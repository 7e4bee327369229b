// SPDX-License-Identifier: MIT
#include "tools/gbp/scan_time.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <memory>

#include <fcntl.h>
#include <unistd.h>

#include "libgray/src/filecache/host_settings.hpp"
#include "toolbox/base/fd.hpp"
#include "toolbox/base/units.hpp"

namespace gbp {
namespace {

constexpr std::size_t kFilesRead = 8;
constexpr std::uint64_t kReadBytesMax = gray::base::kMiB;
// A gap that is passed over sooner than a head would jump it.
constexpr std::uint64_t kPassedBytes = gray::base::kMiB;

using FilesByDevice = std::map<std::uint64_t, std::vector<const File*>>;

FilesByDevice find_missing(const std::vector<File>& files) {
  FilesByDevice missing;
  for (const File& file : files)
    if (file.error == 0 && file.size_bytes != 0 && file.cached_fraction <= 0)
      missing[file.device].push_back(&file);
  return missing;
}

void learn(gb_cache_t* detector, const char* path) {
  const gray::base::ScopedFd file = gray::base::ScopedFd::open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK);
  std::uint64_t bytes = 0;
  if (file.is_open()) gb_cache_learn_fd(detector, file.get(), kReadBytesMax, &bytes);
}

// The speed that was learned of the device of this file.
gray::filecache::DeviceSpeed learned_speed(gb_cache_t* detector, const char* path) {
  const gray::base::ScopedFd file = gray::base::ScopedFd::open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK);
  gb_cache_prediction prediction{};
  prediction.size = sizeof prediction;
  if (!file.is_open() || gb_cache_predict_fd(detector, file.get(), 0, 1, &prediction) != 0) return {};
  return {prediction.access_ns, prediction.bytes_per_s};
}

double to_get_there_ns(const StoreSpeed& store, std::uint64_t distance_bytes) {
  const SeekCurve& seek = store.seek;
  if (seek.span_bytes <= 0 || seek.rotation_ns <= 0) return store.speed.access_ns;
  const double third = seek.span_bytes / 3;
  const double share = std::min(static_cast<double>(distance_bytes) / third, 1.0);
  return seek.settle_ns + (seek.average_ns - seek.settle_ns) * std::sqrt(share) + seek.rotation_ns / 2;
}

// The heads of the devices, as one file after the other is read.
class Scan {
 public:
  explicit Scan(const StoreSpeeds& speeds) : speeds_(speeds) {}

  std::optional<double> missing_ns(const File& file, double bytes) {
    const auto found = speeds_.find(file.device);
    if (found == speeds_.end() || found->second.speed.access_ns <= 0) return std::nullopt;
    const StoreSpeed& store = found->second;
    return gray::filecache::fetch_ns({way_ns(store, file), store.speed.bytes_per_s}, bytes);
  }

 private:
  double way_ns(const StoreSpeed& store, const File& file) {
    if (!file.has_first_extent) return store.speed.access_ns;
    const auto last = ends_.find(file.device);
    const bool is_first = last == ends_.end();
    const std::uint64_t from = is_first ? 0 : last->second;
    const std::uint64_t to = file.first_extent_bytes;
    ends_[file.device] = to + file.size_bytes;
    if (is_first || store.seek.span_bytes <= 0)
      return is_passed(is_first, from, to) ? 0 : store.speed.access_ns;
    return is_passed(is_first, from, to) ? 0 : to_get_there_ns(store, to > from ? to - from : from - to);
  }

  static bool is_passed(bool is_first, std::uint64_t from, std::uint64_t to) {
    return !is_first && to >= from && to - from <= kPassedBytes;
  }

  const StoreSpeeds& speeds_;
  std::map<std::uint64_t, std::uint64_t> ends_;  // by device: where the last file ended
};

}  // namespace

StoreSpeeds learn_speeds(const std::vector<File>& files, const Wanted& wanted) {
  StoreSpeeds speeds;
  const Detector detector(open_detector(wanted, GB_BACKEND_AUTO));
  if (!detector) return speeds;
  gray::filecache::HostRecord record;
  for (const auto& [device, missing] : find_missing(files)) {
    const std::size_t count = std::min(missing.size(), kFilesRead);
    // From both ends in turn: each is a way of its own, also where they lie in this order.
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t place = i % 2 == 0 ? i / 2 : count - 1 - i / 2;
      learn(detector.get(), missing[place * (missing.size() / count)]->path);
    }
    StoreSpeed& store = speeds[device];
    store.speed = learned_speed(detector.get(), missing.front()->path);
    const gray::filecache::HostSettings& settings = record.settings_for(missing.front()->path);
    store.seek = {settings.seek_settle_ns, settings.seek_average_ns, settings.rotation_ns,
                  settings.seek_span_bytes};
  }
  return speeds;
}

std::optional<double> scan_seconds(const std::vector<File>& files, const StoreSpeeds& speeds,
                                   double memory_bytes_per_s, bool is_cache_lost) {
  Scan scan(speeds);
  double ns = 0;
  for (const File& file : files) {
    if (file.error != 0 || file.size_bytes == 0) continue;
    if (file.cached_fraction < 0) return std::nullopt;
    const auto bytes = static_cast<double>(file.size_bytes);
    const double missing = is_cache_lost ? bytes : (1 - static_cast<double>(file.cached_fraction)) * bytes;
    ns += (bytes - missing) / memory_bytes_per_s * 1e9;
    if (missing < 1) continue;
    const std::optional<double> missing_ns = scan.missing_ns(file, missing);
    if (!missing_ns) return std::nullopt;
    ns += *missing_ns;
  }
  return ns / 1e9;
}

}  // namespace gbp
