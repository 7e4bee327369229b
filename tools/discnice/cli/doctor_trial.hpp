// SPDX-License-Identifier: MIT
// doctor_trial: a small job that is run as a person would run it, to see whether it is held.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "toolbox/base/fd.hpp"

namespace discnice::cli {

/// What the job writes, and how fast it may.
inline constexpr std::uint64_t kTrialBytes = 256 * 1024;
inline constexpr char kTrialRate[] = "1M";

struct Trial {
  int exit_status = 0;  // of discnice; a trial that did not end in time has kTrialLost
  std::string said;     // what discnice said was wrong, without its name
  std::string uncovered;
  std::uint64_t processes = 0;
  double held_s = 0;
  std::optional<std::uint64_t> kernel_write_bytes;  // nothing: the kernel keeps no account
};
inline constexpr int kTrialLost = -1;

/// A file in that folder without a name, which goes when it is closed.
gray::base::ScopedFd make_nameless_file(const std::string& folder);

/// Runs this program itself with these options over a command that writes kTrialBytes to `output_fd`, and then lives on for a moment. Takes half a second.
Trial run_trial(const std::vector<std::string>& options, int output_fd);

/// Whether the job was held back.
bool is_held(const Trial& trial);

/// The same again, where a machine so busy that the job was slow enough by itself left nothing to hold.
Trial run_held_trial(const std::vector<std::string>& options, int output_fd);

}  // namespace discnice::cli
