// SPDX-License-Identifier: MIT
// host_settings: what the record of a host (toolbox/repo) makes of a detector that was told nothing: how far one probe speaks, how
// long a hit may take, in which parts a file is read.
//
// What is read together is cached together, so one probe answers for the larger of the measured access unit and read-ahead window:
// finer probing learns nothing. A shipped default is a guess about somebody else's machine and decides nothing here.
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

/// Numbered as gb_origin_t.
enum class Origin : std::uint32_t { library = 0, caller = 1, record = 2, now = 3 };

struct HostSettings {
  std::uint64_t prediction_unit_bytes = 0;  // 0: the library's own
  std::uint64_t hit_time_max_ns = 0;        // 0: each probe is judged against a certain hit
  std::uint64_t access_unit_bytes = 0;      // never 0 once chosen
  DeviceSpeed speed;                        // as measured on this device, and no other
  double memory_bytes_per_s = 0;            // never 0 once chosen
  double hit_ns = 0;                        // of a first read of what is cached, measured or the default
  // Of a disk with a head, as measured on this one; 0: not.
  double seek_settle_ns = 0;
  double seek_average_ns = 0;
  double rotation_ns = 0;
  double seek_span_bytes = 0;
  Origin prediction_unit_origin = Origin::library;
  Origin hit_time_origin = Origin::library;
  Origin access_unit_origin = Origin::library;
  // What they stand on, for who explains it.
  std::optional<repo::Found> unit_set;
  std::optional<repo::Found> unit;
  std::optional<repo::Found> window;
  std::optional<repo::Found> threshold;
  std::optional<repo::Found> ratio;  // of a random read to a sequential one
  std::optional<timing::CachedRead> hit_now;
};

/// A measured unit is held between these: below, probing costs as much as reading; above, one probe answers for too much.
inline constexpr std::uint64_t kMeasuredUnitBytesMin = std::uint64_t{1} << 20;
inline constexpr std::uint64_t kMeasuredUnitBytesMax = std::uint64_t{32} << 20;

/// A value of `key` that somebody set or measured, from 1 to `max`. Pure.
std::optional<repo::Found> find_known(const repo::Repository& repository, const char* key,
                                      const std::string& device, double max);

/// Decides for files on `device` (a name as of toolbox/repo/device_identity; empty: unknown). `time_hit` is asked only where no
/// threshold is known; none: nothing is timed. Pure but for that.
using TimeHit = base::Result<timing::CachedRead> (*)();
HostSettings choose_settings(const repo::Repository& repository, const std::string& device, TimeHit time_hit);

/// The record of this host, read when it is first needed, and what it says of each file system, looked up once each. One thread at
/// a time.
class HostRecord {
 public:
  /// For the file system of `path`. Reads files; times cached reads for some microseconds where no threshold was measured.
  const HostSettings& settings_for(const std::string& path);

 private:
  std::shared_ptr<const repo::Repository> repository_;
  std::map<std::string, HostSettings> by_device_;
};

}  // namespace gray::filecache
