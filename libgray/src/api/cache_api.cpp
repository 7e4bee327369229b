// SPDX-License-Identifier: MIT
// cache_api: the C face of the file-cache detector. Exceptions end here.
#include <cerrno>
#include <new>

#include "gray/cache.h"
#include "libgray/src/api/sized_struct.hpp"
#include "libgray/src/filecache/detector.hpp"
#include "libgray/src/os/os.hpp"

struct gb_cache {
  gray::filecache::Detector detector;
};

namespace {

using gray::filecache::Backend;

constexpr std::size_t kOptionsSizeFirst = 32;  // release 0.1
constexpr std::size_t kReportSizeFirst = 40;
static_assert(sizeof(gb_cache_options) >= kOptionsSizeFirst && sizeof(gb_cache_report) >= kReportSizeFirst);

constexpr std::uint32_t kProbesPerUnitMax = 64;  // more probes than this cost more than reading the unit

int read_options(const struct gb_cache_options* given, gray::filecache::DetectorOptions& options) {
  struct gb_cache_options asked {};
  const int status = gray::api::read_sized(given, kOptionsSizeFirst, asked);
  if (status != 0) return status;
  if (asked.backend >= static_cast<std::uint32_t>(Backend::none)) return -EINVAL;
  if (asked.probes_per_unit > kProbesPerUnitMax) return -EINVAL;
  options.backend = static_cast<Backend>(asked.backend);
  if (asked.probes_per_unit != 0) options.plan.probes_per_unit = asked.probes_per_unit;
  if (asked.prediction_unit_bytes != 0) options.plan.prediction_unit_bytes = asked.prediction_unit_bytes;
  if (asked.seed != 0) options.plan.seed = asked.seed;
  options.hit_time_max_ns = asked.hit_time_max_ns;
  return 0;
}

int inspect(gb_cache& cache, const char* path, struct gb_cache_report& report) {
  const auto found = cache.detector.inspect(path);
  if (!found) return found.error();
  report.size_bytes = found.value().file_bytes;
  report.cached_fraction = found.value().cached_fraction;
  report.probe_time_ns = found.value().probe_time_ns;
  report.probes = found.value().probes;
  report.backend = static_cast<std::uint32_t>(found.value().backend);
  return 0;
}

}  // namespace

extern "C" gb_status_t gb_cache_open(const struct gb_cache_options* options, gb_cache_t** detector) {
  if (detector == nullptr) return -EINVAL;
  *detector = nullptr;
  gray::filecache::DetectorOptions read;
  read.plan.seed = gray::os::fresh_seed();
  const int status = options == nullptr ? 0 : read_options(options, read);
  if (status != 0) return status;
  *detector = new (std::nothrow) gb_cache{gray::filecache::Detector(read)};
  return *detector == nullptr ? -ENOMEM : 0;
}

extern "C" void gb_cache_close(gb_cache_t* detector) {
  delete detector;
}

extern "C" gb_status_t gb_cache_inspect(gb_cache_t* detector, const char* path,
                                        struct gb_cache_report* report) {
  if (detector == nullptr || path == nullptr || report == nullptr || report->size < kReportSizeFirst)
    return -EINVAL;
  try {
    struct gb_cache_report found {};
    const int status = inspect(*detector, path, found);
    return status != 0 ? status : gray::api::write_sized(found, kReportSizeFirst, report);
  } catch (const std::bad_alloc&) {
    return -ENOMEM;
  } catch (...) {
    return -EIO;
  }
}
