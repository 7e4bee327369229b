// SPDX-License-Identifier: MIT
// detector: how much of a file is cached, by the best backend that permission and self-test allow.
//
// Knowledge assumed: neighbouring pages are cached and evicted together, so one page answers for its
// prediction unit.
// Output observed: the kernel's counts where they are true, else the time of one-byte reads.
// Inference drawn: the share of the file that is resident.
// A slow read counts as a miss when the thread slept in it; otherwise the next page is asked as well.
// What breaks it: a cache whose neighbours are unrelated (random access), eviction between probing and use;
// on overlay the kernel's count is 0 for every file, which the self-test finds out. Where even repeated reads
// are slow, reads bypass the page cache and the answer is "unknown".
#pragma once

#include <cstdint>
#include <map>

#include "libgray/src/filecache/probe_plan.hpp"
#include "libgray/src/os/os.hpp"
#include "toolbox/base/result.hpp"

namespace gray::filecache {

/// Numbered as gb_backend_t.
enum class Backend : std::uint32_t { automatic = 0, cachestat = 1, mincore = 2, timed = 3, none = 4 };

struct DetectorOptions {
  Backend backend = Backend::automatic;
  ProbePlanOptions plan;
  std::uint64_t hit_time_max_ns = 0;  // a slower probe missed; 0: judge each against a certain hit
};

struct CacheReport {
  std::uint64_t file_bytes = 0;
  double cached_fraction = -1;  // negative: unknown
  std::uint64_t probe_time_ns = 0;
  std::uint32_t probes = 0;
  Backend backend = Backend::none;
};

/// Remembers which devices' counts are true. One thread at a time.
class Detector {
 public:
  explicit Detector(const DetectorOptions& options) : options_(options) {}

  /// Looks at one file. Errors: as stat(2) and open(2).
  base::Result<CacheReport> inspect(const char* path);

 private:
  [[nodiscard]] bool may_use(Backend backend) const;
  CacheReport inspect_open(int fd, const os::FileFacts& facts);
  bool count(int fd, const os::FileFacts& facts, CacheReport& report);
  bool is_count_true(int fd, const os::FileFacts& facts, std::uint64_t resident);
  void probe(int fd, const os::FileFacts& facts, CacheReport& report);

  DetectorOptions options_;
  std::map<std::uint64_t, bool> is_count_true_;  // by device, once tested
};

}  // namespace gray::filecache
