// SPDX-License-Identifier: MIT
// host_parameters: what discnice takes from the repository of measured host parameters: up to which time a timed probe is a hit, how long a random
// read of each disk takes, and which rules the kernel's read-ahead follows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "toolbox/repo/repository.hpp"
#include "toolbox/timing/cached_read.hpp"
#include "tools/discnice/protocol/measured_reads.hpp"

namespace discnice::cli {

/// The time up to which a timed probe counts as a hit, and the reason for this time.
struct ProbeLimit {
  std::uint64_t hit_max_ns = 0;  ///< 0: each probe is compared with a second probe.
  std::string reason;            ///< One phrase for a person.
};

/// Uses the measured threshold for `device` (a name as in toolbox/repo/device_identity; empty: unknown). Without a threshold, uses the measured times
/// of a hit and a miss. Without these, uses the time of a cached read that was measured just now. Shipped defaults are guesses about other machines
/// and are not used. Pure.
ProbeLimit choose_probe_limit(const gray::repo::Repository& repository, const std::string& device,
                              const std::optional<gray::timing::CachedRead>& hit_now = std::nullopt);

/// Opens the repository of this host. Warns on stderr about each of its files or variables that cannot be used.
gray::repo::Repository host_repository();

/// Chooses the limit for the file system of the current folder. When the repository has no value for it, times a cached read, which takes less than a
/// millisecond.
ProbeLimit probe_limit(const gray::repo::Repository& repository);

/// One line for a person: how long a random read takes on the file system of the current folder. The policy `idle` uses this time.
std::string random_read_text(const gray::repo::Repository& repository);

/// Returns the measured rules of the kernel's read-ahead (toolbox/base/readahead_rules.hpp), or protocol::kRulesNotMeasured.
std::uint16_t measured_readahead_rules(const gray::repo::Repository& repository);

/// One line for a person: by which rules read-ahead is predicted, and where these rules come from.
std::string readahead_text(const gray::repo::Repository& repository);

/// A file system on a block device: its name in the repository, and the disk whose counters show its traffic.
struct MountedDisk {
  std::string device;
  std::uint64_t disk = 0;
};

/// Returns the mounted file systems on block devices, by the text of /proc/self/mountinfo. Opens no other file system, because it may not answer.
std::vector<MountedDisk> mounted_disks(const std::string& mounts);

/// Chooses the measured times of a random read: first the time of the host as a whole, then the time of each disk that has a different value. A disk
/// with several file systems gets the longest of their times. Returns no more times than the job's segment has places for. Pure.
std::vector<protocol::MeasuredRead> choose_measured_reads(const gray::repo::Repository& repository,
                                                          const std::vector<MountedDisk>& mounted);

/// Chooses the times by the mounts of this host.
std::vector<protocol::MeasuredRead> measured_reads(const gray::repo::Repository& repository);

}  // namespace discnice::cli
