// SPDX-License-Identifier: MIT
// host_parameters: the host parameters that gbp takes from the repository, and their explanation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "libgray/src/filecache/host_settings.hpp"
#include "toolbox/repo/repository.hpp"

namespace gbp {

struct HostParameters {
  // The part of a file for which one probe answers; 0: libgray's default.
  std::uint64_t prediction_unit_bytes = 0;
  // A slower timed read is a miss; 0: each read is compared with a certain hit.
  std::uint64_t hit_time_max_ns = 0;
  std::uint64_t access_unit_bytes =
      0;  // the parts in which a file is read out of order; at least three read-ahead windows
  double random_over_sequential = 0;  // the ratio of read times of the device; 0: not measured
  double disk_bytes_per_s = 0;        // the rate of a long read, measured or the shipped default
  double memory_bytes_per_s =
      0;  // the rate of a copy from memory on one core; it matters little while the disk is slower
  std::string memory_path;  // the file that remembers probes; empty: none
  std::string explanation;  // one line for each parameter on its source, for --explain
};

/// Chooses the parameters for files on `device` (a name of toolbox/repo/device_identity; empty: unknown) in the same way as libgray, and explains them. `time_hit` times a cached
/// read if no threshold was measured. If it is null, each probe is compared with a certain hit. Pure except for that call.
HostParameters choose_host_parameters(const gray::repo::Repository& repository, const std::string& device,
                                      gray::filecache::TimeHit time_hit = nullptr);

/// Reads the repository for the file system of `path`. If it has no threshold and `is_threshold_wanted`, a cached read is timed, in less than a millisecond. A file or variable
/// that exists but cannot be used is ignored, with one line on stderr.
HostParameters read_host_parameters(const std::string& path, bool is_threshold_wanted);

/// The host parameters, read when they are first needed. Reading them takes longer than examining two hundred files, and some runs do not need them.
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
