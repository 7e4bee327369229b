// SPDX-License-Identifier: MIT
// disk_shape: derives properties of a disk from the times of requests. Pure.
//
// Knowledge assumed: a request costs a positioning and a transfer, so a larger unit amortises the positioning; a head needs a settling time and then a time that grows with the
// square root of the distance and, on long ways at full speed, with the distance itself (Ruemmler and Wilkes, "An
// introduction to disk drive modeling", 1994); the platter's position at the head's arrival is random, so rotation adds a time that is uniform between zero and one turn.
// Observed: times. Inferred: unit, seek curve, time of one turn. What breaks it: a cache in the disk that answers instead of the platter; distances in the file that do not
// correspond to distances on the disk.
#pragma once

#include <cstdint>
#include <vector>

namespace microbench::estimate {

struct RatePoint {
  std::uint64_t unit_bytes;
  double bytes_per_s;
};

/// The share of the peak rate from which on a rate counts as full.
inline constexpr double kPeakShare = 0.9;

/// The smallest unit that reaches kPeakShare of the best rate, on the rising curve nearest to the points; 0 without points. The curve must rise, because larger
/// requests amortise more. So a dip or a peak at one size is noise. `peak_bytes_per_s`: a lower peak that was measured in another way; 0: the best of the
/// points. Pure.
std::uint64_t access_unit_bytes(std::vector<RatePoint> points, double peak_bytes_per_s = 0);

/// The time of one read, and its distance from the read before.
struct SeekSample {
  double distance_share;  ///< As a share of the whole stretch, 0 to 1.
  double time_ns;
};

struct SeekFit {
  double settle_ns = 0;    ///< The shortest seek, without turn and transfer; so are the next two.
  double average_ns = 0;   ///< A seek over a third of the stretch, the mean distance of two random places.
  double full_ns = 0;      ///< A seek over the whole stretch.
  double rotation_ns = 0;  ///< One turn; 0 if the times do not scatter as a turn would make them.
};

/// How many of the shortest distances count for the settling time. There more samples help most.
inline constexpr std::size_t kSettleDistances = 7;

/// Fits settle + k * sqrt(distance) to short seeks, and a line to seeks beyond a third of the stretch. Both go through the times without the turn, which is found from the
/// scatter at the shortest distances. A disk with more data on its outer tracks has ways of different lengths for one distance in bytes. So k is fitted to means. The settling
/// time is fitted to the least times at the shortest distances, where that hardly matters. `transfer_ns` is the time of a request without positioning. All fields are zero with
/// fewer than three short distances, or with fewer than two times at any distance.
SeekFit fit_seek(const std::vector<SeekSample>& samples, double transfer_ns);

/// Whether seek times grow with the distance by at least a millisecond, which only a mechanical disk shows.
bool is_rotational(const SeekFit& fit, double random_read_ns);

}  // namespace microbench::estimate
