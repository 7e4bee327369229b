// SPDX-License-Identifier: MIT
// top: the program discnice-top: shows what the jobs of this user do right now. On a terminal it does so again and again (live_view), else once.
#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include <poll.h>

#include "toolbox/cli/columns.hpp"
#include "toolbox/cli/diagnostics.hpp"
#include "toolbox/cli/options.hpp"
#include "toolbox/cli/quantities.hpp"
#include "tools/discnice/cli/job_looks.hpp"
#include "tools/discnice/cli/limit_options.hpp"
#include "tools/discnice/cli/live_view.hpp"
#include "tools/discnice/cli/top_options.hpp"
#include "tools/discnice/policy/registry.hpp"
#include "tools/discnice/protocol/segment_guard.hpp"

namespace discnice::cli {
namespace {

using gray::cli::Alignment;
using gray::cli::Cell;
using gray::cli::Column;

constexpr char kWithNet[] = "+sends,receives";  // shown where a job's network is held
constexpr int kLookMs = 500;                    // between the two samples of figures that are shown once

// A row for a job or for one of its processes. `process` is null in the row of a job.
struct Row {
  const JobLook* job;
  const ProcessLook* process;
  [[nodiscard]] const Rates& rates() const { return process == nullptr ? job->rates : process->rates; }
};

std::vector<Row> rows_of(const Look& look, bool has_processes) {
  std::vector<Row> rows;
  for (const JobLook& job : look.jobs) {
    rows.push_back({&job, nullptr});
    if (!has_processes) continue;
    for (const ProcessLook& process : job.members) rows.push_back({&job, &process});
  }
  return rows;
}

Cell rate_cell(double bytes_per_s) {
  return {static_cast<std::uint64_t>(bytes_per_s), gray::cli::format_rate(bytes_per_s)};
}

Cell net_cell(const Row& row, double NetRates::*rate) {
  if (row.process != nullptr || !row.job->net) return {};
  return rate_cell((*row.job->net).*rate);
}

Cell count_cell(const Row& row, std::uint64_t count) {
  return row.process == nullptr ? Cell(count, std::to_string(count)) : Cell();
}

Cell limits_cell(const Row& row) {
  if (row.process != nullptr) return {};
  const Grant& grant = row.job->grant;
  const auto limit = [](std::uint64_t value) {
    return value == 0 ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(value);
  };
  return {{{"policy", policy::policy_by_id(grant.policy_id).name},
           {"rate_bytes_per_s", limit(grant.rate_bytes_per_s)},
           {"read_rate_bytes_per_s", limit(grant.read_rate_bytes_per_s)},
           {"write_rate_bytes_per_s", limit(grant.write_rate_bytes_per_s)},
           {"operations_per_s", limit(grant.operations_per_s)},
           {"weight", grant.weight},
           {"is_paused", (grant.flags & kPaused) != 0},
           {"is_net_nice", grant.net_gives_way != 0},
           {"net_up_bytes_per_s", limit(grant.net_up_bytes_per_s)},
           {"net_down_bytes_per_s", limit(grant.net_down_bytes_per_s)}},
          limits_text(grant)};
}

Cell others_cell(const Row& row) {
  if (row.process != nullptr || row.job->others == Others::unknown) return {};
  return Cell(row.job->others == Others::there ? "busy" : "idle");
}

Cell process_cell(const Row& row) {
  return row.process == nullptr ? Cell() : Cell(row.process->pid, std::to_string(row.process->pid));
}

const std::vector<Column<Row>>& columns() {
  static const std::vector<Column<Row>> kColumns = {
      {"JOB", "the job's number", Alignment::kLeft, true,
       [](const Row& r) { return Cell(r.job->number, std::to_string(r.job->number)); }},
      {"PID", "a process of it", Alignment::kLeft, true, process_cell},
      {"COMMAND", "what runs", Alignment::kLeft, true,
       [](const Row& r) { return Cell(r.process == nullptr ? r.job->command : r.process->command); }},
      {"LIMITS", "how it is held back", Alignment::kLeft, true, limits_cell},
      {"READ", "from disk, a second", Alignment::kRight, true,
       [](const Row& r) { return rate_cell(r.rates().read_bytes_per_s); }, "read_bytes_per_s"},
      {"WRITE", "written, a second", Alignment::kRight, true,
       [](const Row& r) { return rate_cell(r.rates().write_bytes_per_s); }, "write_bytes_per_s"},
      {"SENDS", "by TCP to other hosts, a second, where the network is held", Alignment::kRight, false,
       [](const Row& r) { return net_cell(r, &NetRates::sent_bytes_per_s); }, "sent_bytes_per_s"},
      {"RECEIVES", "likewise", Alignment::kRight, false,
       [](const Row& r) { return net_cell(r, &NetRates::received_bytes_per_s); }, "received_bytes_per_s"},
      {"WAITING", "of the time, held back: the mean of its processes", Alignment::kRight, true,
       [](const Row& r) {
         const double share = r.rates().waiting_share;
         return Cell(share, fmt::format("{:.0f} %", 100 * share));
       },
       "waited_share"},
      {"PROCESSES", "covered and alive", Alignment::kRight, true,
       [](const Row& r) { return count_cell(r, r.job->processes); }},
      {"UNCOVERED", "processes that run without a limit", Alignment::kRight, true,
       [](const Row& r) { return count_cell(r, r.job->uncovered); }},
      {"OTHERS", "whether others use its disk, as far as it looks", Alignment::kLeft, true, others_cell,
       "foreground"},
  };
  return kColumns;
}

}  // namespace
}  // namespace discnice::cli

int main(int argc, char** argv) {
  using namespace discnice::cli;
  gray::cli::set_program_name("discnice");
  gray::cli::set_subcommand_name("top");
  discnice::protocol::guard_all_memory();
  TopOptions options;
  const std::string columns_help = gray::cli::describe_columns(gray::cli::heads_of(columns()));
  if (const auto status = read_top_options(argc, argv, columns_help, options)) return *status;
  auto selection = gray::cli::select_columns(gray::cli::heads_of(columns()), options.output);
  if (!selection.is_ok()) return gray::cli::fail_usage("{}", selection.problem);
  if (!options.is_json && !options.is_once && options.output.empty() && can_show_live())
    return show_live(options.has_processes);
  Watch watch;
  watch.look();
  poll(nullptr, 0, kLookMs);
  const Look look = watch.look();
  const bool is_net_held =
      std::any_of(look.jobs.begin(), look.jobs.end(), [](const JobLook& job) { return !!job.net; });
  if (options.output.empty() && (options.is_json || is_net_held))
    selection = gray::cli::select_columns(gray::cli::heads_of(columns()), kWithNet);
  if (!look.is_complete) gray::cli::warn("{}", some_missing());
  const auto format = options.is_json ? gray::cli::TableFormat::kJson : gray::cli::TableFormat::kText;
  std::fputs(
      gray::cli::format_rows(columns(), selection, rows_of(look, options.has_processes), format).c_str(),
      stdout);
  return gray::cli::close_stdout(0);
}
