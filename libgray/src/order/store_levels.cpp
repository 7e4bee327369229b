// SPDX-License-Identifier: MIT
#include "libgray/src/order/store_levels.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include "libgray/src/core/served_kinds.hpp"
#include "libgray/src/os/os.hpp"
#include "toolbox/base/levels.hpp"

namespace gray::order {
namespace {

// When no time is known for a device, this many of its files are timed. Such a file must have more than one page.
constexpr std::size_t kTimedReads = 3;
constexpr std::uint64_t kTimedBytesMin = 3 * 4096;

// A read that took this many times the usual time of its device was probably delayed by something else, so the file is timed once more. With fewer timed files
// than kUsualMin the usual time is not known.
constexpr float kHeldUp = 4;
constexpr std::size_t kUsualMin = 8;

// A store with times above the first bound is slower than a rotating disk; above the second bound it is slower than flash.
constexpr std::uint64_t kServerMinNs = 20'000'000;
constexpr std::uint64_t kDiskMinNs = 1'000'000;

// The missing files of one device.
struct Missing {
  std::vector<float> times_ns;           // times of the files that were timed
  std::vector<const File*> to_be_timed;  // a few files that were not timed
  std::size_t untimed = 0;
};
using MissingByDevice = std::map<std::uint64_t, Missing>;

bool is_served(const char* path) {
  const base::Result<std::uint64_t> kind = os::file_system_kind(path);
  return kind && core::is_served(kind.value());
}

bool is_in_memory(const File& file) {
  return file.cached_fraction >= 0.5F;
}

float median_of(std::vector<float>& times_ns) {
  const auto middle = times_ns.begin() + static_cast<std::ptrdiff_t>((times_ns.size() - 1) / 2);
  std::nth_element(times_ns.begin(), middle, times_ns.end());
  return *middle;
}

MissingByDevice find_missing(const std::vector<File>& files) {
  MissingByDevice missing;
  for (const File& file : files) {
    if (file.error != 0 || file.size_bytes == 0 || is_in_memory(file)) continue;
    Missing& here = missing[file.device];
    if (file.access_ns > 0) {
      here.times_ns.push_back(file.access_ns);
      continue;
    }
    ++here.untimed;
    if (file.size_bytes >= kTimedBytesMin && here.to_be_timed.size() < kTimedReads)
      here.to_be_timed.push_back(&file);
  }
  return missing;
}

// Times the read of a page of a file that is not cached; 0 if the file is cached after all.
float time_miss(filecache::Detector& detector, const File& file) {
  const base::Result<filecache::CacheReport> found = detector.inspect(file.path);
  if (!found || found.value().cached_fraction >= 0.5) return 0;
  return static_cast<float>(found.value().access_ns);
}

float time_reads(const Missing& missing, const Request& request) {
  std::vector<float> times_ns;
  for (const File* file : missing.to_be_timed)
    if (const float time_ns = time_miss(request.timed_detector(), *file); time_ns > 0)
      times_ns.push_back(time_ns);
  return times_ns.empty() ? 0 : median_of(times_ns);
}

// The usual time of each device; a device with too few timed files has no entry.
std::map<std::uint64_t, float> usual_times(MissingByDevice& missing) {
  std::map<std::uint64_t, float> usual_ns;
  for (auto& [device, here] : missing)
    if (here.times_ns.size() >= kUsualMin) usual_ns[device] = median_of(here.times_ns);
  return usual_ns;
}

// A read that was delayed by chance is not delayed a second time.
void time_again(std::vector<File>& files, MissingByDevice& missing, const Request& request) {
  const std::map<std::uint64_t, float> usual_ns = usual_times(missing);
  for (File& file : files) {
    if (file.error != 0 || file.access_ns <= 0 || is_in_memory(file)) continue;
    const auto usual = usual_ns.find(file.device);
    if (usual == usual_ns.end() || file.access_ns <= kHeldUp * usual->second) continue;
    if (const float time_ns = time_miss(request.timed_detector(), file); time_ns > 0)
      file.access_ns = std::min(file.access_ns, time_ns);
  }
}

// A server has a cache of its own, so a time that was measured earlier does not hold for these files.
float miss_time(Missing& missing, const Request& request) {
  if (!missing.times_ns.empty()) return median_of(missing.times_ns);
  if (missing.to_be_timed.empty()) return 0;
  const char* path = missing.to_be_timed.front()->path;
  const double recorded_ns = is_served(path) ? 0 : request.record->settings_for(path).speed.access_ns;
  return recorded_ns > 0 ? static_cast<float>(recorded_ns) : time_reads(missing, request);
}

// A file that was not timed gets the usual time of memory or of its device. The host's record is read only if a file needs it: reading the record takes longer
// than examining some hundred files.
void complete_times(std::vector<File>& files, MissingByDevice& missing, const Request& request) {
  std::map<std::uint64_t, float> by_device;
  for (auto& [device, here] : missing)
    if (here.untimed != 0) by_device[device] = miss_time(here, request);
  float hit_ns = 0;
  for (File& file : files) {
    if (file.error != 0 || file.size_bytes == 0 || file.access_ns > 0) continue;
    if (is_in_memory(file) && hit_ns == 0)
      hit_ns = static_cast<float>(request.record->settings_for(files.front().path).hit_ns);
    file.access_ns = is_in_memory(file) ? hit_ns : by_device[file.device];
  }
}

base::Levels divide(const std::vector<File>& files, std::uint64_t alike_ns) {
  std::vector<std::uint64_t> times_ns;
  times_ns.reserve(files.size());
  for (const File& file : files)
    if (file.error == 0) times_ns.push_back(static_cast<std::uint64_t>(file.access_ns));
  return base::find_levels(times_ns.data(), times_ns.size(), alike_ns);
}

Kind kind_of(const StoreLevel& level, std::uint64_t alike_ns, const char* path) {
  if (level.median_ns <= alike_ns) return Kind::memory;
  if (is_served(path) || level.median_ns >= kServerMinNs) return Kind::server;
  return level.median_ns >= kDiskMinNs ? Kind::disk : Kind::flash;
}

void add(const File& file, StoreLevel& level) {
  const auto time_ns = static_cast<std::uint64_t>(file.access_ns);
  level.low_ns = level.files == 0 ? time_ns : std::min(level.low_ns, time_ns);
  level.high_ns = std::max(level.high_ns, time_ns);
  ++level.files;
  level.bytes += file.size_bytes;
}

}  // namespace

std::vector<StoreLevel> find_levels(std::vector<File>& files, const Request& request) {
  MissingByDevice missing = find_missing(files);
  const bool is_timed = std::any_of(missing.begin(), missing.end(),
                                    [](const auto& one) { return !one.second.times_ns.empty(); });
  if (files.empty() || (!request.are_levels_told && !is_timed && missing.size() < 2)) return {};
  if (is_timed) time_again(files, missing, request);
  complete_times(files, missing, request);
  const std::uint64_t alike_ns = request.hit_time_max_ns != 0
                                     ? request.hit_time_max_ns
                                     : request.record->settings_for(files.front().path).hit_time_max_ns;
  const base::Levels found = divide(files, alike_ns);
  std::vector<StoreLevel> levels(found.count);
  std::vector<const char*> paths(levels.size(), nullptr);
  for (File& file : files) {
    if (file.error != 0) continue;
    file.level = static_cast<std::uint8_t>(levels.size());
    if (file.access_ns <= 0 || levels.empty()) continue;
    file.level = static_cast<std::uint8_t>(found.of(static_cast<std::uint64_t>(file.access_ns)));
    add(file, levels[file.level]);
    if (paths[file.level] == nullptr) paths[file.level] = file.path;
  }
  for (std::size_t i = 0; i < levels.size(); ++i) {
    StoreLevel& level = levels[i];
    level.median_ns = found.level.at(i).median_ns;
    level.kind = kind_of(level, alike_ns, paths[i]);
    // The division into levels uses times rounded to 3 %.
    if (level.files != 0) level.median_ns = std::clamp(level.median_ns, level.low_ns, level.high_ns);
  }
  return levels;
}

}  // namespace gray::order
