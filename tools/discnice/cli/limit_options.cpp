// SPDX-License-Identifier: MIT
#include "tools/discnice/cli/limit_options.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include <fmt/core.h>

#include "toolbox/cli/command_line.hpp"
#include "toolbox/cli/options.hpp"
#include "toolbox/cli/quantities.hpp"
#include "tools/discnice/policy/lanes.hpp"
#include "tools/discnice/policy/net_limits.hpp"
#include "tools/discnice/policy/registry.hpp"
#include "tools/discnice/policy/schedule.hpp"

namespace discnice::cli {
namespace {

using policy::kIdleId;
using policy::kMannersId;
using policy::kNiceId;
using policy::kShareId;

constexpr std::uint64_t kNanosecondsPerSecond = 1'000'000'000;
constexpr std::uint64_t kWindowMaxNs = 60 * kNanosecondsPerSecond;
constexpr char kNone[] = "none";  // the text that removes a limit

std::string read_limit(const std::string& text, std::uint64_t& limit) {
  const auto reading = text == kNone ? gray::cli::Reading{} : gray::cli::read_rate_bytes_per_s(text);
  if (reading.is_ok()) limit = reading.value;
  return reading.problem;
}

template <std::uint64_t Grant::*Limit>
std::string read_limit(const std::string& text, Grant& grant) {
  return read_limit(text, grant.*Limit);
}

std::string read_number(const std::string& text, std::uint64_t number_max, std::uint64_t& number) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value == 0 || value > number_max)
    return fmt::format("'{}' is not a whole number from 1 to {}", text, number_max);
  number = value;
  return "";
}

std::string read_operations(const std::string& text, Grant& grant) {
  constexpr std::uint64_t kOperationsMax = 10'000'000;
  if (text != kNone) return read_number(text, kOperationsMax, grant.operations_per_s);
  grant.operations_per_s = 0;
  return "";
}

std::string read_weight(const std::string& text, Grant& grant) {
  constexpr std::uint64_t kWeightMax = 1000;
  std::uint64_t weight = grant.weight;
  std::string problem = read_number(text, kWeightMax, weight);
  grant.weight = static_cast<std::uint32_t>(weight);
  return problem;
}

// Reads a time, or a number of bytes. The rate turns bytes into a time.
std::string read_burst(const std::string& text, Grant& grant) {
  const auto time = gray::cli::read_duration_ns(text);
  std::uint64_t window_ns = time.value;
  if (!time.is_ok()) {
    const auto bytes = gray::cli::read_bytes(text);
    const bool has_unit = text.find_first_not_of("0123456789.") != std::string::npos;
    if (!bytes.is_ok() || !has_unit)
      return fmt::format("'{}' is neither a time (100ms) nor bytes (1M)", text);
    if (grant.rate_bytes_per_s == 0) return "bytes need a --rate; a time (100ms) does not";
    window_ns = static_cast<std::uint64_t>(static_cast<double>(bytes.value) * 1e9 /
                                           static_cast<double>(grant.rate_bytes_per_s));
  }
  if (window_ns > kWindowMaxNs) return fmt::format("'{}' is more than a minute's worth", text);
  grant.window_ns = window_ns;
  return "";
}

std::string read_preemption(const std::string& text, Grant& grant) {
  if (text == "auto") grant.preemption_ns = 0;
  if (text == "auto") return "";
  const auto time = gray::cli::read_duration_ns(text);
  if (!time.is_ok() || time.value == 0 || time.value > kNanosecondsPerSecond)
    return fmt::format("'{}' is not a time up to a second, such as 20ms, or 'auto'", text);
  grant.preemption_ns = time.value;
  return "";
}

std::string read_smooth_writes(const std::string& text, Grant& grant) {
  if (text != "on" && text != "off" && text != "auto")
    return fmt::format("'{}' is none of on, off, auto", text);
  grant.smooth_writes = SmoothWrites::automatic;
  if (text == "on") grant.smooth_writes = SmoothWrites::on;
  if (text == "off") grant.smooth_writes = SmoothWrites::off;
  return "";
}

