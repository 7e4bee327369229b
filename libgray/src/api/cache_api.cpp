// SPDX-License-Identifier: MIT
// cache_api: the C interface of the file-cache detector. No exception leaves this file.
#include <cerrno>
#include <string>
#include <vector>

#include "gray/cache.h"
#include "libgray/src/api/cache_handle.hpp"
#include "libgray/src/api/guarded.hpp"
#include "libgray/src/api/sized_struct.hpp"
#include "libgray/src/filecache/detector.hpp"
#include "libgray/src/filecache/host_settings.hpp"
#include "libgray/src/os/os.hpp"

struct gb_cache_plan {
  std::vector<gray::filecache::Unit> units;
};

namespace {

using gray::api::guarded;
using gray::filecache::Backend;

constexpr std::size_t kOptionsSizeFirst = 32;  // release 0.1
constexpr std::size_t kReportSizeFirst = 40;
constexpr std::size_t kPlanOptionsSizeFirst = 40;
constexpr std::size_t kUnitSizeFirst = 56;
constexpr std::size_t kSettingsSizeFirst = 48;
constexpr std::size_t kPredictionSizeFirst = 40;
static_assert(sizeof(gb_cache_options) >= kOptionsSizeFirst && sizeof(gb_cache_report) >= kReportSizeFirst);
static_assert(sizeof(gb_cache_prediction) >= kPredictionSizeFirst);
static_assert(sizeof(gb_cache_plan_options) >= kPlanOptionsSizeFirst &&
              sizeof(gb_cache_unit) >= kUnitSizeFirst && sizeof(gb_cache_settings) >= kSettingsSizeFirst);

constexpr std::uint32_t kProbesPerUnitMax = 64;  // more probes than this cost more than reading the unit

int read_options(const struct gb_cache_options* given, gray::filecache::DetectorOptions& options) {
  struct gb_cache_options asked {};
  const int status = gray::api::read_sized(given, kOptionsSizeFirst, asked);
  if (status != 0) return status;
  if (asked.backend >= static_cast<std::uint32_t>(Backend::none)) return -EINVAL;
  if (asked.probes_per_unit > kProbesPerUnitMax) return -EINVAL;
  options.backend = static_cast<Backend>(asked.backend);
  if (asked.probes_per_unit != 0) options.plan.probes_per_unit = asked.probes_per_unit;
  options.plan.prediction_unit_bytes = asked.prediction_unit_bytes;
  if (asked.seed != 0) options.plan.seed = asked.seed;
  options.hit_time_max_ns = asked.hit_time_max_ns;
  if (asked.probe_budget_bytes != 0) options.probe_budget_bytes = asked.probe_budget_bytes;
  options.memory_path = asked.memory_path;
  return 0;
}

struct gb_cache_report report_of(const gray::filecache::CacheReport& found) {
  struct gb_cache_report report {};
  report.size_bytes = found.file_bytes;
  report.cached_fraction = found.cached_fraction;
  report.probe_time_ns = found.probe_time_ns;
  report.probes = found.probes;
  report.backend = static_cast<std::uint32_t>(found.backend);
  report.confidence = found.confidence;
  report.access_time_ns = found.access_ns;
  return report;
}

int read_plan_options(const struct gb_cache_plan_options* given, gray::filecache::UnitOptions& options) {
  struct gb_cache_plan_options asked {};
  const int status = gray::api::read_sized(given, kPlanOptionsSizeFirst, asked);
  if (status != 0) return status;
  if (asked.extents == nullptr && asked.extent_count != 0) return -EINVAL;
  options.access_unit_bytes = asked.access_unit_bytes;
  options.record_bytes = asked.record_bytes;
  for (std::size_t i = 0; i < asked.extent_count; ++i)
    options.extents.push_back({asked.extents[i].offset_bytes, asked.extents[i].length_bytes});
  return 0;
}

std::uint32_t number(gray::filecache::Origin origin) {
  return static_cast<std::uint32_t>(origin);
}

gray::filecache::DetectorOptions with_record(gray::filecache::DetectorOptions options, gb_cache& cache) {
  options.settings_of = [&cache](int fd) {
    const struct gb_cache_settings settings = cache.settings_for("/proc/self/fd/" + std::to_string(fd));
    const gray::filecache::HostSettings& host =
        cache.record.settings_for("/proc/self/fd/" + std::to_string(fd));
    return gray::filecache::DeviceSettings{settings.prediction_unit_bytes, settings.hit_time_max_ns,
                                           host.speed, host.memory_bytes_per_s};
  };
  return options;
}

}  // namespace

gb_cache::gb_cache(const gray::filecache::DetectorOptions& given)
    : options(given),
      memory_path(given.memory_path == nullptr ? "" : given.memory_path),
      detector(with_record(given, *this)) {
  options.memory_path = given.memory_path == nullptr ? nullptr : memory_path.c_str();
}

gray::filecache::DetectorOptions gray::api::default_options() {
  gray::filecache::DetectorOptions options;
  options.plan.prediction_unit_bytes = 0;  // 0: the unit of the host's record
  options.plan.seed = gray::os::fresh_seed();
  return options;
}

