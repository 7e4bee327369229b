// SPDX-License-Identifier: MIT
// host_parameters: what gbp takes from the repository of measured host parameters.
#pragma once

#include <cstdint>

namespace gbp {

struct HostParameters {
  std::uint64_t prediction_unit_bytes = 0;  // what one probe answers for; 0: libgray's default
};

/// Reads the repository. A file or variable that is there but can't be used is said in one line on stderr
/// each, and not used.
HostParameters read_host_parameters();

}  // namespace gbp
