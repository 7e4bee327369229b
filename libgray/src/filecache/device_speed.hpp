// SPDX-License-Identifier: MIT
// device_speed: how long a device takes for a read in order: a fixed access time, and a time for each byte. Pure.
//
// Knowledge assumed: the kernel reads ahead when a file is read in order, so that after the first request the device works without a pause. The costs of further requests count
//   as a part of the rate.
// Output observed: the time for the first block of a file, and the time for the rest.
// Inference drawn: the rate is the bytes of all rests over their time. The access time is the time of the first block less its transfer time at that rate. The
//   median over the files counts.
// What breaks it: a device that is faster for long reads than for the timed reads (burst credits, a cache of its own); other programs that use the device at
//   the same time.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace gray::filecache {

/// A value of 0 means unknown.
struct DeviceSpeed {
  double access_ns = 0;
  double bytes_per_s = 0;
};

/// The time to read this many bytes that are not cached. If the rate is not known, the result is the access time. In that case little was read, all of it in
/// the first block.
inline double fetch_ns(const DeviceSpeed& speed, double bytes) {
  if (bytes <= 0) return 0;
  return speed.access_ns + (speed.bytes_per_s > 0 ? bytes / speed.bytes_per_s * 1e9 : 0);
}

/// The timed reads of one device. One thread at a time.
class SpeedSamples {
 public:
  /// `first_ns` is the time of the first `first_bytes`, `rest_ns` the time of the rest.
  void add(std::uint64_t first_bytes, std::uint64_t first_ns, std::uint64_t rest_bytes,
           std::uint64_t rest_ns) {
    rest_bytes_ += static_cast<double>(rest_bytes);
    rest_ns_ += static_cast<double>(rest_ns);
    if (count_ == firsts_.size()) return;
    firsts_.at(count_++) = {static_cast<double>(first_bytes), static_cast<double>(first_ns)};
  }

  [[nodiscard]] DeviceSpeed speed() const {
    DeviceSpeed speed;
    if (count_ == 0) return speed;
    if (rest_ns_ > 0) speed.bytes_per_s = rest_bytes_ / rest_ns_ * 1e9;
    std::array<double, kFirstsMax> access_ns{};
    for (std::size_t i = 0; i < count_; ++i) {
      const First& first = firsts_.at(i);
      const double transfer_ns = speed.bytes_per_s > 0 ? first.bytes / speed.bytes_per_s * 1e9 : 0;
      access_ns.at(i) = std::max(first.ns - transfer_ns, 0.0);
    }
    std::sort(access_ns.begin(), access_ns.begin() + static_cast<std::ptrdiff_t>(count_));
    speed.access_ns = (access_ns.at((count_ - 1) / 2) + access_ns.at(count_ / 2)) / 2;
    return speed;
  }

 private:
  static constexpr std::size_t kFirstsMax = 16;
  struct First {
    double bytes;
    double ns;
  };

  std::array<First, kFirstsMax> firsts_{};
  std::size_t count_ = 0;
  double rest_bytes_ = 0;
  double rest_ns_ = 0;
};

}  // namespace gray::filecache
