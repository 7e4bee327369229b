// SPDX-License-Identifier: MIT
#include "tools/discnice/cli/report.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "toolbox/cli/diagnostics.hpp"
#include "toolbox/cli/quantities.hpp"
#include "tools/discnice/policy/registry.hpp"
#include "tools/discnice/protocol/members.hpp"
#include "tools/discnice/protocol/segment.hpp"

namespace discnice::cli {
namespace {

using gray::cli::format_bytes;
using gray::cli::format_duration_ns;
using gray::cli::format_rate;
using protocol::Counter;

// Refunds are subtracted by other processes than the ones that charged; a sum below zero is none.
std::uint64_t not_negative(std::uint64_t sum) {
  return static_cast<std::int64_t>(sum) < 0 ? 0 : sum;
}

double seconds(std::uint64_t duration_ns) {
  return static_cast<double>(duration_ns) / 1e9;
}

std::string limit_text(const Grant& grant) {
  if (grant.rate_bytes_per_s == 0) return "no limit";
  return "limit " + format_rate(static_cast<double>(grant.rate_bytes_per_s));
}

std::string coverage_text(const Report& report) {
  if (report.processes == 0) return "NONE: no process loaded libdiscnice.so, so nothing was held back";
  std::string text = fmt::format("{} process{}", report.processes, report.processes == 1 ? "" : "es");
  if (report.kernel) {
    const std::uint64_t all = report.kernel->read_bytes + report.kernel->write_bytes;
    const std::uint64_t missed = report.uncovered_bytes();
    const double share = all == 0 ? 1.0 : static_cast<double>(all - missed) / static_cast<double>(all);
    text += fmt::format(", {:.1f} % of the kernel's bytes accounted for", 100 * share);
  }
  if (report.still_running != 0) text += fmt::format("; {} still running", report.still_running);
  return text;
}

}  // namespace

std::uint64_t Report::uncovered_bytes() const {
  if (!kernel) return 0;
  const std::uint64_t all = kernel->read_bytes + kernel->write_bytes;
  return all > accounted_bytes ? all - accounted_bytes : 0;
}

Report make_report(const protocol::Segment& segment) {
  Report report;
  report.command = segment.job_name;
  report.grant = protocol::load_grant(segment);
  report.slept_s = seconds(protocol::total(segment, Counter::slept_ns));
  report.file_read_bytes = protocol::total(segment, Counter::file_read_bytes);
  report.file_write_bytes = protocol::total(segment, Counter::file_write_bytes);
  report.predicted_read_bytes = protocol::total(segment, Counter::predicted_read_bytes);
  report.predicted_write_bytes = not_negative(protocol::total(segment, Counter::predicted_write_bytes));
  report.accounted_bytes = protocol::total(segment, Counter::settled_read_bytes) +
                           protocol::total(segment, Counter::settled_write_bytes);
  report.probe_bytes = protocol::total(segment, Counter::probe_bytes);
  report.fallbacks = protocol::total(segment, Counter::fallbacks);
  report.processes = segment.members_total.load(std::memory_order_relaxed);
  report.still_running = protocol::count_alive(segment);
  return report;
}

std::string report_text(const Report& report) {
  const std::uint64_t moved = report.kernel ? report.kernel->read_bytes + report.kernel->net_write_bytes()
                                            : report.predicted_read_bytes + report.predicted_write_bytes;
  const double rate = report.elapsed_s > 0 ? static_cast<double>(moved) / report.elapsed_s : 0;
  std::string text =
      fmt::format("discnice: {}: {} of disk over {} ({})\n", gray::cli::escape_controls(report.command),
                  format_rate(rate), format_duration_ns(report.elapsed_s * 1e9), limit_text(report.grant));
  const auto line = [&text](const char* what, std::uint64_t read_bytes, std::uint64_t write_bytes) {
    text += fmt::format("  {:<16} read {:>10}   wrote {:>10}\n", what, format_bytes(read_bytes),
                        format_bytes(write_bytes));
  };
  line("file calls", report.file_read_bytes, report.file_write_bytes);
  line("disk, predicted", report.predicted_read_bytes, report.predicted_write_bytes);
  if (report.kernel) {
    line("disk, kernel", report.kernel->read_bytes, report.kernel->net_write_bytes());
  } else {
    text += "  disk, kernel     no account: this kernel keeps none of processes' I/O\n";
  }
  text += fmt::format("  waited           {} (all processes together)\n",
                      format_duration_ns(report.slept_s * 1e9));
  text += fmt::format("  covered          {}\n", coverage_text(report));
  return text;
}

std::string report_json(const Report& report) {
  nlohmann::ordered_json json;
  json["command"] = report.command;
  json["policy"] = policy::policy_by_id(report.grant.policy_id).name;
  json["rate_bytes_per_s"] = report.grant.rate_bytes_per_s;
  json["file_read_bytes"] = report.file_read_bytes;
  json["file_write_bytes"] = report.file_write_bytes;
  json["predicted_read_bytes"] = report.predicted_read_bytes;
  json["predicted_write_bytes"] = report.predicted_write_bytes;
  json["kernel_read_bytes"] = nullptr;
  json["kernel_write_bytes"] = nullptr;
  if (report.kernel) {
    json["kernel_read_bytes"] = report.kernel->read_bytes;
    json["kernel_write_bytes"] = report.kernel->net_write_bytes();
  }
  json["slept_seconds"] = report.slept_s;
  json["elapsed_seconds"] = report.elapsed_s;
  json["processes"] = report.processes;
  json["uncovered"] = report.uncovered_bytes();
  json["probe_bytes"] = report.probe_bytes;
  json["fallbacks"] = report.fallbacks;
  json["still_running"] = report.still_running;
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace discnice::cli
