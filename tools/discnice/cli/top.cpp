// SPDX-License-Identifier: MIT
// top: `discnice top`: what the jobs of this user do right now, once or again and again.
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include <poll.h>
#include <unistd.h>

#include "toolbox/base/clock.hpp"
#include "toolbox/cli/columns.hpp"
#include "toolbox/cli/command_line.hpp"
#include "toolbox/cli/diagnostics.hpp"
#include "toolbox/cli/options.hpp"
#include "toolbox/cli/quantities.hpp"
#include "tools/discnice/cli/job_processes.hpp"
#include "tools/discnice/cli/jobs.hpp"
#include "tools/discnice/cli/limit_options.hpp"
#include "tools/discnice/cli/subcommands.hpp"
#include "tools/discnice/policy/registry.hpp"
#include "tools/discnice/processes/coverage.hpp"
#include "tools/discnice/processes/processes.hpp"
#include "tools/discnice/protocol/disk_words.hpp"
#include "tools/discnice/protocol/members.hpp"
#include "tools/discnice/protocol/segment.hpp"

namespace discnice::cli {
namespace {

using gray::cli::Alignment;
using gray::cli::Cell;
using gray::cli::Column;
using protocol::Counter;

constexpr int kLookMs = 500;  // apart, when the figures are shown once
// A disk with a foreign request so recently is not the job's alone.
constexpr std::uint64_t kBusyNs = 1'000'000'000;

struct Sums {
  std::uint64_t at_ns = 0;
  std::uint64_t read_bytes = 0;
  std::uint64_t write_bytes = 0;
  std::uint64_t slept_ns = 0;
};

struct Row {
  std::string job;
  std::string pid;
  std::string command;
  std::string limits;
  double read_bytes_per_s = 0;
  double write_bytes_per_s = 0;
  double waited_share = 0;
  std::uint64_t processes = 0;
  std::uint64_t uncovered = 0;
  std::string foreground;
};

Sums sums_of(const protocol::Member& member, std::uint64_t now_ns) {
  return {now_ns, get(member, Counter::settled_read_bytes), get(member, Counter::settled_write_bytes),
          get(member, Counter::slept_ns)};
}

Sums sums_of(const protocol::Segment& segment, std::uint64_t now_ns) {
  return {now_ns, total(segment, Counter::settled_read_bytes), total(segment, Counter::settled_write_bytes),
          total(segment, Counter::slept_ns)};
}

// What the job knows of the disks it uses; only policies that give way look.
std::string foreground_of(const protocol::Segment& segment, std::uint64_t now_ns) {
  bool is_watched = false;
  for (const protocol::Disk& disk : segment.disks) {
    const DiskActivity activity = protocol::load_activity(disk, now_ns);
    if (activity.sampled_at_ns == 0 || activity.sampled_at_ns + kBusyNs < now_ns) continue;
    is_watched = true;
    if (activity.foreground_at_ns != 0 && activity.foreground_at_ns + kBusyNs > now_ns) return "busy";
  }
  return is_watched ? "idle" : "-";
}

void fill_rates(Row& row, const Sums& before, const Sums& now) {
  if (before.at_ns == 0 || now.at_ns <= before.at_ns) return;
  const double seconds = static_cast<double>(now.at_ns - before.at_ns) / 1e9;
  const auto rate = [seconds](std::uint64_t a, std::uint64_t b) {
    return b > a ? static_cast<double>(b - a) / seconds : 0.0;
  };
  row.read_bytes_per_s = rate(before.read_bytes, now.read_bytes);
  row.write_bytes_per_s = rate(before.write_bytes, now.write_bytes);
  row.waited_share = rate(before.slept_ns, now.slept_ns) / 1e9;
}

// Figures of one look, with what the look before showed under the same key.
class Watch {
 public:
  explicit Watch(bool has_processes) : has_processes_(has_processes) {}

  std::vector<Row> look() {
    std::vector<Row> rows;
    const std::uint64_t now_ns = gray::base::monotonic_ns();
    for (const MappedJob& job : find_jobs_or_warn()) add_job(rows, job, now_ns);
    return rows;
  }

 private:
  void add_job(std::vector<Row>& rows, const MappedJob& job, std::uint64_t now_ns) {
    const protocol::Segment& segment = job.segment();
    Row row;
    row.job = std::to_string(job.number());
    row.pid = "-";
    row.command = command_of(segment);
    row.limits = limits_text(protocol::load_grant(segment));
    const std::uint32_t own_namespace = protocol::own_pid_namespace(segment);
    row.processes = protocol::count_alive(segment, own_namespace);
    row.uncovered = count_uncovered(job, accounts_[job.name()]);
    row.foreground = foreground_of(segment, now_ns);
    advance(row, job.name(), sums_of(segment, now_ns));
    rows.push_back(row);
    if (!has_processes_) return;
    protocol::for_each_member(segment, [&](const protocol::Member& member) {
      const std::uint32_t pid = member.pid.load(std::memory_order_relaxed);
      Row process;
      const bool is_number_ours = member.pid_namespace.load(std::memory_order_relaxed) == own_namespace;
      process.command =
          is_number_ours ? processes::program_name_of(static_cast<pid_t>(pid)) : "(in a PID namespace)";
      if (pid == 0 || process.command.empty()) return;
      process.job = row.job;
      process.pid = std::to_string(pid);
      process.limits = "-";
      process.foreground = "-";
      process.processes = 1;
      advance(process, "pid " + process.pid, sums_of(member, now_ns));
      rows.push_back(process);
    });
  }

