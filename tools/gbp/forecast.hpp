// SPDX-License-Identifier: MIT
// forecast: predicts what an order will gain, before anything is read. Pure, except for cache_bytes_max_now() and free_bytes_now().
//
// Knowledge assumed: a cache that evicts what was used longest ago keeps nothing of a set larger than itself when that is
// read in the same order again and again; read cached-first, it keeps as much as it holds (SOSP 2001, section 4.1).
// Observed: the size of the set, what of it is cached, the memory that may hold files.
// Inferred: the share that a pass must read from disk, at best 1 - C/S, and the time it takes against a fixed order's.
// What breaks it: other programs that fill the cache; a kernel that protects pages that it has seen refault (the fixed order is then better than predicted); a program whose own
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
  std::uint64_t unknown_bytes = 0;  // of files of unknown content
  double cached_bytes = 0;
  std::uint64_t cache_bytes_max = 0;  // what memory may hold of files
  double disk_share_min = 0;          // the bound 1 - C/S, not below 0
  std::optional<double> given_s;      // this pass in the order given; nothing: not known
  std::optional<double> best_s;       // and in the best one
  double gain_now = 1;                // time of this pass without gbp over its time with it
  double gain_repeated = 1;           // the same of every further pass
  std::string verdict;                // one sentence
};

/// The results of a scan.
struct ScanRates {
  double disk_bytes_per_s;  // of all stores that the files are in, where their speeds are not known
  double memory_bytes_per_s;
  StoreSpeeds speeds;
};

/// `files` in the given order, and `best` in the best order.
Forecast forecast(const std::vector<File>& files, const std::vector<File>& best,
                  std::uint64_t cache_bytes_max, const ScanRates& rates);

/// How much memory may hold files now, by libgray's accounts of the host and the control groups; 0 if unknown.
std::uint64_t cache_bytes_max_now();

/// How many bytes may come before the kernel must evict pages, if a limit below the host's memory tells that.
std::optional<std::uint64_t> free_bytes_now();

/// The lines of `gbp --plan`. `device_class` is a phrase.
std::string describe(const Forecast& forecast, const std::string& device_class);

}  // namespace gbp
