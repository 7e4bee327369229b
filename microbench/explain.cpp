// SPDX-License-Identifier: MIT
// explain: `microbench explain KEY`: prints one value and all known facts about the value.
#include <algorithm>
#include <cstdio>
#include <vector>

#include "microbench/quantity.hpp"
#include "microbench/record.hpp"
#include "microbench/registry.hpp"
#include "microbench/subcommands.hpp"
#include "toolbox/cli/command_line.hpp"
#include "toolbox/cli/diagnostics.hpp"
#include "toolbox/cli/options.hpp"
#include "toolbox/repo/repository.hpp"
#include "toolbox/repo/shipped_defaults.hpp"

namespace microbench {
namespace {

using gray::repo::Found;
using gray::repo::Source;

std::string line(const char* name, const std::string& text) {
  return fmt::format("  {:<9} {}\n", name, text);
}

std::string origin_of(const Found& found, bool is_measured) {
  if (found.source == Source::kDefault)
    return is_measured ? "shipped with the tools, for file systems that were not measured"
                       : "shipped with the tools: nobody has measured this host";
  if (found.source == Source::kFlag) return "given on the command line";
  const std::string where = found.source == Source::kEnvironment ? "the variable " : "";
  return fmt::format("{}{}", where, gray::cli::escape_controls(found.origin));
}

std::string value_line(const gray::repo::Parameter& p) {
  std::string text = format_quantity(p.value, p.unit);
  if (p.spread) {
    text += fmt::format(", another run within {}", format_quantity(*p.spread, p.unit));
    if (p.value > 0) text += fmt::format(" ({:.0f} %)", *p.spread / p.value * 100);
  }
  return text;
}

std::string use_lines(const Output& output) {
  std::string text = line("read by", *output.readers != '\0' ? output.readers : "no program");
  if (*output.reason != '\0') text += line("tells you", output.reason);
  return text;
}

std::string explained(const Found& found, bool is_measured) {
  const gray::repo::Parameter& p = found.parameter;
  const Described described = describe(p.key);
  const gray::repo::ShippedDefault* shipped = gray::repo::find_shipped_default(p.key);
  std::string text = gray::repo::format_name(p.key, p.device) + "\n";
  if (described.output != nullptr) text += line("means", described.output->meaning);
  text += line("value", value_line(p));
  if (p.samples > 0) {
    text += line("measured", fmt::format("{}, {} samples, by {}", p.date, p.samples, p.method));
    if (is_busy_value(p)) text += line("beware", "the host was busy then: the next run measures it again");
  }
  text += line("from", origin_of(found, is_measured));
  if (described.benchmark != nullptr) text += line("believed", described.benchmark->grounds);
  if (described.output != nullptr) text += use_lines(*described.output);
  if (shipped != nullptr && found.source != Source::kDefault) {
    text += line("default", format_quantity(shipped->value, shipped->unit) + ", were it not measured");
  }
  return text;
}

// Measured values come first, because a person who has just measured asks for them.
std::vector<Found> find_matching(const gray::repo::Repository& repository, const std::string& key) {
  std::vector<Found> matching = repository.list();
  std::erase_if(matching, [&key](const Found& found) {
    return key != found.parameter.key &&
           key != gray::repo::format_name(found.parameter.key, found.parameter.device);
  });
  std::stable_partition(matching.begin(), matching.end(),
                        [](const Found& found) { return found.source != Source::kDefault; });
  return matching;
}

}  // namespace

int explain_main(int argc, char** argv) {
  gray::cli::CommandLine app{
      "Explains one value: what it means, when and how it was found, who reads it, why it is believed.",
      "microbench explain"};
  std::string key;
  app.add_option("KEY", key, "as KEY or KEY@DEVICE; microbench show lists them").type_name("").required();
  if (const auto status = gray::cli::parse(app, argc, argv)) return *status;
  const gray::repo::Repository repository(gray::repo::default_places());
  for (const std::string& problem : repository.problems()) gray::cli::warn("{}", problem);
  std::string text;
  const std::vector<Found> matching = find_matching(repository, key);
  const bool is_measured = !matching.empty() && matching.front().source != Source::kDefault;
  for (const Found& found : matching) text += (text.empty() ? "" : "\n") + explained(found, is_measured);
  if (text.empty()) {
    const Described described = describe(key);
    if (described.output != nullptr) {
      std::fputs(
          (key + "\n" + line("means", described.output->meaning) + use_lines(*described.output)).c_str(),
          stdout);
    }
    if (described.benchmark != nullptr) {
      return gray::cli::fail(gray::cli::kExitSomeFailed, "'{}' is not measured yet: microbench run {}", key,
                             described.benchmark->name);
    }
    return gray::cli::fail(gray::cli::kExitSomeFailed, "no key '{}'; microbench show lists them", key);
  }
  std::fputs(text.c_str(), stdout);
  return gray::cli::close_stdout(0);
}

}  // namespace microbench
