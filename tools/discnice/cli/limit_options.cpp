// SPDX-License-Identifier: MIT
#include "tools/discnice/cli/limit_options.hpp"

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdint>
#include <vector>

#include "toolbox/cli/diagnostics.hpp"
#include "toolbox/cli/options.hpp"
#include "toolbox/cli/quantities.hpp"
#include "tools/discnice/policy/lanes.hpp"
#include "tools/discnice/policy/registry.hpp"

namespace discnice::cli {
namespace {

using gray::cli::fail_usage;
using Status = std::optional<int>;

constexpr std::uint64_t kNanosecondsPerSecond = 1'000'000'000;
constexpr std::uint64_t kWindowMaxNs = 60 * kNanosecondsPerSecond;

// "none" takes a limit away; an empty text changes nothing.
Status read_limit(const char* option, const std::string& text, std::uint64_t* limit) {
  if (text.empty()) return std::nullopt;
  const auto reading = text == "none" ? gray::cli::Reading{} : gray::cli::read_rate_bytes_per_s(text);
  if (!reading.is_ok()) return fail_usage("{}: {}", option, reading.problem);
  *limit = reading.value;
  return std::nullopt;
}

Status read_number(const char* option, const std::string& text, std::uint64_t number_max,
                   std::uint64_t* number) {
  if (text.empty()) return std::nullopt;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value == 0 || value > number_max)
    return fail_usage("{}: '{}' is not a whole number from 1 to {}", option, text, number_max);
  *number = value;
  return std::nullopt;
}

Status read_operations(const std::string& text, std::uint64_t* limit) {
  constexpr std::uint64_t kOperationsMax = 10'000'000;
  if (text == "none") *limit = 0;
  if (text == "none") return std::nullopt;
  return read_number("--iops", text, kOperationsMax, limit);
}

// A time, or bytes that the rate turns into one.
Status read_burst(const std::string& text, Grant& grant) {
  if (text.empty()) return std::nullopt;
  const auto time = gray::cli::read_duration_ns(text);
  std::uint64_t window_ns = time.value;
  if (!time.is_ok()) {
    const auto bytes = gray::cli::read_bytes(text);
    const bool has_unit = text.find_first_not_of("0123456789.") != std::string::npos;
    if (!bytes.is_ok() || !has_unit)
      return fail_usage("--burst: '{}' is neither a time (100ms) nor bytes (1M)", text);
    if (grant.rate_bytes_per_s == 0)
      return fail_usage("--burst in bytes needs a --rate; a time (100ms) does not");
    window_ns = static_cast<std::uint64_t>(static_cast<double>(bytes.value) * 1e9 /
                                           static_cast<double>(grant.rate_bytes_per_s));
  }
  if (window_ns > kWindowMaxNs) return fail_usage("--burst: '{}' is more than a minute's worth", text);
  grant.window_ns = window_ns;
  return std::nullopt;
}

Status read_preemption(const std::string& text, Grant& grant) {
  if (text.empty()) return std::nullopt;
  if (text == "auto") grant.preemption_ns = 0;
  if (text == "auto") return std::nullopt;
  const auto time = gray::cli::read_duration_ns(text);
  if (!time.is_ok() || time.value == 0 || time.value > kNanosecondsPerSecond)
    return fail_usage("--preemption: '{}' is not a time up to a second, such as 20ms, or 'auto'", text);
  grant.preemption_ns = time.value;
  return std::nullopt;
}

Status read_smooth_writes(const std::string& text, Grant& grant) {
  if (text == "on") grant.smooth_writes = SmoothWrites::on;
  if (text == "off") grant.smooth_writes = SmoothWrites::off;
  if (text == "auto") grant.smooth_writes = SmoothWrites::automatic;
  return std::nullopt;
}

Status choose_policy(const std::string& name, Grant& grant) {
  if (name.empty()) return std::nullopt;
  const int id = policy::policy_id_by_name(name.data(), name.size());
  if (id < 0) return fail_usage("there is no policy '{}': choose one of {}", name, policy_names());
  const auto chosen = static_cast<std::uint32_t>(id);
  if (chosen != grant.policy_id && !policy::policy_by_id(chosen).needs_rate)
    grant.rate_bytes_per_s = grant.read_rate_bytes_per_s = grant.write_rate_bytes_per_s =
        grant.operations_per_s = 0;
  grant.policy_id = chosen;
  return std::nullopt;
}

bool says_limit(const LimitTexts& texts) {
  return !(texts.rate.empty() && texts.read_rate.empty() && texts.write_rate.empty() &&
           texts.operations.empty());
}

// A limit without a policy means the policy that only limits; none at all means the one without a knob.
void default_policy(const LimitTexts& texts, bool is_new, Grant& grant) {
  if (!texts.policy.empty()) return;
  if (says_limit(texts) && grant.policy_id != policy::kShareId) grant.policy_id = policy::kRateWindowId;
  if (!says_limit(texts) && is_new) grant.policy_id = policy::kNiceId;
  if (grant.policy_id == policy::kRateWindowId && !policy::has_limit(grant))
    grant.policy_id = policy::kNiceId;
}

Status check(const LimitTexts& texts, const Grant& grant) {
  const policy::Policy& policy = policy::policy_by_id(grant.policy_id);
  const bool has_its_rate =
      grant.policy_id == policy::kShareId ? grant.rate_bytes_per_s != 0 : policy::has_limit(grant);
  if (policy.needs_rate && !has_its_rate)
    return fail_usage("policy '{}' needs a rate: add, for example, --rate 5M", policy.name);
  if (grant.policy_id == policy::kUnlimitedId && says_limit(texts) && policy::has_limit(grant))
    return fail_usage("policy 'unlimited' takes no rate: leave out --rate or use --policy rate");
  return std::nullopt;
}

}  // namespace