  // By what the processes are, and by what they have done since the look before.
  static std::uint64_t count_uncovered(const MappedJob& job, processes::AccountWatch& accounts) {
    std::uint64_t count = 0;
    for (const pid_t pid : processes_of(job)) {
      const processes::Coverage coverage = processes::coverage_of(pid, processes::kAnyLibrary);
      const bool is_past_us = !accounts.look(job.segment(), pid).empty();
      const bool is_held =
          coverage.obstacle.empty() || processes::is_held_from_outside(job.segment(), pid, coverage);
      if (!is_held || is_past_us) ++count;
    }
    accounts.forget_others();
    return count;
  }

  void advance(Row& row, const std::string& key, const Sums& now) {
    fill_rates(row, before_[key], now);
    before_[key] = now;
  }

  bool has_processes_;
  std::map<std::string, Sums> before_;
  std::map<std::string, processes::AccountWatch> accounts_;
};

Cell rate_cell(double bytes_per_s) {
  return {static_cast<std::uint64_t>(bytes_per_s), gray::cli::format_rate(bytes_per_s)};
}

Cell count_cell(std::uint64_t count) {
  return {count, std::to_string(count)};
}

const std::vector<Column<Row>>& columns() {
  static const std::vector<Column<Row>> kColumns = {
      {"JOB", "the job's number", Alignment::kLeft, true, [](const Row& r) { return Cell(r.job); }},
      {"PID", "a process of it", Alignment::kLeft, true, [](const Row& r) { return Cell(r.pid); }},
      {"COMMAND", "what runs", Alignment::kLeft, true, [](const Row& r) { return Cell(r.command); }},
      {"LIMITS", "how it is held back", Alignment::kLeft, true, [](const Row& r) { return Cell(r.limits); }},
      {"READ_BYTES_PER_S", "read from disk", Alignment::kRight, true,
       [](const Row& r) { return rate_cell(r.read_bytes_per_s); }},
      {"WRITE_BYTES_PER_S", "written", Alignment::kRight, true,
       [](const Row& r) { return rate_cell(r.write_bytes_per_s); }},
      {"WAITED_SHARE", "of the time, held back; the sum of its processes", Alignment::kRight, true,
       [](const Row& r) { return Cell(r.waited_share, fmt::format("{:.0f} %", 100 * r.waited_share)); }},
      {"PROCESSES", "covered and alive", Alignment::kRight, true,
       [](const Row& r) { return count_cell(r.processes); }},
      {"UNCOVERED", "processes that run without a limit", Alignment::kRight, true,
       [](const Row& r) { return count_cell(r.uncovered); }},
      {"FOREGROUND", "whether others use its disk, as far as it looks", Alignment::kLeft, true,
       [](const Row& r) { return Cell(r.foreground); }},
  };
  return kColumns;
}

// Lets the time between two looks pass. True when a person has asked for the end by 'q', or the terminal is gone.
bool is_over_after(int wait_ms, bool is_live) {
  pollfd keyboard{is_live ? STDIN_FILENO : -1, POLLIN, 0};
  if (poll(&keyboard, 1, wait_ms) <= 0) return false;
  char key = 0;
  return read(STDIN_FILENO, &key, 1) <= 0 || key == 'q';
}

}  // namespace

int top_main(int argc, char** argv) {
  gray::cli::CommandLine app{
      "Shows what the jobs of this user do right now; on a terminal again and again, until 'q' and Enter or "
      "Ctrl-C.",
      "discnice top"};
  bool is_json = false;
  bool is_once = false;
  bool has_processes = false;
  std::string output;
  app.add_flag("--json", is_json, "one JSON array, once");
  app.add_flag("-1,--once", is_once, "once, also on a terminal");
  app.add_flag("-P,--processes", has_processes, "each process as well");
  app.add_option("-o,--output", output, "which columns: NAME,NAME or +NAME").type_name("LIST");
  app.footer("Columns:\n" + gray::cli::describe_columns(gray::cli::heads_of(columns())));
  if (const auto status = gray::cli::parse(app, argc, argv)) return *status;
  const auto selection = gray::cli::select_columns(gray::cli::heads_of(columns()), output);
  if (!selection.is_ok()) return gray::cli::fail_usage("{}", selection.problem);
  const bool is_live = !is_json && !is_once && isatty(STDOUT_FILENO) != 0 && isatty(STDIN_FILENO) != 0;
  const auto format = is_json ? gray::cli::TableFormat::kJson : gray::cli::TableFormat::kText;
  Watch watch(has_processes);
  watch.look();
  do {
    if (is_over_after(is_live ? 2 * kLookMs : kLookMs, is_live)) break;
    const std::string table = gray::cli::format_rows(columns(), selection, watch.look(), format);
    std::fputs((is_live ? "\033[H\033[J" + table : table).c_str(), stdout);
    if (is_live && std::fflush(stdout) != 0) break;
  } while (is_live);
  return gray::cli::close_stdout(0);
}

}  // namespace discnice::cli
