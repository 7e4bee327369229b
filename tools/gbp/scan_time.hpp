// SPDX-License-Identifier: MIT
// scan_time: predicts how long it takes to read files in a given order.
//
// Knowledge assumed: a program that reads a file in order waits once until its device reaches the file, and then for the bytes at the device's rate, which the kernel's
// read-ahead keeps up. If the head of a disk is already where the file begins, there is no first wait. A short way of the head costs less than a long one
// (libgray/src/filecache/device_speed.hpp,
//   microbench/estimate/disk_shape.hpp).
// Output observed: the times of a few files of each device that are read for this, up to a MiB of each; where files lie; what is cached.
// Inference drawn: the sum over the files, in the order in which they come.
// What breaks it: others who use the devices; files that lie in many pieces; a program that takes longer than its reads; and metadata that is not in memory.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "libgray/src/filecache/device_speed.hpp"
#include "tools/gbp/cost.hpp"

namespace gbp {

/// How long the head of a disk takes to move a given distance. All values are 0 for a disk without a head, or one that nobody measured.
struct SeekCurve {
  double settle_ns = 0;
  double average_ns = 0;  // over a third of the stretch
  double rotation_ns = 0;
  double span_bytes = 0;
};

struct StoreSpeed {
  gray::filecache::DeviceSpeed speed;
  SeekCurve seek;
};
using StoreSpeeds = std::map<std::uint64_t, StoreSpeed>;  // by device

/// Learns how fast each device is that holds uncached files. Reads up to eight of these files of each device, and at most one MiB of each.
StoreSpeeds learn_speeds(const std::vector<File>& files, const Wanted& wanted);

/// The seconds to read these files in this order. Empty if uncached data lies on a device of unknown speed, or if it is unknown what is cached of some file. `is_cache_lost`
/// means: as if nothing were cached. Pure.
std::optional<double> scan_seconds(const std::vector<File>& files, const StoreSpeeds& speeds,
                                   double memory_bytes_per_s, bool is_cache_lost);

}  // namespace gbp