std::string policy_names() {
  std::string names;
  for (std::uint32_t id = 0; id < policy::policy_count(); ++id) {
    if (!names.empty()) names += ", ";
    names += policy::policy_by_id(id).name;
  }
  return names;
}

void add_limit_options(CLI::App& app, LimitTexts& texts) {
  app.add_option("-p,--policy", texts.policy,
                 "how to decide when an operation may go: " + policy_names() +
                     " (default: rate with a limit, nice without)");
  app.add_option("-r,--rate", texts.rate, "disk bytes a second for the whole job, read plus written")
      ->type_name("RATE");
  app.add_option("--read-rate", texts.read_rate, "bytes read from disk a second")->type_name("RATE");
  app.add_option("--write-rate", texts.write_rate, "bytes written a second")->type_name("RATE");
  app.add_option("--iops", texts.operations, "operations a second that need the disk, removals among them")
      ->type_name("NUMBER");
  app.add_option("--burst", texts.burst,
                 "unused time (100ms, the default) or bytes (1M) that may be made up for")
      ->type_name("TIME|BYTES");
  app.add_option("--min-rate", texts.rate_min, "of idle and nice: what the job gets however busy the disk is")
      ->type_name("RATE");
  app.add_option("--preemption", texts.preemption, "of idle: how long the disk must have been quiet (auto)")
      ->type_name("TIME|auto");
  app.add_option("--weight", texts.weight, "of share: this job's part of --rate, beside those of others (1)")
      ->type_name("NUMBER");
  app.add_option("--smooth-writes", texts.smooth_writes,
                 "bring writes to the disk in paced steps: on, off, auto")
      ->check(CLI::IsMember({"on", "off", "auto"}))
      ->type_name("on|off|auto");
  // An empty text stands for "not given" from here on, so it may not be given.
  for (CLI::Option* option : app.get_options()) {
    if (option->get_type_size() == 0) continue;
    option->check([](const std::string& value) {
      return value.empty() ? std::string("the value is empty") : std::string();
    });
  }
}

std::optional<int> apply_limits(const LimitTexts& texts, Grant& grant) {
  constexpr std::uint64_t kWeightMax = 1000;
  const bool is_new = grant.policy_id == policy::kUnlimitedId && !policy::has_limit(grant);
  std::uint64_t weight = grant.weight;
  if (const auto status = choose_policy(texts.policy, grant)) return status;
  if (const auto status = read_limit("--rate", texts.rate, &grant.rate_bytes_per_s)) return status;
  if (const auto status = read_limit("--read-rate", texts.read_rate, &grant.read_rate_bytes_per_s))
    return status;
  if (const auto status = read_limit("--write-rate", texts.write_rate, &grant.write_rate_bytes_per_s))
    return status;
  if (const auto status = read_operations(texts.operations, &grant.operations_per_s)) return status;
  if (const auto status = read_limit("--min-rate", texts.rate_min, &grant.rate_min_bytes_per_s))
    return status;
  if (const auto status = read_burst(texts.burst, grant)) return status;
  if (const auto status = read_preemption(texts.preemption, grant)) return status;
  if (const auto status = read_number("--weight", texts.weight, kWeightMax, &weight)) return status;
  if (const auto status = read_smooth_writes(texts.smooth_writes, grant)) return status;
  grant.weight = static_cast<std::uint32_t>(weight);
  default_policy(texts, is_new, grant);
  return check(texts, grant);
}

std::string limits_text(const Grant& grant) {
  std::string text;
  const auto add = [&text](const char* what, std::uint64_t limit) {
    if (limit == 0) return;
    if (!text.empty()) text += ", ";
    text += what + gray::cli::format_rate(static_cast<double>(limit));
  };
  add("limit ", grant.rate_bytes_per_s);
  add("reads ", grant.read_rate_bytes_per_s);
  add("writes ", grant.write_rate_bytes_per_s);
  if (grant.operations_per_s != 0)
    text += fmt::format("{}{} operations/s", text.empty() ? "" : ", ", grant.operations_per_s);
  const bool is_plain = grant.policy_id == policy::kRateWindowId || grant.policy_id == policy::kUnlimitedId;
  if (!is_plain)
    text = std::string(policy::policy_by_id(grant.policy_id).name) + (text.empty() ? "" : ", ") + text;
  if ((grant.flags & kPaused) != 0) text += text.empty() ? "paused" : ", paused";
  return text.empty() ? "no limit" : text;
}

}  // namespace discnice::cli
