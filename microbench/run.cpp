// SPDX-License-Identifier: MIT
// run: `microbench run`: measures missing and stale values, and replaces the record when all are measured.
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <set>

#include "microbench/host_state.hpp"
#include "microbench/interruption.hpp"
#include "microbench/quantity.hpp"
#include "microbench/record.hpp"
#include "microbench/registry.hpp"
#include "microbench/run_options.hpp"
#include "microbench/runner.hpp"
#include "microbench/subcommands.hpp"
#include "microbench/test_file.hpp"
#include "microbench/turn.hpp"
#include "toolbox/base/clock.hpp"
#include "toolbox/base/units.hpp"
#include "toolbox/cli/columns.hpp"
#include "toolbox/cli/diagnostics.hpp"
#include "toolbox/cli/options.hpp"
#include "toolbox/cli/progress.hpp"
#include "toolbox/repo/device_identity.hpp"
#include "toolbox/repo/repository.hpp"

namespace microbench {
namespace {

using gray::base::kMiB;
using gray::base::kNanosecondsPerSecond;
using gray::cli::fail;
using gray::cli::kExitSomeFailed;
using gray::repo::FileStatus;
using gray::repo::Source;

// The time limits and the precision for each effort.
struct Plan {
  double interval_max;
  std::uint64_t host_ns;
  std::uint64_t device_ns;
  std::uint64_t file_bytes;
  std::uint64_t file_ns;
};

constexpr std::uint64_t kTenthSecondNs = kNanosecondsPerSecond / 10;

Plan plan_for(Effort effort) {
  switch (effort) {
    case Effort::kQuick:
      return {0.1, 8 * kTenthSecondNs, 22 * kTenthSecondNs, 64 * kMiB, 8 * kTenthSecondNs};
    case Effort::kFull:
      return {0.01, 150 * kTenthSecondNs, 600 * kTenthSecondNs, 1024 * kMiB, 150 * kTenthSecondNs};
    case Effort::kDefault:
      break;
  }
  return {0.03, 30 * kTenthSecondNs, 120 * kTenthSecondNs, 256 * kMiB, 20 * kTenthSecondNs};
}

// Benchmarks that are measured together with one context.
struct Group {
  std::string directory;  // empty: the host as a whole
  std::string device;
  std::vector<const Benchmark*> benchmarks;
  std::vector<Measured> results;
};

// One run: from its options to the new record.
class Run {
 public:
  Run(const RunOptions& options, const gray::repo::LoadedFile& record)
      : options_(options), record_(record), plan_(plan_for(options.effort)), progress_("measuring", 100) {}

  // Finds the groups and the benchmarks wanted in each group. Returns whether all folders could be examined.
  bool plan_groups();
  void measure();
  [[nodiscard]] bool has_work() const {
    return std::any_of(groups_.begin(), groups_.end(), [](const Group& g) { return !g.benchmarks.empty(); });
  }
  [[nodiscard]] const std::vector<Group>& groups() const { return groups_; }
  [[nodiscard]] bool has_failed() const { return has_failed_; }
  [[nodiscard]] std::vector<gray::repo::Parameter> apply(gray::repo::Changes& changes, bool is_busy) const;
  [[nodiscard]] double foreign_share() const { return load_.cpu_share(); }

 private:
  void add_group(const std::string& directory, const std::string& device, Needs needs);
  [[nodiscard]] bool is_measured(const Benchmark& benchmark, const std::string& device) const;
  std::unique_ptr<TestFile> make_file(const Group& group);
  void measure_group(Group& group, const gray::timing::Timer& timer);
  void measure_together(Group& host, Group& group, const gray::timing::Timer& timer, TestFile& file);
  std::vector<Measured> run_all(const std::vector<const Benchmark*>& wanted, const gray::timing::Timer& timer,
                                TestFile* file, std::uint64_t budget_ns);
  void show(const std::string& what, std::uint64_t group_ns, double share);

