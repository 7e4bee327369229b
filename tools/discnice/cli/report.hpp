// SPDX-License-Identifier: MIT
// report: what a job read, wrote and waited, for people and for programs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tools/discnice/cli/kernel_account.hpp"
#include "tools/discnice/contract/grant.hpp"
#include "tools/discnice/protocol/layout.hpp"

namespace discnice::cli {

struct Report {
  std::string command;
  Grant grant;
  double elapsed_s = 0;
  double slept_s = 0;
  std::uint64_t file_read_bytes = 0;
  std::uint64_t file_write_bytes = 0;
  std::uint64_t predicted_read_bytes = 0;
  std::uint64_t predicted_write_bytes = 0;
  std::uint64_t accounted_bytes = 0;  // what the members saw of the kernel's account, and so were charged for
  std::uint64_t probe_bytes = 0;
  std::uint64_t processes = 0;
  std::uint64_t still_running = 0;
  std::uint64_t fallbacks = 0;
  std::optional<KernelAccount> kernel;

  /// Disk bytes the kernel counted that no covered call was charged for.
  [[nodiscard]] std::uint64_t uncovered_bytes() const;
};

/// Sums up a job's segment; `elapsed_s` and `kernel` are the caller's.
Report make_report(const protocol::Segment& segment);

/// Lines for a person.
std::string report_text(const Report& report);

/// One JSON object, a line.
std::string report_json(const Report& report);

}  // namespace discnice::cli