// The settings that the caller has set, else recorded settings or settings that are measured now, else the defaults of
// the library.
struct gb_cache_settings gb_cache::settings_for(const std::string& path) {
  using gray::filecache::Origin;
  const gray::filecache::HostSettings& host = record.settings_for(path);
  struct gb_cache_settings settings {};
  settings.prediction_unit_bytes = gray::filecache::ProbePlanOptions{}.prediction_unit_bytes;
  if (host.prediction_unit_bytes != 0) settings.prediction_unit_bytes = host.prediction_unit_bytes;
  settings.prediction_unit_origin = number(host.prediction_unit_origin);
  settings.hit_time_max_ns = host.hit_time_max_ns;
  settings.hit_time_origin = number(host.hit_time_origin);
  settings.access_unit_bytes = host.access_unit_bytes;
  settings.access_unit_origin = number(host.access_unit_origin);
  if (options.plan.prediction_unit_bytes != 0) {
    settings.prediction_unit_bytes = options.plan.prediction_unit_bytes;
    settings.prediction_unit_origin = number(Origin::caller);
  }
  if (options.hit_time_max_ns != 0) {
    settings.hit_time_max_ns = options.hit_time_max_ns;
    settings.hit_time_origin = number(Origin::caller);
  }
  return settings;
}

extern "C" gb_status_t gb_cache_open(const struct gb_cache_options* options, gb_cache_t** detector) {
  if (detector == nullptr) return -EINVAL;
  *detector = nullptr;
  return guarded([&] {
    gray::filecache::DetectorOptions read = gray::api::default_options();
    const int status = options == nullptr ? 0 : read_options(options, read);
    if (status == 0) *detector = new gb_cache(read);
    return status;
  });
}

extern "C" void gb_cache_close(gb_cache_t* detector) {
  delete detector;
}

extern "C" gb_status_t gb_cache_inspect(gb_cache_t* detector, const char* path,
                                        struct gb_cache_report* report) {
  if (detector == nullptr || path == nullptr || report == nullptr || report->size < kReportSizeFirst)
    return -EINVAL;
  return guarded([&] {
    const auto found = detector->detector.inspect(path);
    return found ? gray::api::write_sized(report_of(found.value()), kReportSizeFirst, report) : found.error();
  });
}

extern "C" gb_status_t gb_cache_inspect_fd(gb_cache_t* detector, int fd, struct gb_cache_report* report) {
  if (detector == nullptr || report == nullptr || report->size < kReportSizeFirst) return -EINVAL;
  return guarded([&] {
    const auto found = detector->detector.inspect_open(fd);
    return found ? gray::api::write_sized(report_of(found.value()), kReportSizeFirst, report) : found.error();
  });
}

extern "C" gb_status_t gb_cache_learn_fd(gb_cache_t* detector, int fd, uint64_t bytes_max, uint64_t* bytes) {
  if (detector == nullptr || bytes == nullptr) return -EINVAL;
  return guarded([&] {
    const auto learned = detector->detector.learn(fd, bytes_max);
    if (learned) *bytes = learned.value();
    return learned.error();
  });
}

extern "C" gb_status_t gb_cache_predict_fd(gb_cache_t* detector, int fd, uint64_t offset_bytes,
                                           uint64_t length_bytes, struct gb_cache_prediction* prediction) {
  if (detector == nullptr || prediction == nullptr || prediction->size < kPredictionSizeFirst) return -EINVAL;
  return guarded([&] {
    const auto found = detector->detector.predict(fd, {offset_bytes, length_bytes});
    if (!found) return found.error();
    struct gb_cache_prediction answer {};
    answer.missing_bytes = found.value().missing_bytes;
    answer.access_ns = found.value().speed.access_ns;
    answer.bytes_per_s = found.value().speed.bytes_per_s;
    answer.read_ns = found.value().read_ns;
    return gray::api::write_sized(answer, kPredictionSizeFirst, prediction);
  });
}

extern "C" gb_status_t gb_cache_plan_file(gb_cache_t* detector, const char* path,
                                          const struct gb_cache_plan_options* options,
                                          gb_cache_plan_t** plan) {
  if (plan == nullptr) return -EINVAL;
  *plan = nullptr;
  if (detector == nullptr || path == nullptr) return -EINVAL;
  return guarded([&] {
    gray::filecache::UnitOptions read;
    read.access_unit_bytes = 0;  // 0: the unit of the host's record
    int status = options == nullptr ? 0 : read_plan_options(options, read);
    if (status != 0) return status;
    if (read.access_unit_bytes == 0)
      read.access_unit_bytes = detector->record.settings_for(path).access_unit_bytes;
    std::vector<gray::filecache::Unit> units;
    status = detector->detector.plan(path, read, units);
    if (status == 0) *plan = new gb_cache_plan{std::move(units)};
    return status;
  });
}

extern "C" gb_status_t gb_cache_explain(gb_cache_t* detector, const char* path,
                                        struct gb_cache_settings* settings) {
  if (detector == nullptr || path == nullptr || settings == nullptr || settings->size < kSettingsSizeFirst)
    return -EINVAL;
  return guarded(
      [&] { return gray::api::write_sized(detector->settings_for(path), kSettingsSizeFirst, settings); });
}

extern "C" size_t gb_cache_plan_count(const gb_cache_plan_t* plan) {
  return plan == nullptr ? 0 : plan->units.size();
}

extern "C" gb_status_t gb_cache_plan_unit(const gb_cache_plan_t* plan, size_t rank,
                                          struct gb_cache_unit* unit) {
  if (unit == nullptr || rank >= gb_cache_plan_count(plan)) return -EINVAL;
  const gray::filecache::Unit& found = plan->units[rank];
  struct gb_cache_unit answer {};
  answer.offset_bytes = found.stretch.offset_bytes;
  answer.length_bytes = found.stretch.length_bytes;
  answer.cached_fraction = found.cache.cached_fraction;
  answer.confidence = found.cache.confidence;
  answer.probe_time_ns = found.cache.probe_time_ns;
  answer.probes = found.cache.probes;
  answer.backend = static_cast<std::uint32_t>(found.cache.backend);
  answer.access_time_ns = found.cache.access_ns;
  return gray::api::write_sized(answer, kUnitSizeFirst, unit);
}

extern "C" void gb_cache_plan_free(gb_cache_plan_t* plan) {
  delete plan;
}
