// SPDX-License-Identifier: MIT
// host_parameters: what gbp takes from the repository of measured host parameters, and what it makes of it.
#pragma once

#include <cstdint>
#include <string>

#include "toolbox/repo/repository.hpp"

namespace gbp {

struct HostParameters {
  std::uint64_t prediction_unit_bytes = 0;  // what one probe answers for; 0: libgray's default
  std::uint64_t hit_time_max_ns = 0;  // a slower timed read missed; 0: each is judged against a certain hit
  std::string explanation;            // two lines on where these come from, for --explain
};

/// Decides from a repository what holds for files on `device` (a name as of toolbox/repo/device_identity; empty: unknown).
/// The unit is the one that was set, else the larger of the measured access unit and read-ahead window: what is read
/// together is cached together, and finer probing learns nothing. Pure.
HostParameters choose_host_parameters(const gray::repo::Repository& repository, const std::string& device);

/// Reads the repository for the file system of `path`. A file or variable that is there but can't be used is said
/// in one line on stderr each, and not used.
HostParameters read_host_parameters(const std::string& path);

}  // namespace gbp