std::string read_cache(const std::string& text, Grant& grant) {
  constexpr char kOwn[] = "own=";
  constexpr std::size_t kOwnLength = sizeof kOwn - 1;
  grant.own_cache_bytes = 0;
  if (text == "auto") grant.cache = CacheUse::automatic;
  if (text == "neutral") grant.cache = CacheUse::neutral;
  if (text == "shared") grant.cache = CacheUse::shared;
  if (text == "auto" || text == "neutral" || text == "shared") return "";
  if (text.compare(0, kOwnLength, kOwn) != 0)
    return fmt::format("'{}' is none of neutral, own=SIZE, shared, auto", text);
  const auto size = gray::cli::read_bytes(text.substr(kOwnLength));
  if (!size.is_ok()) return size.problem;
  grant.cache = CacheUse::own;
  grant.own_cache_bytes = size.value;
  return "";
}

std::string read_net(const std::string& text, Grant& grant) {
  policy::NetLimits limits;
  if (!policy::parse_net_limits(text.data(), text.size(), &limits))
    return fmt::format(
        "'{}' is no limit of the network: write nice, off, a rate with its unit (1M), up=RATE or down=RATE",
        text);
  policy::set_net_limits(grant, limits);
  return "";
}

// Only checks the text. A schedule has grants of its own (schedule_option.hpp).
std::string judge_schedule_text(const std::string& text, Grant& /*grant*/) {
  const policy::Schedule schedule = policy::parse_schedule(text.data(), text.size());
  if (schedule.problem == nullptr) return "";
  return fmt::format("{}; at '{}'", schedule.problem, text.substr(schedule.problem_position));
}

std::string read_policy(const std::string& name, Grant& grant) {
  const int id = policy::policy_id_by_name(name.data(), name.size());
  if (id < 0) return fmt::format("there is no policy '{}': choose one of {}", name, policy_names());
  const auto chosen = static_cast<std::uint32_t>(id);
  if (chosen != grant.policy_id && !policy::policy_by_id(chosen).needs_rate)
    grant.rate_bytes_per_s = grant.read_rate_bytes_per_s = grant.write_rate_bytes_per_s =
        grant.operations_per_s = 0;
  grant.policy_id = chosen;
  return "";
}

constexpr std::uint32_t bit(std::uint32_t policy_id) {
  return UINT32_C(1) << policy_id;
}
constexpr std::uint32_t kAll = UINT32_MAX;
constexpr std::uint32_t kLimiting = kAll & ~bit(policy::kUnlimitedId);

bool is_given(const LimitOption& option, const LimitTexts& texts) {
  return !(texts.*option.text).empty();
}

std::string names_of(std::uint32_t policies) {
  std::string names;
  for (std::uint32_t id = 0; id < policy::policy_count(); ++id) {
    if ((policies & bit(id)) == 0) continue;
    names += names.empty() ? "" : ", ";
    names += policy::policy_by_id(id).name;
  }
  return names;
}

bool says_limit(const LimitTexts& texts) {
  return !(texts.rate.empty() && texts.read_rate.empty() && texts.write_rate.empty() &&
           texts.operations.empty());
}

std::vector<std::string> policy_list() {
  std::vector<std::string> names;
  for (std::uint32_t id = 0; id < policy::policy_count(); ++id)
    names.emplace_back(policy::policy_by_id(id).name);
  return names;
}

// A limit without a policy selects the policy `rate`. Without a limit and a policy, a new job gets the policy `nice`.
void default_policy(const LimitTexts& texts, bool is_new, Grant& grant) {
  if (!texts.policy.empty()) return;
  if (says_limit(texts) && grant.policy_id != kShareId) grant.policy_id = policy::kRateWindowId;
  if (!says_limit(texts) && is_new) grant.policy_id = kNiceId;
  if (grant.policy_id == policy::kRateWindowId && !policy::has_limit(grant)) grant.policy_id = kNiceId;
}

