// SPDX-License-Identifier: MIT
// host_parameters: the values that gbp takes from the repository of measured host parameters, and the settings that it computes from them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "libgray/src/filecache/host_settings.hpp"
#include "toolbox/repo/repository.hpp"

namespace gbp {

struct HostParameters {
  std::uint64_t prediction_unit_bytes = 0;  // what one probe answers for; 0: libgray's default
  std::uint64_t hit_time_max_ns = 0;  // a slower timed read missed; 0: each is judged against a certain hit
  std::uint64_t access_unit_bytes =
      0;  // in which a file is read out of order; at least three read-ahead windows
  double random_over_sequential = 0;  // of the device; 0: not measured
  double disk_bytes_per_s = 0;        // of a long read, measured or the shipped default
  double memory_bytes_per_s =
      0;                    // of a copy from memory on one core; it decides nothing while the disk is slower
  std::string memory_path;  // where probes are remembered; empty: nowhere
  std::string explanation;  // a line each on where these come from, for --explain
};

/// Decides from a repository what holds for files on `device` (a name as of toolbox/repo/device_identity; empty: unknown), as libgray
/// does, and explains it. `time_hit`: how to time a cached read where no threshold was measured; none: each probe is judged against
/// a certain hit. Pure but for that.
HostParameters choose_host_parameters(const gray::repo::Repository& repository, const std::string& device,
                                      gray::filecache::TimeHit time_hit = nullptr);

/// Reads the repository for the file system of `path`. Where it has no threshold and one is wanted, a cached read is timed, in less
/// than a millisecond. A file or variable that is there but can't be used is said in one line on stderr each, and not used.
HostParameters read_host_parameters(const std::string& path, bool is_threshold_wanted);

/// The same, computed when it is first asked for. Finding the values takes longer than looking at two hundred files, and a run that does not probe needs none.
class Host {
 public:
  Host() = default;
  Host(std::string path, bool is_threshold_wanted)
      : path_(std::move(path)), is_threshold_wanted_(is_threshold_wanted) {}

  const HostParameters& operator*() const {
    if (!parameters_) parameters_ = read_host_parameters(path_, is_threshold_wanted_);
    return *parameters_;
  }
  const HostParameters* operator->() const { return &**this; }

 private:
  std::string path_ = ".";
  bool is_threshold_wanted_ = false;
  mutable std::optional<HostParameters> parameters_;
};

}  // namespace gbp
