// SPDX-License-Identifier: MIT
// host_settings: the settings that a detector takes from the host's record (toolbox/repo) if the caller gives none: the size of the part for which one probe is
// a sample, how long a hit may take, and in which parts a file is read.
//
// Pages that are read together are cached together, so one probe answers for the larger of the measured access unit and the read-ahead window. Finer probing learns nothing more.
// Shipped defaults are guesses about another machine, and are not used here.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "libgray/src/filecache/device_speed.hpp"
#include "toolbox/repo/repository.hpp"
#include "toolbox/timing/cached_read.hpp"

namespace gray::filecache {

/// The numbers are those of gb_origin_t.
enum class Origin : std::uint32_t { library = 0, caller = 1, record = 2, now = 3 };

struct HostSettings {
  std::uint64_t prediction_unit_bytes = 0;  // 0: the library's own
  std::uint64_t hit_time_max_ns = 0;        // 0: each probe is judged against a certain hit
  std::uint64_t access_unit_bytes = 0;      // never 0 once chosen
  DeviceSpeed speed;              // as measured on this device; a measurement of another device is not used
  double memory_bytes_per_s = 0;  // never 0 once chosen
  double hit_ns = 0;              // a first read of a cached page, measured or the default
  // For a disk with a head, as measured on this disk; 0: not measured.
  double seek_settle_ns = 0;
  double seek_average_ns = 0;
  double rotation_ns = 0;
  double seek_span_bytes = 0;
  Origin prediction_unit_origin = Origin::library;
  Origin hit_time_origin = Origin::library;
  Origin access_unit_origin = Origin::library;
  // The records from which the settings were derived, for callers that explain them.
  std::optional<repo::Found> unit_set;
  std::optional<repo::Found> unit;
  std::optional<repo::Found> window;
  std::optional<repo::Found> threshold;
  std::optional<repo::Found> ratio;  // time of a random read over that of a sequential read
  std::optional<timing::CachedRead> hit_now;
};

/// A measured unit is limited to this range. With a smaller unit probing costs as much as reading; with a larger unit one probe is a sample of too
/// many pages.
inline constexpr std::uint64_t kMeasuredUnitBytesMin = std::uint64_t{1} << 20;
inline constexpr std::uint64_t kMeasuredUnitBytesMax = std::uint64_t{32} << 20;

/// A value of `key` from 1 to `max` that a person set or a benchmark measured. Pure.
std::optional<repo::Found> find_known(const repo::Repository& repository, const char* key,
                                      const std::string& device, double max);

/// Chooses the settings for files on `device` (a name of toolbox/repo/device_identity; empty: unknown). `time_hit` is called only where no threshold is known.
/// If it is null, nothing is timed. Pure except for that call.
using TimeHit = base::Result<timing::CachedRead> (*)();
HostSettings choose_settings(const repo::Repository& repository, const std::string& device, TimeHit time_hit);

/// The record of this host, which is read when it is first needed. The settings of each file system are looked up once. One thread at a time.
class HostRecord {
 public:
  /// The settings for the file system of `path`. Reads files; times cached reads for some microseconds where no threshold was measured.
  const HostSettings& settings_for(const std::string& path);

 private:
  std::shared_ptr<const repo::Repository> repository_;
  std::map<std::string, HostSettings> by_device_;
};

}  // namespace gray::filecache