std::string check(const LimitTexts& texts, const Grant& grant) {
  const policy::Policy& policy = policy::policy_by_id(grant.policy_id);
  const bool has_its_rate =
      grant.policy_id == kShareId ? grant.rate_bytes_per_s != 0 : policy::has_limit(grant);
  if (policy.needs_rate && !has_its_rate)
    return fmt::format("policy '{}' needs a rate: add, for example, --rate 5M", policy.name);
  if (grant.policy_id == policy::kUnlimitedId && says_limit(texts) && policy::has_limit(grant))
    return "policy 'unlimited' takes no rate: leave out --rate or use --policy rate";
  return "";
}

}  // namespace

// The options in the order in which they are read: a burst in bytes needs the rate.
const std::vector<LimitOption>& limit_options() {
  static const std::vector<LimitOption> kOptions = {
      {"policy", &LimitTexts::policy, true, kAll, read_policy},
      {"rate", &LimitTexts::rate, true, kLimiting, read_limit<&Grant::rate_bytes_per_s>},
      {"read-rate", &LimitTexts::read_rate, true, kLimiting, read_limit<&Grant::read_rate_bytes_per_s>},
      {"write-rate", &LimitTexts::write_rate, true, kLimiting, read_limit<&Grant::write_rate_bytes_per_s>},
      {"iops", &LimitTexts::operations, true, kLimiting, read_operations},
      {"burst", &LimitTexts::burst, false, kLimiting, read_burst},
      {"min-rate", &LimitTexts::rate_min, false, bit(kIdleId) | bit(kMannersId) | bit(kNiceId),
       read_limit<&Grant::rate_min_bytes_per_s>},
      {"preemption", &LimitTexts::preemption, false, bit(kIdleId), read_preemption},
      {"weight", &LimitTexts::weight, false, bit(kShareId), read_weight},
      {"smooth-writes", &LimitTexts::smooth_writes, false, kAll, read_smooth_writes},
      {"cache", &LimitTexts::cache, false, kAll, read_cache},
      {"net", &LimitTexts::net, false, kAll, read_net},
      {"schedule", &LimitTexts::schedule, false, kAll, judge_schedule_text}};
  return kOptions;
}

std::string judge_text(const LimitOption& option, const std::string& text) {
  Grant any;
  any.rate_bytes_per_s = UINT64_C(1) << 40;  // a burst in bytes needs a rate
  return option.read(text, any);
}

std::string policy_names() {
  return names_of(kAll);
}

bool is_any_given(const LimitTexts& texts) {
  return std::any_of(limit_options().begin(), limit_options().end(),
                     [&texts](const LimitOption& option) { return is_given(option, texts); });
}

bool is_limit_given(const LimitTexts& texts) {
  return std::any_of(limit_options().begin(), limit_options().end(), [&texts](const LimitOption& option) {
    return option.is_limit && is_given(option, texts);
  });
}

void add_limit_options(gray::cli::Command& app, LimitTexts& texts) {
  app.add_option("-p,--policy", texts.policy,
                 "how to decide when an operation may go: " + policy_names() +
                     " (default: rate with a limit, nice without)")
      .type_name("NAME")
      .completed_by("NAME", policy_list());
  app.add_option("-r,--rate", texts.rate, "disk bytes a second for the whole job, read plus written")
      .type_name("RATE");
  app.add_option("--read-rate", texts.read_rate, "bytes read from disk a second").type_name("RATE");
  app.add_option("--write-rate", texts.write_rate, "bytes written a second").type_name("RATE");
  app.add_option("--iops", texts.operations, "operations a second that need the disk, removals among them")
      .type_name("NUMBER");
  app.add_option("--burst", texts.burst,
                 "unused time (100ms, the default) or bytes (1M) that may be made up for")
      .type_name("TIME|BYTES");
  app.add_option("--min-rate", texts.rate_min,
                 "of idle, manners and nice: what the job gets however busy the disk is")
      .type_name("RATE");
  app.add_option("--preemption", texts.preemption, "of idle: how long the disk must have been quiet (auto)")
      .type_name("TIME|auto");
  app.add_option("--weight", texts.weight, "of share: this job's part of --rate, beside those of others (1)")
      .type_name("NUMBER");
  app.add_option("--smooth-writes", texts.smooth_writes,
                 "bring writes to the disk in paced steps: on, off, auto")
      .one_of({"on", "off", "auto"})
      .type_name("on|off|auto");
  app.add_option(
         "--cache", texts.cache,
         "what becomes of pages the job brought into the page cache: neutral (let go), own=SIZE (kept up "
         "to that), shared, auto")
      .type_name("HOW")
      .completed_by("HOW", {"neutral", "own=", "shared", "auto"});
  app.add_option(
         "--net", texts.net,
         "TCP to other hosts, beside the disk: nice (it gives way), a rate each way, up=RATE, down=RATE, "
         "off")
      .type_name("HOW")
      .completed_by("HOW", {"nice", "off", "up=", "down="});
  app.group("How fast", {"--policy", "--rate", "--read-rate", "--write-rate", "--iops", "--burst"});
  app.group("How it gives way", {"--min-rate", "--preemption", "--weight"});
  app.group("On the network", {"--net"});
  app.group("What is written, and what is cached", {"--smooth-writes", "--cache"});
  // From here on an empty text means that the option was not given. So the user may not give an empty text.
  app.refuse_empty_values();
}

