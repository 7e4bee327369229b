// SPDX-License-Identifier: MIT
// report: what a job read, wrote and waited, for people and for programs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/discnice/contract/grant.hpp"
#include "tools/discnice/processes/kernel_account.hpp"
#include "tools/discnice/protocol/layout.hpp"

namespace discnice::cli {

/// A disk the job used, and by what its other users were seen.
struct DiskReport {
  std::string number;  // "8:0"
  SeenBy seen_by = SeenBy::untested;
};

/// One class of calls, as `discnice verify` tells them apart. Signed: removals take back what was predicted before.
struct ClassReport {
  std::string name;
  std::int64_t calls = 0;
  std::int64_t bytes = 0;
  std::int64_t predicted_read_bytes = 0;
  std::int64_t predicted_write_bytes = 0;
  std::int64_t kernel_read_bytes = 0;
  std::int64_t kernel_write_bytes = 0;
};

/// What went over the network by TCP, while that was held.
struct NetReport {
  std::uint64_t sent_bytes = 0;
  std::uint64_t received_bytes = 0;
  std::uint64_t connections = 0;
  std::uint64_t udp_sockets = 0;        // that were not held
  std::uint64_t mptcp_connections = 0;  // the same
  std::uint64_t refused_processes = 0;  // the same
};

/// None of a job whose network never was held.
std::optional<NetReport> net_report(const protocol::Segment& segment);

struct Report {
  std::string command;
  Grant grant;
  double elapsed_s = 0;
  double after_end_s = 0;  // of these, what the launcher waited when the program had ended: JobKeeper::end()
  double slept_s = 0;
  std::uint64_t file_read_bytes = 0;
  std::uint64_t file_write_bytes = 0;
  std::uint64_t predicted_read_bytes = 0;
  std::uint64_t predicted_write_bytes = 0;
  std::uint64_t accounted_bytes = 0;  // what the members saw of the kernel's account, and so were charged for
  std::uint64_t probe_bytes = 0;
  std::uint64_t cache_brought_bytes = 0;  // of the page cache: what the job brought in
  std::uint64_t cache_let_go_bytes = 0;   // and let go of again
  std::uint64_t processes = 0;
  std::uint64_t still_running = 0;
  std::uint64_t fallbacks = 0;
  std::vector<std::string> uncovered_programs;  // "NAME is statically linked"
  std::vector<DiskReport> disks;                // of a job that gives way to others; else none
  std::optional<processes::KernelAccount> kernel;
  std::optional<NetReport> net;
  bool is_verification = false;
  std::uint64_t charged_read_bytes = 0;  // predicted, and corrected by the ledger if that is on
  std::uint64_t charged_write_bytes = 0;
  std::vector<ClassReport>
      classes;  // of a verification; the last is what no class accounts for, once `kernel` is known

  /// Disk bytes the kernel counted that no covered call was charged for.
  [[nodiscard]] std::uint64_t uncovered_bytes() const;

  /// What the kernel counted and nobody had foretold, so that no call was held back for it: charged afterwards at best.
  [[nodiscard]] std::uint64_t unforetold_bytes() const;
};

/// Sums up a job's segment; `elapsed_s` and `kernel` are the caller's.
Report make_report(const protocol::Segment& segment);

/// The fraction by which `charged` is above (or below) what the kernel counted; 0 when both are nothing, none when only the
/// kernel's is.
std::optional<double> error_of(std::uint64_t charged_bytes, std::uint64_t kernel_bytes);

/// Completes a verification's classes with the kernel's account of the whole run. Once, when `kernel` is set.
void add_other_class(Report& report);

/// A table for a person: each class of calls, predicted and kernel's bytes, error. `subcommand` is named at its head.
std::string verification_text(const Report& report, const char* subcommand = "verify");

/// Lines for a person.
std::string report_text(const Report& report);

/// One JSON object, a line.
std::string report_json(const Report& report);

}  // namespace discnice::cli
