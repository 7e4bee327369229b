// SPDX-License-Identifier: MIT
// disk_shape: concludes from the times of requests what the disk is. Pure.
//
// Knowledge assumed: a request costs a positioning and a transfer, so larger units amortise it; a head needs a settling
// time and then a time that grows with the square root of the distance and, on long ways at full speed, with the distance itself (Ruemmler and Wilkes, "An
// introduction to disk drive modeling", 1994); the platter's position at its arrival is random, so rotation adds a time
// spread evenly between zero and a turn. Observed: times. Inferred: unit, seek curve, turn. What breaks it: a
// cache in the disk that answers in its place; distances of the file that are none on the disk.
#pragma once

#include <cstdint>
#include <vector>

namespace microbench::estimate {

struct RatePoint {
  std::uint64_t unit_bytes;
  double bytes_per_s;
};

/// Close enough to the peak.
inline constexpr double kPeakShare = 0.9;

/// The smallest unit that reaches that share of the best rate, on the rising curve nearest to the points (larger requests
/// amortise more, so that a dip or a peak of one size is noise); 0 for none. `peak_bytes_per_s`: a lower peak, measured otherwise; 0: the
/// best of the points. Pure.
std::uint64_t access_unit_bytes(std::vector<RatePoint> points, double peak_bytes_per_s = 0);

/// One read after a read at a known distance.
struct SeekSample {
  double distance_share;  ///< Of the whole stretch, 0 to 1.
  double time_ns;
};

struct SeekFit {
  double settle_ns = 0;    ///< The shortest seek; turn and transfer not counted, as in the next two.
  double average_ns = 0;   ///< Over a third of the stretch, the mean distance of two random places.
  double full_ns = 0;      ///< Over all of it.
  double rotation_ns = 0;  ///< One turn; 0 where the times do not scatter as a turn makes them.
};

/// The number of shortest distances that are used for the settling time. More samples are most valuable there.
inline constexpr std::size_t kSettleDistances = 7;

/// Short seeks by settle + k * sqrt(distance), those beyond a third of the stretch by a line, each through
/// the times at a distance without the turn; the turn from the scatter of the shortest. A disk that holds more on its outer tracks makes ways
/// of several lengths out of one distance: so k is from means, the settling from the least times at the shortest distances, where
/// it hardly matters. `transfer_ns` is what a request takes without positioning. All
/// zero with fewer than three short distances, or fewer than two times at one.
SeekFit fit_seek(const std::vector<SeekSample>& samples, double transfer_ns);

/// Whether the time depends on the distance, and by at least milliseconds. Only a mechanical disk does that.
bool is_rotational(const SeekFit& fit, double random_read_ns);

}  // namespace microbench::estimate