std::string apply_limits(const LimitTexts& texts, Grant& grant) {
  const bool is_new = grant.policy_id == policy::kUnlimitedId && !policy::has_limit(grant);
  for (const LimitOption& option : limit_options()) {
    if (!is_given(option, texts)) continue;
    const std::string problem = option.read(texts.*option.text, grant);
    if (!problem.empty()) return fmt::format("--{}: {}", option.name, problem);
  }
  default_policy(texts, is_new, grant);
  return check(texts, grant);
}

std::string find_useless(const LimitTexts& given, const std::vector<Grant>& grants) {
  std::uint32_t at_work = 0;
  bool has_limit = false;
  for (const Grant& grant : grants) {
    at_work |= bit(grant.policy_id);
    has_limit = has_limit || policy::has_limit(grant);
  }
  for (const LimitOption& option : limit_options()) {
    // Removing a limit that is not set is harmless.
    if (!is_given(option, given) || given.*option.text == kNone || (option.policies & at_work) != 0) continue;
    return fmt::format("--{} has no effect under policy '{}', it is of {}: leave it out or choose --policy",
                       option.name, names_of(at_work), names_of(option.policies));
  }
  if (!given.burst.empty() && !has_limit)
    return "--burst has no effect without a limit: add, for example, --rate 5M";
  return "";
}

std::string judge_for_group(const LimitTexts& given, const std::vector<Grant>& grants) {
  for (const auto& [text, name] :
       {std::pair{&given.operations, "iops"}, std::pair{&given.burst, "burst"},
        std::pair{&given.smooth_writes, "smooth-writes"}, std::pair{&given.cache, "cache"}})
    if (!text->empty()) return fmt::format("--engine cgroup holds bytes a second: leave out --{}", name);
  for (const Grant& grant : grants) {
    if ((grant.flags & kPaused) != 0) continue;
    if (grant.policy_id != policy::kRateWindowId || !policy::has_limit(grant))
      return fmt::format(
          "--engine cgroup holds a rate: add, for example, --rate 5M; for policy '{}' use another engine",
          policy::policy_by_id(grant.policy_id).name);
  }
  return "";
}

std::string disk_limits_text(const Grant& grant) {
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

std::string net_limits_text(const Grant& grant) {
  const policy::NetLimits limits = policy::net_limits_of(grant);
  std::string text = limits.gives_way ? "nice" : "";
  const auto add = [&text](const char* what, std::uint64_t rate) {
    if (rate != 0)
      text +=
          (text.empty() ? "" : ", ") + std::string(what) + gray::cli::format_rate(static_cast<double>(rate));
  };
  const bool is_same = limits.up_bytes_per_s == limits.down_bytes_per_s;
  add(is_same ? "" : "up ", limits.up_bytes_per_s);
  if (!is_same) add("down ", limits.down_bytes_per_s);
  return text.empty() ? "" : "net " + text;
}

std::string limits_text(const Grant& grant) {
  const std::string net = net_limits_text(grant);
  return disk_limits_text(grant) + (net.empty() ? "" : "; " + net);
}

}  // namespace discnice::cli