  const RunOptions& options_;
  const gray::repo::LoadedFile& record_;
  Plan plan_;
  std::vector<Group> groups_;
  gray::cli::Progress progress_;
  ForeignLoad load_;
  std::uint64_t total_ns_ = 0;
  std::uint64_t done_ns_ = 0;
  bool has_failed_ = false;
};

bool Run::is_measured(const Benchmark& benchmark, const std::string& device) const {
  if (!options_.only.empty()) {
    return std::find(options_.only.begin(), options_.only.end(), &benchmark) != options_.only.end();
  }
  if (benchmark.effort_min > options_.effort) return false;
  return options_.is_anew || options_.effort == Effort::kFull ||
         is_wanted(benchmark, record_.parameters, device, std::time(nullptr));
}

void Run::add_group(const std::string& directory, const std::string& device, Needs needs) {
  Group group{directory, device, {}, {}};
  for (const Benchmark* benchmark : benchmarks()) {
    if (benchmark->needs == needs && is_measured(*benchmark, device)) group.benchmarks.push_back(benchmark);
  }
  if (group.benchmarks.empty()) return;
  total_ns_ += needs == Needs::kNothing ? plan_.host_ns : plan_.device_ns + plan_.file_ns;
  groups_.push_back(std::move(group));
}

bool Run::plan_groups() {
  add_group("", "", Needs::kNothing);
  const std::vector<std::string> places =
      options_.file.empty() ? options_.directories : std::vector<std::string>{options_.file};
  std::set<std::string> seen;
  for (const std::string& place : places) {
    const auto device = gray::repo::device_identity(place);
    if (!device) {
      gray::cli::warn("'{}': {}", place, gray::cli::error_text(device.error()));
      has_failed_ = true;
    } else if (seen.insert(device.value()).second) {
      add_group(place, device.value(), Needs::kTestFile);
    }
  }
  return !has_failed_;
}

void Run::show(const std::string& what, std::uint64_t group_ns, double share) {
  const auto group_done_ns = static_cast<std::uint64_t>(std::min(share, 1.0) * static_cast<double>(group_ns));
  const std::uint64_t now_ns = done_ns_ + group_done_ns;
  const std::uint64_t left_s = (total_ns_ - std::min(now_ns, total_ns_)) / kNanosecondsPerSecond + 1;
  progress_.describe(fmt::format("measuring {}, {} s left at most", what, left_s));
  progress_.set(now_ns * 100 / std::max<std::uint64_t>(total_ns_, 1));
}

// Makes the test file of a group. If that is not possible, prints the reason and returns null.
std::unique_ptr<TestFile> Run::make_file(const Group& group) {
  const auto on_fill = [&](double share) {
    show("the disk, by writing the test file", plan_.file_ns, share);
  };
  try {
    auto file = options_.file.empty()
                    ? std::make_unique<TestFile>(group.directory, plan_.file_bytes, plan_.file_ns, on_fill)
                    : std::make_unique<TestFile>(options_.file);
    done_ns_ += plan_.file_ns;
    return file;
  } catch (const NotAvailable& reason) {
    gray::cli::warn("{}", reason.what());
    has_failed_ = true;
    return nullptr;
  }
}

std::vector<Measured> Run::run_all(const std::vector<const Benchmark*>& wanted,
                                   const gray::timing::Timer& timer, TestFile* file,
                                   std::uint64_t budget_ns) {
  const Context context{timer, options_.effort, file, plan_.interval_max, 1};
  auto results = run_benchmarks(wanted, context, budget_ns, [&](const Benchmark& next, double share) {
    show(next.what, budget_ns, share);
  });
  done_ns_ += budget_ns;
  return results;
}

void Run::measure_group(Group& group, const gray::timing::Timer& timer) {
  if (group.directory.empty()) {
    group.results = run_all(group.benchmarks, timer, nullptr, plan_.host_ns);
  } else if (const auto file = make_file(group)) {
    group.results = run_all(group.benchmarks, timer, file.get(), plan_.device_ns);
  }
}

// Runs the benchmarks of the host interleaved with the benchmarks of a device, so that each has samples from the whole time. A phase of a few seconds, caused
// by another virtual machine or by the processor's clock, then affects only a part of the samples.
void Run::measure_together(Group& host, Group& group, const gray::timing::Timer& timer, TestFile& file) {
  std::vector<const Benchmark*> wanted = host.benchmarks;
  wanted.insert(wanted.end(), group.benchmarks.begin(), group.benchmarks.end());
  for (Measured& measured : run_all(wanted, timer, &file, plan_.host_ns + plan_.device_ns)) {
    Group& owner = measured.benchmark->needs == Needs::kNothing ? host : group;
    owner.results.push_back(std::move(measured));
  }
}

void Run::measure() {
  const gray::timing::Timer timer;
  auto next = groups_.begin();
  if (groups_.size() > 1 && next->directory.empty()) {
    Group& host = *next++;
    if (const auto file = make_file(*next)) {
      measure_together(host, *next, timer, *file);
    } else {
      measure_group(host, timer);
    }
    ++next;
  }
  for (; next != groups_.end(); ++next) measure_group(*next, timer);
  progress_.finish();
}

std::vector<gray::repo::Parameter> Run::apply(gray::repo::Changes& changes, bool is_busy) const {
  std::vector<gray::repo::Parameter> shown;
  for (const Group& group : groups_) {
    auto part = changes_for(group.results, group.device, is_busy, record_.parameters, std::time(nullptr));
    for (auto& name : part.forget) changes.forget.push_back(std::move(name));
    for (auto& parameter : part.set) {
      const Described described = describe(parameter.key);
      if (described.output->kind == Kind::kValue) shown.push_back(parameter);
      // A value of the host that was measured on two file systems is recorded once.
      const bool is_there = std::any_of(changes.set.begin(), changes.set.end(), [&](const auto& other) {
        return other.key == parameter.key && other.device == parameter.device;
      });
      if (!is_there) changes.set.push_back(std::move(parameter));
    }
  }
  return shown;
}

using gray::cli::Alignment;
using gray::cli::Cell;

const std::vector<gray::cli::Column<gray::repo::Parameter>>& columns() {
  using gray::repo::Parameter;
  static const std::vector<gray::cli::Column<Parameter>> kColumns = {
      {"KEY", "", Alignment::kLeft, true,
       [](const Parameter& p) { return Cell(gray::repo::format_name(p.key, p.device)); }},
      {"VALUE", "", Alignment::kRight, true,
       [](const Parameter& p) { return Cell(p.value, format_quantity(p.value, p.unit)); }},
      {"SPREAD", "", Alignment::kRight, true,
       [](const Parameter& p) {
         return p.spread ? Cell(*p.spread, format_quantity(*p.spread, p.unit)) : Cell();
       }},
      {"SAMPLES", "", Alignment::kRight, true,
       [](const Parameter& p) { return Cell(p.samples, std::to_string(p.samples)); }},
  };
  return kColumns;
}

void print_results(const Run& run, const std::vector<gray::repo::Parameter>& shown) {
  const auto selection = gray::cli::select_columns(gray::cli::heads_of(columns()), "");
  const std::string table =
      gray::cli::format_rows(columns(), selection, shown, gray::cli::TableFormat::kText);
  if (!shown.empty()) std::fputs(table.c_str(), stdout);
  for (const Group& group : run.groups()) {
    for (const Measured& measured : group.results) {
      if (measured.reason.empty()) continue;
      std::fputs(fmt::format("not available: {}: {}\n", measured.benchmark->name,
                             gray::cli::printable(measured.reason))
                     .c_str(),
                 stdout);
    }
  }
}

// Checks before the measurement whether the record may be replaced after it.
int check_record(const gray::repo::LoadedFile& record, const RunOptions& options) {
  if (record.status == FileStatus::kUsable || record.status == FileStatus::kMissing) return 0;
  if (record.status == FileStatus::kForeign) {
    gray::cli::warn("{}: it is moved aside and all is measured anew", record.problem);
    return 0;
  }
  if (options.may_replace) return 0;
  return fail(kExitSomeFailed, "{}: --move-aside begins a new record", record.problem);
}

bool judge_busy(const std::string& pressure, double foreign_share) {
  if (!pressure.empty()) {
    gray::cli::warn("this host is busy: {}; the figures are marked, and measured again next time", pressure);
    return true;
  }
  if (foreign_share <= kForeignCpuShareMax) return false;
  gray::cli::warn(
      "other programs used {:.0f} % of the processors meanwhile; the figures are marked, and measured again "
      "next "
      "time",
      foreign_share * 100);
  return true;
}

int record_results(gray::repo::Repository& repository, Source target, const RunOptions& options,
                   const gray::repo::Changes& changes) {
  const FileStatus status =
      (target == Source::kUser ? repository.user_file() : repository.host_file()).status;
  const bool is_moved = options.may_replace || status == FileStatus::kForeign;
  const SignalsHeld held;
  const auto outcome = repository.update(
      target, changes, is_moved ? gray::repo::UnusableFile::kMoveAside : gray::repo::UnusableFile::kRefuse);
  if (!outcome.is_ok()) return fail(kExitSomeFailed, "nothing was recorded: {}", outcome.problem);
  note_recorded();
  if (!outcome.moved_to.empty()) gray::cli::warn("the old record is now '{}'", outcome.moved_to);
  return 0;
}

}  // namespace

int run_main(int argc, char** argv) {
  RunOptions options;
  if (const auto status = read_run_options(argc, argv, options)) return *status;
  // A limit on the size of files then is an error of write(), like a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  gray::repo::Repository repository(gray::repo::default_places());
  const Source target = options.is_for_host ? Source::kHost : Source::kUser;
  const gray::repo::LoadedFile record =
      target == Source::kHost ? repository.host_file() : repository.user_file();
  if (const int status = check_record(record, options)) return status;
  const Turn turn;
  if (!turn.is_ours()) {
    return fail(kExitSomeFailed,
                "another microbench is measuring this host: two at once would measure each other");
  }
  const std::string pressure = describe_pressure();
  if (options.is_strict && !pressure.empty()) return fail(kExitSomeFailed, "this host is busy: {}", pressure);
  say_when_interrupted();
  Run run(options, record);
  run.plan_groups();
  if (!run.has_work()) {
    if (!run.has_failed()) gray::cli::warn("all is known already: microbench show; --anew measures it again");
    return gray::cli::close_stdout(run.has_failed() ? kExitSomeFailed : 0);
  }
  run.measure();
  const bool is_busy = judge_busy(pressure, run.foreign_share());
  if (is_busy && options.is_strict)
    return fail(kExitSomeFailed, "nothing was recorded: the host became busy");
  gray::repo::Changes changes;
  const auto shown = run.apply(changes, is_busy);
  if (!changes.set.empty()) {
    if (const int status = record_results(repository, target, options, changes)) return status;
  }
  if (is_busy && shown.empty()) gray::cli::warn("what is known was measured on a quieter host, and is kept");
  print_results(run, shown);
  return gray::cli::close_stdout(run.has_failed() ? kExitSomeFailed : 0);
}

}  // namespace microbench
