// SPDX-License-Identifier: MIT
// report: the bytes that a job read and wrote, and the time that it waited, as text for people and as JSON for programs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/discnice/contract/grant.hpp"
#include "tools/discnice/processes/kernel_account.hpp"
#include "tools/discnice/protocol/layout.hpp"

namespace discnice::cli {

/// A disk that the job used, and how the job saw the other users of this disk.
struct DiskReport {
  std::string number;  // "8:0"
  SeenBy seen_by = SeenBy::untested;
};

/// One class of calls of `discnice verify`. The numbers are signed, because the removal of a file subtracts bytes that were
/// predicted before.
struct ClassReport {
  std::string name;
  std::int64_t calls = 0;
  std::int64_t bytes = 0;
  std::int64_t predicted_read_bytes = 0;
  std::int64_t predicted_write_bytes = 0;
  std::int64_t kernel_read_bytes = 0;
  std::int64_t kernel_write_bytes = 0;
};

/// The bytes that the job moved by TCP while its network was held.
struct NetReport {
  std::uint64_t sent_bytes = 0;
  std::uint64_t received_bytes = 0;
  std::uint64_t connections = 0;
  std::uint64_t udp_sockets = 0;        // UDP sockets, which are not held
  std::uint64_t mptcp_connections = 0;  // multipath TCP connections, which are not held
  std::uint64_t refused_processes = 0;  // processes whose connections could not be reached
};

/// Returns nothing for a job whose network was never held.
std::optional<NetReport> net_report(const protocol::Segment& segment);

struct Report {
  std::string command;
  Grant grant;
  double elapsed_s = 0;
  // The part of `elapsed_s` that the launcher waited after the program had ended: JobKeeper::end().
  double after_end_s = 0;
  double slept_s = 0;
  std::uint64_t file_read_bytes = 0;
  std::uint64_t file_write_bytes = 0;
  std::uint64_t predicted_read_bytes = 0;
  std::uint64_t predicted_write_bytes = 0;
  // The bytes that the members have read in the kernel's account and that were charged.
  std::uint64_t accounted_bytes = 0;
  std::uint64_t probe_bytes = 0;
  std::uint64_t cache_brought_bytes = 0;  // bytes that the job brought into the cache
  std::uint64_t cache_let_go_bytes = 0;   // bytes of these that the job dropped again
  std::uint64_t processes = 0;
  std::uint64_t still_running = 0;
  std::uint64_t fallbacks = 0;
  std::vector<std::string> uncovered_programs;  // "NAME is statically linked"
  std::vector<DiskReport> disks;                // only for a job that gives way to others
  std::optional<processes::KernelAccount> kernel;
  std::optional<NetReport> net;
  bool is_verification = false;
  std::uint64_t charged_read_bytes = 0;  // predicted, and corrected by the ledger if it is on
  std::uint64_t charged_write_bytes = 0;
  // Used only for a verification. When `kernel` is known, the last class has the bytes that belong to no other class.
  std::vector<ClassReport> classes;

  /// Disk bytes that the kernel counted and that no covered call was charged for.
  [[nodiscard]] std::uint64_t uncovered_bytes() const;

  /// Disk bytes that the kernel counted and that no model had predicted. No call waited for these bytes. They were charged afterwards, if
  /// at all.
  [[nodiscard]] std::uint64_t unforetold_bytes() const;
};

/// Sums up the segment of a job. The caller fills in `elapsed_s` and `kernel`.
Report make_report(const protocol::Segment& segment);

/// Returns the fraction by which `charged_bytes` is above (or below) the kernel's count. When both are 0, returns 0. When only the kernel's
/// count is 0, returns nothing.
std::optional<double> error_of(std::uint64_t charged_bytes, std::uint64_t kernel_bytes);

/// Completes the classes of a verification by the kernel's account of the whole run. To be called once, when `kernel` is set.
void add_other_class(Report& report);

/// A table for a person: for each class of calls the predicted bytes, the kernel's bytes and the error. The heading names `subcommand`.
std::string verification_text(const Report& report, const char* subcommand = "verify");

/// Several lines for a person.
std::string report_text(const Report& report);

/// One JSON object on one line.
std::string report_json(const Report& report);

}  // namespace discnice::cli
