// SPDX-License-Identifier: MIT
// doctor_trial: runs a small job as a person would run it, to see whether discnice holds the job to its rate.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "toolbox/base/fd.hpp"

namespace discnice::cli {

/// The number of bytes that the job writes, and the rate at which it may write.
inline constexpr std::uint64_t kTrialBytes = 256 * 1024;
inline constexpr char kTrialRate[] = "1M";

struct Trial {
  int exit_status =
      0;             // the exit status of discnice; kTrialLost if the trial did not end within the time limit
  std::string said;  // the first message of discnice, without the program's name
  std::string uncovered;
  std::uint64_t processes = 0;
  double held_s = 0;
  std::optional<std::uint64_t> kernel_write_bytes;  // nothing: the kernel keeps no account
};
inline constexpr int kTrialLost = -1;

/// Creates a file in `folder` that has no name. The file is gone when its descriptor is closed.
gray::base::ScopedFd make_nameless_file(const std::string& folder);

/// Runs this program with these options and a command. The command writes kTrialBytes to `output_fd` and ends a moment later. Takes half a second.
Trial run_trial(const std::vector<std::string>& options, int output_fd);

/// Whether discnice held the job to its rate.
bool is_held(const Trial& trial);

/// Repeats the trial a few times while the job was not held. On a busy machine a job can be slower than its rate without discnice. Then discnice
/// need not hold it.
Trial run_held_trial(const std::vector<std::string>& options, int output_fd);

}  // namespace discnice::cli
