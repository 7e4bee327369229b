// SPDX-License-Identifier: MIT
// cache_api: the C face of the file-cache detector. Exceptions end here.
#include <cerrno>
#include <new>

#include "gray/cache.h"
#include "libgray/src/filecache/detector.hpp"
#include "libgray/src/os/os.hpp"

struct gb_cache {
  gray::filecache::Detector detector;
};

namespace {

using gray::filecache::Backend;

bool read_options(const struct gb_cache_options& given, gray::filecache::DetectorOptions& options) {
  if (given.size != sizeof given || given.backend > static_cast<std::uint32_t>(Backend::none)) return false;
  options.backend = static_cast<Backend>(given.backend);
  if (given.probes_per_unit != 0) options.plan.probes_per_unit = given.probes_per_unit;
  if (given.prediction_unit_bytes != 0) options.plan.prediction_unit_bytes = given.prediction_unit_bytes;
  if (given.seed != 0) options.plan.seed = given.seed;
  return true;
}

}  // namespace

extern "C" gb_status_t gb_cache_open(const struct gb_cache_options* options, gb_cache_t** detector) {
  if (detector == nullptr) return -EINVAL;
  gray::filecache::DetectorOptions read;
  read.plan.seed = gray::os::fresh_seed();
  if (options != nullptr && !read_options(*options, read)) return -EINVAL;
  *detector = new (std::nothrow) gb_cache{gray::filecache::Detector(read)};
  return *detector == nullptr ? -ENOMEM : 0;
}

extern "C" void gb_cache_close(gb_cache_t* detector) {
  delete detector;
}

extern "C" gb_status_t gb_cache_inspect(gb_cache_t* detector, const char* path,
                                        struct gb_cache_report* report) {
  if (detector == nullptr || path == nullptr || report == nullptr || report->size != sizeof *report)
    return -EINVAL;
  try {
    const auto found = detector->detector.inspect(path);
    if (!found) return found.error();
    report->size_bytes = found.value().file_bytes;
    report->cached_fraction = found.value().cached_fraction;
    report->probe_time_ns = found.value().probe_time_ns;
    report->probes = found.value().probes;
    report->backend = static_cast<std::uint32_t>(found.value().backend);
    return 0;
  } catch (const std::bad_alloc&) {
    return -ENOMEM;
  } catch (...) {
    return -EIO;
  }
}
