// SPDX-License-Identifier: MIT
// forecast: predicts how much time an order will save, before any file is read. Pure except for cache_bytes_max_now() and free_bytes_now().
//
// Knowledge assumed: a cache evicts the pages that were used longest ago. If a set larger than the cache is read in the same order again and again, the cache keeps nothing of
// it. If the cached files are read first, the cache keeps as much as it can hold (SOSP 2001, section 4.1).
// Observed: the size of the set S, how much of it is cached, and the memory C that can hold files.
// Inferred: the share that a pass must read from disk, at best 1 - C/S, and its time compared with a pass in a fixed order.
// What breaks it: other programs that fill the cache at the same time; a kernel that protects refaulted pages (a fixed order is then faster than predicted); a program whose own
// work takes longer than its reads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/gbp/cost.hpp"
#include "tools/gbp/scan_time.hpp"

namespace gbp {

struct Forecast {
  std::uint64_t set_bytes = 0;
  std::uint64_t unknown_bytes = 0;  // bytes of files whose cached share is unknown
  double cached_bytes = 0;
  std::uint64_t cache_bytes_max = 0;  // how many bytes of files memory can hold
  double disk_share_min = 0;          // the bound 1 - C/S, not below 0
  std::optional<double> given_s;      // time of this pass in the given order; no value: not known
  std::optional<double> best_s;       // time of this pass in the best order
  double gain_now = 1;                // time of this pass without gbp, divided by its time with gbp
  double gain_repeated = 1;           // the same for every further pass
  std::string verdict;                // one sentence
};

/// The rates of a scan.
struct ScanRates {
  double disk_bytes_per_s;  // for all stores together, used where their speeds are not known
  double memory_bytes_per_s;
  StoreSpeeds speeds;
};

/// Makes the forecast. `files` are in the given order, `best` are in the best order.
Forecast forecast(const std::vector<File>& files, const std::vector<File>& best,
                  std::uint64_t cache_bytes_max, const ScanRates& rates);

/// How many bytes of files memory can hold now, by libgray's accounts of host and control groups; 0 when unknown.
std::uint64_t cache_bytes_max_now();

/// How many bytes can be read before the kernel has to evict pages. No value unless a limit below the host's memory tells it.
std::optional<std::uint64_t> free_bytes_now();

/// The lines of `gbp --plan`. `device_class` is a phrase.
std::string describe(const Forecast& forecast, const std::string& device_class);

}  // namespace gbp
