// SPDX-License-Identifier: MIT
#include "tools/discnice/cli/observation.hpp"

#include <cstring>
#include <ctime>
#include <filesystem>
#include <system_error>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "toolbox/cli/diagnostics.hpp"
#include "toolbox/cli/shell_words.hpp"
#include "tools/discnice/cli/symbols.hpp"
#include "tools/discnice/contract/io_op.hpp"
#include "tools/discnice/protocol/segment.hpp"

namespace discnice::cli {
namespace {

using gray::cli::fail;
using gray::cli::kExitToolFailed;

constexpr std::size_t kFunctionsShown = 20;

protocol::RecordFileHeader header_of(const RunOptions& options, const protocol::Segment& segment) {
  protocol::RecordFileHeader header{};
  header.page_bytes = kPageBytes;
  header.started_s = static_cast<std::uint64_t>(std::time(nullptr));
  header.rate_bytes_per_s = options.grant.rate_bytes_per_s;
  header.window_ns = options.grant.window_ns;
  header.policy_id = options.grant.policy_id;
  header.is_ledger_on = options.job.is_ledger_on;
  header.disabled_models = options.job.disabled_models;
  static_assert(sizeof header.command == sizeof segment.job_name);
  std::memcpy(header.command, segment.job_name, sizeof header.command);
  header.command[sizeof header.command - 1] = '\0';
  return header;
}

}  // namespace

Library Observation::preload_library() const {
  return options_.profile_path.empty() ? find_library() : find_profile_library();
}

int Observation::open() {
  if (!options_.record_path.empty()) {
    const int error = recorder_.open_file(options_.record_path);
    if (error != 0)
      return fail(kExitToolFailed, "cannot write the recording to '{}': {}", options_.record_path,
                  gray::cli::error_text(error));
  }
  if (options_.profile_path.empty()) return 0;
  const int error = profile_file_.open(options_.profile_path);
  if (error == 0) return 0;
  return fail(kExitToolFailed, "cannot write the profile to '{}': {}", options_.profile_path,
              gray::cli::error_text(error));
}

int Observation::start(const protocol::Segment& segment, const protocol::SegmentName& name) {
  if (options_.job.recorded == 0) return 0;
  Recorder::Listener listener;
  if (!options_.profile_path.empty()) {
    std::error_code error;  // the kernel's maps have no symbolic links
    profile_ =
        std::make_unique<Profile>(std::filesystem::weakly_canonical(preload_library().path, error).string());
    listener = [this](const protocol::TakenRecord& record) { profile_->take(record); };
  }
  const int error = recorder_.start(name, header_of(options_, segment),
                                    gray::cli::shell_words(options_.command), std::move(listener));
  if (error == 0) return 0;
  protocol::remove(name);
  return fail(kExitToolFailed, "cannot make room for records in /dev/shm ({} KiB): {}",
              sizeof(protocol::Ring) / 1024, gray::cli::error_text(error));
}

bool Observation::finish(const std::optional<processes::KernelAccount>& account) {
  if (options_.job.recorded == 0) return true;
  const Recorded recorded = recorder_.finish(account);
  if (recorded.write_error != 0) {
    gray::cli::warn("cannot write the recording to '{}': {}; it is cut short", options_.record_path,
                    gray::cli::error_text(recorded.write_error));
  }
  if (recorded.is_broken) {
    gray::cli::warn(
        "somebody has damaged the memory that records pass through: what came after record {} is lost",
        recorded.records);
  }
  if (recorded.lost != 0) {
    gray::cli::warn("{} of {} records were lost: the program made them faster than they could be taken down",
                    recorded.lost, recorded.lost + recorded.records);
  }
  const bool is_profile_written = profile_ == nullptr || write_profile();
  return is_profile_written && recorded.write_error == 0;
}

bool Observation::write_profile() {
  std::string problem;
  const std::vector<NamedStack> stacks = profile_->stacks(find_names(profile_->places(), problem));
  if (!problem.empty()) gray::cli::warn("{}", problem);
  functions_ = by_function(stacks);
  int error = profile_file_.append(folded_text(stacks));
  if (error == 0) error = profile_file_.finish();
  if (error != 0)
    gray::cli::warn("cannot write the profile to '{}': {}", options_.profile_path,
                    gray::cli::error_text(error));
  return error == 0;
}

std::string Observation::extended(const std::string& report) const {
  if (profile_ == nullptr) return report;
  if (!options_.is_json) return report + function_table(functions_, kFunctionsShown);
  auto json = nlohmann::ordered_json::parse(report);
  json["functions"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < functions_.size() && i < kFunctionsShown; ++i) {
    const FunctionShare& share = functions_[i];
    json["functions"].push_back(
        {{"function", share.function}, {"own_bytes", share.own_bytes}, {"all_bytes", share.all_bytes}});
  }
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace discnice::cli
