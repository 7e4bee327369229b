// SPDX-License-Identifier: MIT
// status: `discnice status`: lists the jobs of this user that are running now.
#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "toolbox/cli/columns.hpp"
#include "toolbox/cli/command_line.hpp"
#include "toolbox/cli/diagnostics.hpp"
#include "toolbox/cli/options.hpp"
#include "toolbox/cli/quantities.hpp"
#include "tools/discnice/cli/jobs.hpp"
#include "tools/discnice/cli/limit_options.hpp"
#include "tools/discnice/cli/report.hpp"
#include "tools/discnice/cli/subcommands.hpp"
#include "tools/discnice/policy/registry.hpp"
#include "tools/discnice/protocol/members.hpp"
#include "tools/discnice/protocol/segment.hpp"

namespace discnice::cli {
namespace {

using gray::cli::Alignment;
using gray::cli::Cell;
using gray::cli::Column;
using gray::cli::format_bytes;
using protocol::Counter;

constexpr char kWithNet[] = "+net,sent,received";  // shown where a job's network is held

struct Row {
  std::uint64_t job;
  std::string command;
  Grant grant;
  std::uint64_t processes;
  std::uint64_t read_bytes;
  std::uint64_t write_bytes;
  std::uint64_t cache_brought_bytes;
  std::uint64_t cache_let_go_bytes;
  std::uint64_t slept_ns;
  std::uint64_t age_ns;
  std::optional<NetReport> net;
  bool is_net_held;
};

Row row_of(const MappedJob& job) {
  const protocol::Segment& segment = job.segment();
  return {job.number(),
          command_of(segment),
          protocol::load_grant(segment),
          protocol::count_alive(segment, protocol::own_pid_namespace(segment)),
          protocol::total(segment, Counter::settled_read_bytes),
          protocol::total(segment, Counter::settled_write_bytes),
          segment.cache_brought_bytes.load(std::memory_order_relaxed),
          segment.cache_let_go_bytes.load(std::memory_order_relaxed),
          protocol::total(segment, Counter::slept_ns),
          job.age_ns(),
          net_report(segment),
          is_net_held(job)};
}

Cell bytes_cell(std::uint64_t bytes) {
  return {bytes, format_bytes(bytes)};
}

Cell seconds_cell(std::uint64_t duration_ns) {
  const auto ns = static_cast<double>(duration_ns);
  return {ns / 1e9, gray::cli::format_duration_ns(ns)};
}

bool is_shared(const Row& row) {
  return row.grant.policy_id == policy::kShareId;
}

Cell policy_cell(const Row& row) {
  const std::string name = policy::policy_by_id(row.grant.policy_id).name;
  return {name, is_shared(row) ? name + ", weight " + std::to_string(row.grant.weight) : name};
}

// Returns "nice", "1.00 MiB/s" or "off", for example.
std::string net_manner(const Grant& grant) {
  constexpr std::size_t kWord = sizeof "net " - 1;
  const std::string text = net_limits_text(grant);
  return text.empty() ? "off" : text.substr(kWord);
}

const std::vector<Column<Row>>& columns() {
  static const std::vector<Column<Row>> kColumns = {
      {"JOB", "the job's number: the pid that started it", Alignment::kLeft, true,
       [](const Row& r) { return Cell(r.job, std::to_string(r.job)); }},
      {"COMMAND", "what it runs", Alignment::kLeft, true, [](const Row& r) { return Cell(r.command); }},
      {"STATE", "whether 'discnice set --pause' holds it", Alignment::kLeft, true,
       [](const Row& r) { return Cell((r.grant.flags & kPaused) != 0 ? "paused" : "running"); }},
      {"POLICY", "how it is held back", Alignment::kLeft, true, policy_cell},
      {"RATE", "its limit", Alignment::kRight, true,
       [](const Row& r) {
         const std::uint64_t rate = r.grant.rate_bytes_per_s;
         return rate == 0 ? Cell() : Cell(rate, gray::cli::format_rate(static_cast<double>(rate)));
       },
       "rate_bytes_per_s"},
      {"WEIGHT", "its part, beside other jobs under the policy share", Alignment::kRight, false,
       [](const Row& r) {
         return is_shared(r) ? Cell(r.grant.weight, std::to_string(r.grant.weight)) : Cell();
       }},
      {"PROCESSES", "members alive", Alignment::kRight, true,
       [](const Row& r) { return Cell(r.processes, std::to_string(r.processes)); }},
      {"READ", "from disk so far, by the kernel's account", Alignment::kRight, true,
       [](const Row& r) { return bytes_cell(r.read_bytes); }, "read_bytes"},
      {"WRITTEN", "so far, by the kernel's account", Alignment::kRight, true,
       [](const Row& r) { return bytes_cell(r.write_bytes); }, "write_bytes"},
      {"CACHE_BROUGHT", "brought into the page cache so far, under --cache neutral or own", Alignment::kRight,
       false, [](const Row& r) { return bytes_cell(r.cache_brought_bytes); }, "cache_brought_bytes"},
      {"CACHE_LET_GO", "of these, let go of again", Alignment::kRight, false,
       [](const Row& r) { return bytes_cell(r.cache_let_go_bytes); }, "cache_let_go_bytes"},
      {"NET", "how it is held on the network", Alignment::kLeft, false,
       [](const Row& r) { return r.is_net_held ? Cell(net_manner(r.grant)) : Cell(); }},
      {"SENT", "by TCP to other hosts so far, where the network is held", Alignment::kRight, false,
       [](const Row& r) { return r.net ? bytes_cell(r.net->sent_bytes) : Cell(); }, "sent_bytes"},
      {"RECEIVED", "likewise", Alignment::kRight, false,
       [](const Row& r) { return r.net ? bytes_cell(r.net->received_bytes) : Cell(); }, "received_bytes"},
      {"WAITED", "time its processes have waited", Alignment::kRight, true,
       [](const Row& r) { return seconds_cell(r.slept_ns); }, "slept_seconds"},
      {"AGE", "since it was started", Alignment::kRight, true,
       [](const Row& r) { return seconds_cell(r.age_ns); }, "age_seconds"},
  };
  return kColumns;
}

}  // namespace

int status_main(int argc, char** argv) {
  gray::cli::CommandLine app{"Lists the jobs of this user that are running now.", "discnice status"};
  bool is_json = false;
  std::string output;
  app.add_flag("--json", is_json, "one JSON array instead of a table");
  app.add_option("-o,--output", output, "which columns: NAME,NAME or +NAME").type_name("LIST");
  app.footer("Columns:\n" + gray::cli::describe_columns(gray::cli::heads_of(columns())));
  if (const auto status = gray::cli::parse(app, argc, argv)) return *status;
  auto selection = gray::cli::select_columns(gray::cli::heads_of(columns()), output);
  if (!selection.is_ok()) return gray::cli::fail_usage("{}", selection.problem);
  clear_leftovers();
  std::vector<Row> rows;
  for (const MappedJob& job : find_jobs_or_warn()) rows.push_back(row_of(job));
  const bool is_any_net = std::any_of(rows.begin(), rows.end(), [](const Row& row) { return !!row.net; });
  if (output.empty() && (is_json || is_any_net))
    selection = gray::cli::select_columns(gray::cli::heads_of(columns()), kWithNet);
  if (rows.empty() && !is_json) {
    gray::cli::warn("no job is running");
    return gray::cli::close_stdout(0);
  }
  const auto format = is_json ? gray::cli::TableFormat::kJson : gray::cli::TableFormat::kText;
  std::fputs(gray::cli::format_rows(columns(), selection, rows, format).c_str(), stdout);
  return gray::cli::close_stdout(0);
}

}  // namespace discnice::cli
