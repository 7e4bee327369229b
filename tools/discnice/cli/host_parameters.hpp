// SPDX-License-Identifier: MIT
// host_parameters: what discnice takes from the repository of measured host parameters.
#pragma once

#include <cstdint>

namespace discnice::cli {

/// The time up to which a timed probe is a hit, from the measured times of a hit and a miss; 0 when they were
/// not measured on this host, and each probe is then judged against a second one. A file or variable of the
/// repository that can't be used is said on stderr.
std::uint64_t probe_hit_max_ns();

}  // namespace discnice::cli
