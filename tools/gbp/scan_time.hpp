// SPDX-License-Identifier: MIT
// scan_time: predicts how long it takes to read files in a given order.
//
// Knowledge assumed: reading a file in order takes one access time, and then the time of its bytes at the device's rate. The kernel's read-ahead keeps this
//   rate up. On a disk with a head there is no seek if the file begins where the last file ended. A short seek costs less than a long seek
//   (libgray/src/filecache/device_speed.hpp, microbench/estimate/disk_shape.hpp).
// Output observed: the times of reading a few files of each device, up to a MiB of each file; where the files lie; how much of each file is cached.
// Inference drawn: the time of the scan is the sum over the files, in their order.
// What breaks it: other programs that use the devices; fragmented files; a program whose work takes longer than its reads; metadata that is not in memory.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "libgray/src/filecache/device_speed.hpp"
#include "tools/gbp/cost.hpp"

namespace gbp {

/// Seek times of a disk's head by distance. All fields are zero if the device has no head, or if it was not measured.
struct SeekCurve {
  double settle_ns = 0;
  double average_ns = 0;  // a seek over a third of the span
  double rotation_ns = 0;
  double span_bytes = 0;
};

struct StoreSpeed {
  gray::filecache::DeviceSpeed speed;
  SeekCurve seek;
};
using StoreSpeeds = std::map<std::uint64_t, StoreSpeed>;  // by device

/// Measures the speed of each device that holds files which are not cached. Reads up to eight such files of a device, a MiB of each.
StoreSpeeds learn_speeds(const std::vector<File>& files, const Wanted& wanted);

/// Seconds to read these files in this order. No value if uncached data lies on a device of unknown speed, or if the cached share of a file is unknown. With `is_cache_lost` no
/// file counts as cached. Pure.
std::optional<double> scan_seconds(const std::vector<File>& files, const StoreSpeeds& speeds,
                                   double memory_bytes_per_s, bool is_cache_lost);

}  // namespace gbp
