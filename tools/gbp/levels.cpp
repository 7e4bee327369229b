// SPDX-License-Identifier: MIT
#include "tools/gbp/levels.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <memory>

#include <sys/vfs.h>

#include <fmt/format.h>

#include <gray/cache.h>
#include <gray/levels.h>

#include "libgray/src/core/served_kinds.hpp"
#include "libgray/src/filecache/host_settings.hpp"
#include "toolbox/cli/quantities.hpp"
#include "tools/gbp/host_parameters.hpp"

namespace gbp {
namespace {

// So many files of a device are read from where nobody knows how long that takes, and one that has a page beside the first.
constexpr std::size_t kTimedReads = 3;
constexpr std::uint64_t kTimedBytesMin = 3 * 4096;

// A time so many times that of its device was held up by something else, or so it seems: the file is timed once more. Where that is known of fewer files, what is usual is not.
constexpr float kHeldUp = 4;
constexpr std::size_t kUsualMin = 8;

// From here on a store is slower than a disk that turns, and from there on slower than flash.
constexpr std::uint64_t kServerMinNs = 20'000'000;
constexpr std::uint64_t kDiskMinNs = 1'000'000;

struct FreeLevels {
  void operator()(gb_levels_t* levels) const { gb_levels_free(levels); }
};
using FoundLevels = std::unique_ptr<gb_levels_t, FreeLevels>;

// What is missing on one device.
struct Missing {
  std::vector<float> times_ns;           // of those that were timed
  std::vector<const File*> to_be_timed;  // a few of the others
  std::size_t untimed = 0;
};
using MissingByDevice = std::map<std::uint64_t, Missing>;

bool is_served(const char* path) {
  struct statfs status {};
  if (statfs(path, &status) != 0) return false;
  return gray::core::is_served(static_cast<std::uint32_t>(status.f_type));
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

// Reads a page of a file that is not cached; 0 where that tells nothing.
float time_miss(gb_cache_t* detector, const File& file) {
  gb_cache_report report{};
  report.size = sizeof report;
  if (detector == nullptr || gb_cache_inspect(detector, file.path, &report) != 0 ||
      report.cached_fraction >= 0.5)
    return 0;
  return static_cast<float>(report.access_time_ns);
}

float time_reads(const Missing& missing, const Wanted& wanted) {
  const Detector detector(open_detector(wanted, GB_BACKEND_TIMED));
  std::vector<float> times_ns;
  for (const File* file : missing.to_be_timed)
    if (const float time_ns = time_miss(detector.get(), *file); time_ns > 0) times_ns.push_back(time_ns);
  return times_ns.empty() ? 0 : median_of(times_ns);
}

// By device; none where too few were timed.
std::map<std::uint64_t, float> usual_times(MissingByDevice& missing) {
  std::map<std::uint64_t, float> usual_ns;
  for (auto& [device, here] : missing)
    if (here.times_ns.size() >= kUsualMin) usual_ns[device] = median_of(here.times_ns);
  return usual_ns;
}

// One that was held up by chance is not so twice.
void time_again(std::vector<File>& files, MissingByDevice& missing, const Wanted& wanted) {
  const Detector detector(open_detector(wanted, GB_BACKEND_TIMED));
  const std::map<std::uint64_t, float> usual_ns = usual_times(missing);
  for (File& file : files) {
    if (file.error != 0 || file.access_ns <= 0 || is_in_memory(file)) continue;
    const auto usual = usual_ns.find(file.device);
    if (usual == usual_ns.end() || file.access_ns <= kHeldUp * usual->second) continue;
    if (const float time_ns = time_miss(detector.get(), file); time_ns > 0)
      file.access_ns = std::min(file.access_ns, time_ns);
  }
}

// A server caches, too, so what was once measured there is not what these files will take.
float miss_time(Missing& missing, const Wanted& wanted, gray::filecache::HostRecord& record) {
  if (!missing.times_ns.empty()) return median_of(missing.times_ns);
  if (missing.to_be_timed.empty()) return 0;
  const char* path = missing.to_be_timed.front()->path;
  const double recorded_ns = is_served(path) ? 0 : record.settings_for(path).speed.access_ns;
  return recorded_ns > 0 ? static_cast<float>(recorded_ns) : time_reads(missing, wanted);
}

// Whom nobody timed has the time of memory, or of its device.
void complete_times(std::vector<File>& files, MissingByDevice& missing, const Wanted& wanted) {
  std::map<std::uint64_t, float> by_device;
  gray::filecache::HostRecord record;
  for (auto& [device, here] : missing)
    if (here.untimed != 0) by_device[device] = miss_time(here, wanted, record);
  for (File& file : files) {
    if (file.error != 0 || file.size_bytes == 0 || file.access_ns > 0) continue;
    file.access_ns = is_in_memory(file) ? static_cast<float>(wanted.host->hit_ns) : by_device[file.device];
  }
}

FoundLevels divide(const std::vector<File>& files, std::uint64_t alike_ns) {
  std::vector<std::uint64_t> times_ns;
  times_ns.reserve(files.size());
  for (const File& file : files)
    if (file.error == 0) times_ns.push_back(static_cast<std::uint64_t>(file.access_ns));
  gb_levels_t* made = nullptr;
  gb_levels_find(times_ns.data(), times_ns.size(), alike_ns, &made);
  return FoundLevels(made);
}

std::string kind_of(const StoreLevel& level, std::uint64_t alike_ns, const char* path) {
  if (level.median_ns <= alike_ns) return "memory";
  if (is_served(path) || level.median_ns >= kServerMinNs) return "server";
  return level.median_ns >= kDiskMinNs ? "disk" : "flash";
}

void add(const File& file, StoreLevel& level) {
  const auto time_ns = static_cast<std::uint64_t>(file.access_ns);
  level.low_ns = level.files == 0 ? time_ns : std::min(level.low_ns, time_ns);
  level.high_ns = std::max(level.high_ns, time_ns);
  ++level.files;
  level.bytes += file.size_bytes;
}

}  // namespace

std::vector<StoreLevel> find_levels(std::vector<File>& files, const Wanted& wanted, bool is_told) {
  MissingByDevice missing = find_missing(files);
  const bool is_timed = std::any_of(missing.begin(), missing.end(),
                                    [](const auto& one) { return !one.second.times_ns.empty(); });
  if (!is_told && !is_timed && missing.size() < 2) return {};
  if (is_timed) time_again(files, missing, wanted);
  complete_times(files, missing, wanted);
  const std::uint64_t alike_ns = wanted.host->hit_time_max_ns;
  const FoundLevels found = divide(files, alike_ns);
  std::vector<StoreLevel> levels(gb_levels_count(found.get()));
  for (std::size_t i = 0; i < levels.size(); ++i) {
    gb_level level{};
    level.size = sizeof level;
    if (gb_levels_level(found.get(), i, &level) == 0) levels[i].median_ns = level.median_ns;
  }
  std::vector<const char*> paths(levels.size(), nullptr);
  for (File& file : files) {
    if (file.error != 0) continue;
    file.level = static_cast<std::uint8_t>(levels.size());
    if (file.access_ns <= 0 || levels.empty()) continue;
    file.level =
        static_cast<std::uint8_t>(gb_levels_of(found.get(), static_cast<std::uint64_t>(file.access_ns)));
    add(file, levels[file.level]);
    if (paths[file.level] == nullptr) paths[file.level] = file.path;
  }
  for (std::size_t i = 0; i < levels.size(); ++i) {
    StoreLevel& level = levels[i];
    level.kind = kind_of(level, alike_ns, paths[i]);
    // The division knows times to a fiftieth.
    if (level.files != 0) level.median_ns = std::clamp(level.median_ns, level.low_ns, level.high_ns);
  }
  return levels;
}

std::string describe(const std::vector<StoreLevel>& levels) {
  std::string text;
  std::size_t number = 0;
  for (const StoreLevel& level : levels) {
    text += fmt::format("level {}: {}, {} files, {}; a first read takes {} ({} to {})\n", ++number,
                        level.kind, level.files, gray::cli::format_bytes(level.bytes),
                        gray::cli::format_duration_ns(static_cast<double>(level.median_ns)),
                        gray::cli::format_duration_ns(static_cast<double>(level.low_ns)),
                        gray::cli::format_duration_ns(static_cast<double>(level.high_ns)));
  }
  return text;
}

}  // namespace gbp
