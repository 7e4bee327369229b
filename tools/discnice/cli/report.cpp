// SPDX-License-Identifier: MIT
#include "tools/discnice/cli/report.hpp"

#include <algorithm>

#include <fmt/core.h>
#include <sys/sysmacros.h>
#include <nlohmann/json.hpp>

#include "toolbox/cli/diagnostics.hpp"
#include "toolbox/cli/quantities.hpp"
#include "tools/discnice/cli/jobs.hpp"
#include "tools/discnice/cli/limit_options.hpp"
#include "tools/discnice/policy/manners.hpp"
#include "tools/discnice/policy/registry.hpp"
#include "tools/discnice/protocol/disk_words.hpp"
#include "tools/discnice/protocol/members.hpp"
#include "tools/discnice/protocol/segment.hpp"

namespace discnice::cli {
namespace {

using gray::cli::format_bytes;
using gray::cli::format_duration_ns;
using gray::cli::format_rate;
using protocol::Counter;

// A process may subtract a refund for a write that another process was charged for. A sum below zero counts as 0.
std::uint64_t not_negative(std::uint64_t sum) {
  return static_cast<std::int64_t>(sum) < 0 ? 0 : sum;
}

double seconds(std::uint64_t duration_ns) {
  return static_cast<double>(duration_ns) / 1e9;
}

// The report tells of bytes that the models missed when they are more than kLateBytesMin and more than 1/kLateShare of all bytes.
constexpr std::uint64_t kLateBytesMin = UINT64_C(1) << 20;
constexpr std::uint64_t kLateShare = 10;
// A shorter wait after the end is not shown to a person.
constexpr double kAfterEndToldS = 0.1;

std::string coverage_text(const Report& report) {
  if (report.processes == 0) return "NONE: no process loaded libdiscnice.so, so nothing was held back";
  std::string text = fmt::format("{} process{}", report.processes, report.processes == 1 ? "" : "es");
  if (report.kernel) {
    const std::uint64_t all = report.kernel->read_bytes + report.kernel->write_bytes;
    const std::uint64_t missed = report.uncovered_bytes();
    const double share = all == 0 ? 1.0 : static_cast<double>(all - missed) / static_cast<double>(all);
    text += fmt::format(", {:.1f} % of the kernel's bytes accounted for", 100 * share);
    const std::uint64_t unforetold = report.unforetold_bytes();
    const std::uint64_t late = unforetold > missed ? unforetold - missed : 0;
    if (late > kLateBytesMin && late > all / kLateShare)
      text += fmt::format(", {} of them after they had moved", format_bytes(late));
  }
  if (report.still_running != 0) text += fmt::format("; {} still running", report.still_running);
  return text;
}

// The classes of a verification, in the order of protocol::CallClass.
constexpr const char* kClassNames[protocol::kCallClassCount] = {"read", "write", "copy", "remove", "create"};

// A sum that no job can reach means damaged shared memory. It is cut, so that no computation with it overflows.
std::int64_t signed_of(const std::atomic<std::uint64_t>& sum) {
  constexpr std::int64_t kSumMax = INT64_C(1) << 60U;
  return std::clamp(static_cast<std::int64_t>(sum.load(std::memory_order_relaxed)), -kSumMax, kSumMax);
}

ClassReport class_report(const protocol::Segment& segment, std::uint32_t index) {
  const protocol::ClassTotals& totals = segment.classes[index];
  ClassReport report{kClassNames[index],
                     signed_of(totals.calls),
                     signed_of(totals.bytes),
                     signed_of(totals.predicted_read_bytes),
                     signed_of(totals.predicted_write_bytes),
                     signed_of(totals.kernel_read_bytes),
                     signed_of(totals.kernel_write_bytes)};
  const bool is_removal = index == static_cast<std::uint32_t>(protocol::CallClass::remove);
  if (is_removal) report.predicted_write_bytes = -report.predicted_write_bytes;
  return report;
}

std::string percent_text(std::int64_t predicted_bytes, std::int64_t kernel_bytes) {
  if (predicted_bytes == kernel_bytes) return "0.00 %";
  if (kernel_bytes == 0) return "-";
  return fmt::format("{:+.2f} %", 100.0 * static_cast<double>(predicted_bytes - kernel_bytes) /
                                      static_cast<double>(kernel_bytes < 0 ? -kernel_bytes : kernel_bytes));
}

std::string signed_bytes(std::int64_t bytes) {
  return bytes < 0 ? "-" + format_bytes(static_cast<std::uint64_t>(-bytes))
                   : format_bytes(static_cast<std::uint64_t>(bytes));
}

nlohmann::ordered_json class_json(const ClassReport& report) {
  return {{"class", report.name},
          {"calls", report.calls},
          {"bytes", report.bytes},
          {"predicted_read_bytes", report.predicted_read_bytes},
          {"predicted_write_bytes", report.predicted_write_bytes},
          {"kernel_read_bytes", report.kernel_read_bytes},
          {"kernel_write_bytes", report.kernel_write_bytes}};
}

void add_verification(nlohmann::ordered_json& json, const Report& report) {
  const auto error = [&report](std::uint64_t charged_bytes,
                               std::uint64_t kernel_bytes) -> nlohmann::ordered_json {
    const std::optional<double> value = report.kernel ? error_of(charged_bytes, kernel_bytes) : std::nullopt;
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
  };
  json["charged_read_bytes"] = report.charged_read_bytes;
  json["charged_write_bytes"] = report.charged_write_bytes;
  json["read_error"] = error(report.charged_read_bytes, report.kernel ? report.kernel->read_bytes : 0);
  json["write_error"] =
      error(report.charged_write_bytes, report.kernel ? report.kernel->net_write_bytes() : 0);
  json["classes"] = nlohmann::ordered_json::array();
  for (const ClassReport& one : report.classes) json["classes"].push_back(class_json(one));
}

std::string observation_text(SeenBy seen_by) {
  switch (seen_by) {
    case SeenBy::counters:
      return "by the disk's counters";
    case SeenBy::pressure:
      return "by pressure: this file system has no disk with counters, so who waits for any disk of this "
             "host counts";
    case SeenBy::progress:
      return "by the job's own progress (manners): a job that gets on worse than at its best gives way";
    case SeenBy::untested:
    case SeenBy::none:
      break;
  }
  return "NOT AT ALL: this file system has no disk with counters; it held nothing back there";
}

std::string observation_word(SeenBy seen_by) {
  if (seen_by == SeenBy::counters) return "counters";
  if (seen_by == SeenBy::progress) return "progress";
  return seen_by == SeenBy::pressure ? "pressure" : "none";
}

std::vector<DiskReport> disk_reports(const protocol::Segment& segment) {
  std::vector<DiskReport> reports;
  if (policy::policy_by_id(protocol::load_grant(segment).policy_id).hold == nullptr) return reports;
  for (const protocol::Disk& disk : segment.disks) {
    const std::uint64_t number = disk.number.load(std::memory_order_relaxed);
    if (number == 0) break;  // the table is filled from the front
    const SeenBy seen_by = policy::observed_by(protocol::load_seen_by(disk), protocol::load_grant(segment));
    reports.push_back({fmt::format("{}:{}", major(number - 1), minor(number - 1)), seen_by});
  }
  return reports;
}

std::string net_text(const NetReport& net) {
  std::string text;
  if (net.connections != 0 || net.sent_bytes != 0 || net.received_bytes != 0)
    text = fmt::format("  network          sent {:>10}   received {:>7}   {} TCP connection{}\n",
                       format_bytes(net.sent_bytes), format_bytes(net.received_bytes), net.connections,
                       net.connections == 1 ? "" : "s");
  const auto not_held = [&text](std::uint64_t count, const char* one, const char* many, const char* why) {
    if (count != 0)
      text += fmt::format("  NOT HELD         {} {}: {}\n", count, count == 1 ? one : many, why);
  };
  not_held(net.udp_sockets, "UDP socket", "UDP sockets",
           "what goes by UDP, as QUIC does, is held only to a rate, in programs that the job starts and that "
           "send by libc");
  not_held(net.mptcp_connections, "MPTCP connection", "MPTCP connections", "multipath TCP cannot be");
  not_held(net.refused_processes, "process", "processes", "its connections may not be reached");
  return text;
}

nlohmann::ordered_json net_json(const Report& report) {
  if (!report.net) return nullptr;
  const auto limit = [](std::uint64_t value) {
    return value == 0 ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(value);
  };
  return {{"gives_way", report.grant.net_gives_way != 0},
          {"up_bytes_per_s", limit(report.grant.net_up_bytes_per_s)},
          {"down_bytes_per_s", limit(report.grant.net_down_bytes_per_s)},
          {"sent_bytes", report.net->sent_bytes},
          {"received_bytes", report.net->received_bytes},
          {"connections", report.net->connections},
          {"udp_sockets_not_held", report.net->udp_sockets},
          {"mptcp_connections_not_held", report.net->mptcp_connections},
          {"processes_not_held", report.net->refused_processes}};
}

}  // namespace

std::optional<NetReport> net_report(const protocol::Segment& segment) {
  const protocol::Net& net = segment.net;
  if (net.was_held.load(std::memory_order_relaxed) == 0) return std::nullopt;
  return NetReport{net.sent_bytes.load(std::memory_order_relaxed),
                   net.received_bytes.load(std::memory_order_relaxed),
                   net.connections.load(std::memory_order_relaxed),
                   net.udp_sockets.load(std::memory_order_relaxed),
                   net.mptcp_connections.load(std::memory_order_relaxed),
                   net.refused_processes.load(std::memory_order_relaxed)};
}

std::optional<double> error_of(std::uint64_t charged_bytes, std::uint64_t kernel_bytes) {
  if (charged_bytes == kernel_bytes) return 0.0;
  if (kernel_bytes == 0) return std::nullopt;
  return (static_cast<double>(charged_bytes) - static_cast<double>(kernel_bytes)) /
         static_cast<double>(kernel_bytes);
}

// Writes that were cancelled before they reached the disk belong to the class of removals. Bytes that the kernel counted for no call form the class
// "other".
void add_other_class(Report& report) {
  if (!report.kernel || report.classes.empty()) return;
  ClassReport& removals = report.classes[static_cast<std::size_t>(protocol::CallClass::remove)];
  removals.kernel_write_bytes = -static_cast<std::int64_t>(report.kernel->cancelled_write_bytes);
  ClassReport other;
  other.name = "other";
  other.kernel_read_bytes = static_cast<std::int64_t>(report.kernel->read_bytes);
  other.kernel_write_bytes =
      static_cast<std::int64_t>(report.kernel->write_bytes) + removals.kernel_write_bytes;
  for (const ClassReport& one : report.classes) {
    other.kernel_read_bytes -= one.kernel_read_bytes;
    other.kernel_write_bytes -= one.kernel_write_bytes;
  }
  report.classes.push_back(other);
}

std::string verification_text(const Report& report, const char* subcommand) {
  std::string text = fmt::format("discnice {}: {}\n", subcommand, gray::cli::escape_controls(report.command));
  const char* row = "  {:<7} {:>9} {:>11} | {:>11} {:>11} {:>9} | {:>11} {:>11} {:>9}\n";
  text += fmt::format("  {:<29} | {:^33} | {:^33}\n", "", "read from disk", "written to disk");
  text += fmt::format(fmt::runtime(row), "calls", "number", "bytes", "predicted", "kernel", "error",
                      "predicted", "kernel", "error");
  ClassReport all;
  for (const ClassReport& one : report.classes) {
    text += fmt::format(fmt::runtime(row), one.name, one.calls, signed_bytes(one.bytes),
                        signed_bytes(one.predicted_read_bytes), signed_bytes(one.kernel_read_bytes),
                        percent_text(one.predicted_read_bytes, one.kernel_read_bytes),
                        signed_bytes(one.predicted_write_bytes), signed_bytes(one.kernel_write_bytes),
                        percent_text(one.predicted_write_bytes, one.kernel_write_bytes));
    all.calls += one.calls;
    all.bytes += one.bytes;
  }
  const auto charged_reads = static_cast<std::int64_t>(report.charged_read_bytes);
  const auto charged_writes = static_cast<std::int64_t>(report.charged_write_bytes);
  if (!report.kernel)
    return text + "  /proc/PID/io is not there, or may not be read: nothing to compare with\n";
  const auto reads = static_cast<std::int64_t>(report.kernel->read_bytes);
  const auto writes = static_cast<std::int64_t>(report.kernel->net_write_bytes());
  return text + fmt::format(fmt::runtime(row), "all", all.calls, signed_bytes(all.bytes),
                            signed_bytes(charged_reads), signed_bytes(reads),
                            percent_text(charged_reads, reads), signed_bytes(charged_writes),
                            signed_bytes(writes), percent_text(charged_writes, writes));
}

std::uint64_t Report::uncovered_bytes() const {
  if (!kernel) return 0;
  const std::uint64_t all = kernel->read_bytes + kernel->write_bytes;
  return all > accounted_bytes ? all - accounted_bytes : 0;
}

std::uint64_t Report::unforetold_bytes() const {
  if (!kernel) return 0;
  const auto beyond = [](std::uint64_t all, std::uint64_t part) { return all > part ? all - part : 0; };
  return beyond(kernel->read_bytes, predicted_read_bytes) +
         beyond(kernel->net_write_bytes(), predicted_write_bytes);
}

Report make_report(const protocol::Segment& segment) {
  Report report;
  report.command = command_of(segment);
  report.grant = protocol::load_grant(segment);
  const protocol::Totals totals = protocol::totals(segment);
  report.slept_s = seconds(totals.of(Counter::slept_ns));
  report.file_read_bytes = totals.of(Counter::file_read_bytes);
  report.file_write_bytes = totals.of(Counter::file_write_bytes);
  report.predicted_read_bytes = totals.of(Counter::predicted_read_bytes);
  report.predicted_write_bytes = not_negative(totals.of(Counter::predicted_write_bytes));
  report.accounted_bytes = totals.of(Counter::settled_read_bytes) + totals.of(Counter::settled_write_bytes);
  report.probe_bytes = totals.of(Counter::probe_bytes);
  report.fallbacks = totals.of(Counter::fallbacks);
  report.cache_brought_bytes = segment.cache_brought_bytes.load(std::memory_order_relaxed);
  report.cache_let_go_bytes =
      std::min(segment.cache_let_go_bytes.load(std::memory_order_relaxed), report.cache_brought_bytes);
  report.processes = segment.members_total.load(std::memory_order_relaxed);
  report.still_running = protocol::count_alive(segment, protocol::own_pid_namespace(segment));
  report.disks = disk_reports(segment);
  report.net = net_report(segment);
  report.is_verification = segment.options.is_verifying != 0;
  report.charged_read_bytes =
      not_negative(report.predicted_read_bytes + totals.of(Counter::corrected_read_bytes));
  report.charged_write_bytes =
      not_negative(report.predicted_write_bytes + totals.of(Counter::corrected_write_bytes));
  if (!report.is_verification) return report;
  for (std::uint32_t i = 0; i < protocol::kCallClassCount; ++i)
    report.classes.push_back(class_report(segment, i));
  return report;
}

std::string report_text(const Report& report) {
  const std::uint64_t moved = report.kernel ? report.kernel->read_bytes + report.kernel->net_write_bytes()
                                            : report.predicted_read_bytes + report.predicted_write_bytes;
  const double rate = report.elapsed_s > 0 ? static_cast<double>(moved) / report.elapsed_s : 0;
  std::string text =
      fmt::format("discnice: {}: {} of disk over {} ({})\n", gray::cli::escape_controls(report.command),
                  format_rate(rate), format_duration_ns(report.elapsed_s * 1e9), limits_text(report.grant));
  const auto line = [&text](const char* what, std::uint64_t read_bytes, std::uint64_t write_bytes) {
    text += fmt::format("  {:<16} read {:>10}   wrote {:>10}\n", what, format_bytes(read_bytes),
                        format_bytes(write_bytes));
  };
  line("file calls", report.file_read_bytes, report.file_write_bytes);
  line("disk, predicted", report.predicted_read_bytes, report.predicted_write_bytes);
  if (report.kernel) {
    line("disk, kernel", report.kernel->read_bytes, report.kernel->net_write_bytes());
  } else {
    text += "  disk, kernel     no account: /proc/PID/io is not there, or may not be read\n";
  }
  text += fmt::format("  waited           {} (all processes together)\n",
                      format_duration_ns(report.slept_s * 1e9));
  if (report.after_end_s >= kAfterEndToldS)
    text += fmt::format("  after the end    {} (for what was moved ahead of the rate)\n",
                        format_duration_ns(report.after_end_s * 1e9));
  if (report.cache_brought_bytes != 0)
    text += fmt::format("  page cache       brought in {}, let go {}, left {}\n",
                        format_bytes(report.cache_brought_bytes), format_bytes(report.cache_let_go_bytes),
                        format_bytes(report.cache_brought_bytes - report.cache_let_go_bytes));
  if (report.net) text += net_text(*report.net);
  text += fmt::format("  covered          {}\n", coverage_text(report));
  for (const DiskReport& disk : report.disks)
    text += fmt::format("  others on {:<6} {}\n", disk.number, observation_text(disk.seen_by));
  for (const std::string& program : report.uncovered_programs)
    text +=
        fmt::format("  NOT COVERED      {}: it ran without a limit\n", gray::cli::escape_controls(program));
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
  json["cache_brought_bytes"] = report.cache_brought_bytes;
  json["cache_let_go_bytes"] = report.cache_let_go_bytes;
  json["slept_seconds"] = report.slept_s;
  json["elapsed_seconds"] = report.elapsed_s;
  json["after_end_seconds"] = report.after_end_s;
  json["processes"] = report.processes;
  json["uncovered"] = report.uncovered_bytes();
  json["unforetold"] = report.unforetold_bytes();
  json["probe_bytes"] = report.probe_bytes;
  json["fallbacks"] = report.fallbacks;
  json["still_running"] = report.still_running;
  json["uncovered_programs"] = report.uncovered_programs;
  json["disks"] = nlohmann::ordered_json::array();
  for (const DiskReport& disk : report.disks)
    json["disks"].push_back({{"disk", disk.number}, {"others_seen_by", observation_word(disk.seen_by)}});
  json["net"] = net_json(report);
  if (report.is_verification) add_verification(json, report);
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace discnice::cli
