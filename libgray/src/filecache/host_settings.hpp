// SPDX-License-Identifier: MIT
// host_settings: computes the settings of a detector without options from the record of the host (toolbox/repo): how many bytes one probe stands for, how long a hit may take,
// and in which parts a file is read.
//
// Pages that are read together are cached together. So one probe stands for the larger of the measured access unit and the read-ahead window, and finer probing learns nothing. A
// shipped default is a guess about another machine, so it is not used here.
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
  DeviceSpeed speed;                        // as measured on this device, and no other
  double memory_bytes_per_s = 0;            // never 0 once chosen
  double hit_ns = 0;                        // of a first read of what is cached, measured or the default
  // The times of the disk's head, as measured on this disk; 0 if there is no head.
  double seek_settle_ns = 0;
  double seek_average_ns = 0;
  double rotation_ns = 0;
  double seek_span_bytes = 0;
  Origin prediction_unit_origin = Origin::library;
  Origin hit_time_origin = Origin::library;
  Origin access_unit_origin = Origin::library;
  // The sources of the settings, for explanations.
  std::optional<repo::Found> unit_set;
  std::optional<repo::Found> unit;
  std::optional<repo::Found> window;
  std::optional<repo::Found> threshold;
  std::optional<repo::Found> ratio;  // of a random read to a sequential one
  std::optional<timing::CachedRead> hit_now;
};

/// A measured unit is kept between these bounds. A smaller unit would make probing cost as much as reading. With a larger unit one probe would stand for too much.
inline constexpr std::uint64_t kMeasuredUnitBytesMin = std::uint64_t{1} << 20;
inline constexpr std::uint64_t kMeasuredUnitBytesMax = std::uint64_t{32} << 20;

/// The value of `key` if somebody set or measured it, from 1 to `max`. Pure.
std::optional<repo::Found> find_known(const repo::Repository& repository, const char* key,
                                      const std::string& device, double max);

/// Computes the settings for files on `device` (a name as of toolbox/repo/device_identity; empty: unknown). `time_hit` is called only if no threshold is known; without it
/// nothing is timed. Otherwise pure.
using TimeHit = base::Result<timing::CachedRead> (*)();
HostSettings choose_settings(const repo::Repository& repository, const std::string& device, TimeHit time_hit);

/// The record of this host, read when it is first needed. The settings of each file system are computed once. One thread at a time.
class HostRecord {
 public:
  /// The settings for the file system of `path`. Reads files. If no threshold was measured, it times cached reads for some microseconds.
  const HostSettings& settings_for(const std::string& path);

 private:
  std::shared_ptr<const repo::Repository> repository_;
  std::map<std::string, HostSettings> by_device_;
};

}  // namespace gray::filecache
