// SPDX-License-Identifier: MIT
// host_parameters: what discnice takes from the repository of measured host parameters: when a timed probe is a hit, and how long a random
// read of each disk takes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "toolbox/repo/repository.hpp"
#include "toolbox/timing/cached_read.hpp"
#include "tools/discnice/protocol/measured_reads.hpp"

namespace discnice::cli {

/// Up to which time a timed probe is a hit, and why.
struct ProbeLimit {
  std::uint64_t hit_max_ns = 0;  ///< 0: each probe is judged against a second one.
  std::string reason;            ///< One phrase for a person.
};

/// From the measured threshold for `device` (a name as of toolbox/repo/device_identity; empty: unknown), else from the
/// measured times of a hit and a miss, else from a cached read timed just now; shipped defaults are guesses about other
/// machines and are not used. Pure.
ProbeLimit choose_probe_limit(const gray::repo::Repository& repository, const std::string& device,
                              const std::optional<gray::timing::CachedRead>& hit_now = std::nullopt);

/// This host's repository. A file or variable of it that can't be used is said on stderr.
gray::repo::Repository host_repository();

/// The same from that, for the file system of the current folder; where it has no such value a cached read is timed, in less
/// than a millisecond.
ProbeLimit probe_limit(const gray::repo::Repository& repository);

/// One line for a person: how long a random read takes on the file system of the current folder, by which `idle` goes.
std::string random_read_text(const gray::repo::Repository& repository);

/// The rules of the kernel's read-ahead (toolbox/base/readahead_rules.hpp) as they were measured, or protocol::kRulesNotMeasured.
std::uint16_t measured_readahead_rules(const gray::repo::Repository& repository);

/// One line for a person: by which rules a read is predicted, and how they are known.
std::string readahead_text(const gray::repo::Repository& repository);

/// A file system on a block device: its name in the repository, and the disk whose counters tell of it.
struct MountedDisk {
  std::string device;
  std::uint64_t disk = 0;
};

/// Those that are mounted, from the text of /proc/self/mountinfo. Only such on a block device are opened: another may not answer.
std::vector<MountedDisk> mounted_disks(const std::string& mounts);

/// What was measured of a random read: of the host as a whole first, then of each disk that has a value of its own, the longest of its file
/// systems'. As many as a job can be told. Pure.
std::vector<protocol::MeasuredRead> choose_measured_reads(const gray::repo::Repository& repository,
                                                          const std::vector<MountedDisk>& mounted);

/// The same from this host's mounts.
std::vector<protocol::MeasuredRead> measured_reads(const gray::repo::Repository& repository);

}  // namespace discnice::cli
