// SPDX-License-Identifier: MIT
// replay: `discnice replay FILE`: runs the models over a recording and compares their predictions with the recorded counts of the
// kernel.
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <optional>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "toolbox/cli/command_line.hpp"
#include "toolbox/cli/diagnostics.hpp"
#include "toolbox/cli/options.hpp"
#include "toolbox/cli/quantities.hpp"
#include "tools/discnice/cli/record_reader.hpp"
#include "tools/discnice/cli/replay_models.hpp"
#include "tools/discnice/cli/report.hpp"
#include "tools/discnice/cli/subcommands.hpp"
#include "tools/discnice/policy/registry.hpp"

namespace discnice::cli {
namespace {

using gray::cli::format_bytes;
using gray::cli::format_duration_ns;

constexpr char kFooter[] =
    "The table is that of 'discnice verify': what the models of this discnice predict for the recorded "
    "calls, "
    "and what the\n"
    "kernel booked for them when they were recorded.\n"
    "\n"
    "Examples:\n"
    "  discnice verify --record grep.record -- grep -r needle src\n"
    "  discnice replay grep.record\n"
    "  discnice replay --rate 5M --json grep.record\n";

// In the order of protocol::CallClass.
constexpr const char* kClassNames[protocol::kCallClassCount] = {"read", "write", "copy", "remove", "create"};

struct Options {
  std::string path;
  std::uint64_t rate_bytes_per_s = 0;
  bool is_json = false;
};

std::int64_t signed_of(std::uint64_t value) {
  return static_cast<std::int64_t>(value);
}

ClassReport class_report(const ReplayedClass& sums, const char* name) {
  ClassReport report;
  report.name = name;
  report.calls = signed_of(sums.calls);
  report.bytes = signed_of(sums.bytes);
  report.predicted_read_bytes = signed_of(sums.predicted_read_bytes);
  report.predicted_write_bytes = signed_of(sums.predicted_write_bytes - sums.refunded_bytes);
  report.kernel_read_bytes = signed_of(sums.kernel_read_bytes);
  report.kernel_write_bytes = signed_of(sums.kernel_write_bytes);
  return report;
}

// Returns 0 for a sum that refunds have brought below zero.
std::uint64_t not_negative(std::int64_t sum) {
  return sum < 0 ? 0 : static_cast<std::uint64_t>(sum);
}

Report report_of(const Replayed& replayed, const protocol::RecordFileHeader& header, const Grant& grant) {
  Report report;
  report.command = header.command;
  report.grant = grant;
  report.is_verification = true;
  report.elapsed_s = static_cast<double>(replayed.last_ns - replayed.first_ns) / 1e9;
  report.slept_s = static_cast<double>(replayed.waited_ns) / 1e9;
  report.processes = replayed.processes;
  std::int64_t writes = 0;
  for (std::uint32_t i = 0; i < protocol::kCallClassCount; ++i) {
    const ReplayedClass& sums = replayed.classes[i];
    report.classes.push_back(class_report(sums, kClassNames[i]));
    report.charged_read_bytes += sums.predicted_read_bytes;
    writes += report.classes.back().predicted_write_bytes;
    // A copy within the kernel reads the bytes that it writes. In a running job the library counts such a copy as a read and a write.
    const auto call = static_cast<protocol::CallClass>(i);
    if (call != protocol::CallClass::write) report.file_read_bytes += sums.bytes;
    if (call == protocol::CallClass::write || call == protocol::CallClass::copy)
      report.file_write_bytes += sums.bytes;
    report.accounted_bytes += sums.kernel_read_bytes + sums.kernel_write_bytes;
  }
  report.charged_write_bytes = not_negative(writes);
  report.predicted_read_bytes = report.charged_read_bytes;
  report.predicted_write_bytes = report.charged_write_bytes;
  if (replayed.end && replayed.end->is_account_known != 0) {
    report.kernel =
        processes::KernelAccount{replayed.end->kernel_read_bytes, replayed.end->kernel_write_bytes,
                                 replayed.end->kernel_cancelled_bytes};
  }
  add_other_class(report);
  return report;
}

struct Then {
  std::uint64_t read_bytes = 0;
  std::uint64_t write_bytes = 0;
};

// Returns the predictions that the models made when the recording was made.
Then predicted_then(const Replayed& replayed) {
  Then then;
  std::int64_t writes = 0;
  for (const ReplayedClass& sums : replayed.classes) {
    then.read_bytes += sums.recorded_read_bytes;
    writes += signed_of(sums.recorded_write_bytes - sums.recorded_refunded_bytes);
  }
  then.write_bytes = not_negative(writes);
  return then;
}

std::string text_of(const Replayed& replayed, const Report& report) {
  const Then then = predicted_then(replayed);
  std::string text = verification_text(report, "replay");
  text += fmt::format("  then predicted   read {:>10}   wrote {:>10}\n", format_bytes(then.read_bytes),
                      format_bytes(then.write_bytes));
  text += fmt::format(
      "  recorded         {} operations of {} process{} over {}; {} records lost, {} operations unfinished\n",
      replayed.operations, replayed.processes, replayed.processes == 1 ? "" : "es",
      format_duration_ns(report.elapsed_s * 1e9), replayed.end->lost, replayed.unfinished);
  if (replayed.guessed_answers != 0) {
    text += fmt::format("  guessed          {} answers about the page cache that are not in the recording\n",
                        replayed.guessed_answers);
  }
  if (report.grant.rate_bytes_per_s != 0) {
    text += fmt::format("  at {:<13} {} of waiting, {} in the process that waits longest\n",
                        gray::cli::format_rate(static_cast<double>(report.grant.rate_bytes_per_s)),
                        format_duration_ns(static_cast<double>(replayed.waited_ns)),
                        format_duration_ns(static_cast<double>(replayed.waited_longest_ns)));
  }
  return text;
}

std::string json_of(const Replayed& replayed, const Report& report) {
  const Then then = predicted_then(replayed);
  auto json = nlohmann::ordered_json::parse(report_json(report));
  json["recorded_predicted_read_bytes"] = then.read_bytes;
  json["recorded_predicted_write_bytes"] = then.write_bytes;
  json["operations"] = replayed.operations;
  json["unfinished"] = replayed.unfinished;
  json["lost_records"] = replayed.end->lost;
  json["guessed_answers"] = replayed.guessed_answers;
  json["slept_longest_seconds"] = static_cast<double>(replayed.waited_longest_ns) / 1e9;
  return json.dump() + "\n";
}

Grant recorded_grant(const protocol::RecordFileHeader& header) {
  Grant grant;
  grant.window_ns = header.window_ns;
  grant.policy_id = header.policy_id;
  grant.rate_bytes_per_s = header.rate_bytes_per_s;
  return grant;
}

// Returns the limit under which the policy is tried: the requested limit, else the recorded limit.
Grant tried_grant(const Options& options, Grant grant) {
  if (options.rate_bytes_per_s != 0) {
    grant.policy_id = policy::kRateWindowId;
    grant.rate_bytes_per_s = options.rate_bytes_per_s;
  }
  return grant;
}

int replay(const Options& options) {
  std::ifstream file(options.path, std::ios::binary);
  if (!file) {
    return gray::cli::fail(gray::cli::kExitSomeFailed, "cannot read '{}': {}", options.path,
                           gray::cli::error_text(errno));
  }
  RecordReader reader(file, options.path);
  const Grant recorded = recorded_grant(reader.header());
  const Grant grant = tried_grant(options, recorded);
  ReplayModels models(recorded, grant, reader.header().disabled_models);
  protocol::TakenRecord record;
  while (reader.next(record)) models.take(record);
  if (!reader.problem().empty()) return gray::cli::fail(gray::cli::kExitSomeFailed, "{}", reader.problem());
  const Replayed replayed = models.result();
  const Report report = report_of(replayed, reader.header(), grant);
  if (replayed.end->lost != 0) {
    gray::cli::warn("'{}' lacks {} records that found no room: what follows them is less exact", options.path,
                    replayed.end->lost);
  }
  std::fputs((options.is_json ? json_of(replayed, report) : text_of(replayed, report)).c_str(), stdout);
  return gray::cli::close_stdout(0);
}

}  // namespace

int replay_main(int argc, char** argv) {
  gray::cli::CommandLine app{
      "Runs the models over a recording and compares them with what the kernel counted then.",
      "discnice replay"};
  Options options;
  app.add_option("FILE", options.path, "a recording made with --record FILE").required();
  gray::cli::add_rate_option(app, "-r,--rate", options.rate_bytes_per_s,
                             "tell how long the job would have waited under this limit");
  app.add_flag("--json", options.is_json, "one JSON object instead of a table");
  app.footer(kFooter);
  if (const auto status = gray::cli::parse(app, argc, argv)) return *status;
  return replay(options);
}

}  // namespace discnice::cli
