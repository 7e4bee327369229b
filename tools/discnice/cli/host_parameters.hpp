// SPDX-License-Identifier: MIT
// host_parameters: what discnice takes from the repository of measured host parameters.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "toolbox/repo/repository.hpp"
#include "toolbox/timing/cached_read.hpp"

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

/// The same from this host's repository, for the file system of the current folder; where that has no such value a cached
/// read is timed, in less than a millisecond. A file or variable of the repository that can't be used is said on stderr.
ProbeLimit probe_limit();

}  // namespace discnice::cli
