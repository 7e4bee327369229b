// SPDX-License-Identifier: MIT
#include "bench/netsim/options.hpp"

#include <fmt/core.h>

#include <charconv>

#include "bench/netsim/interface.hpp"
#include "toolbox/cli/command_line.hpp"
#include "toolbox/cli/diagnostics.hpp"
#include "toolbox/cli/quantities.hpp"

namespace netsim {
namespace {

// The largest values that this program can carry and hold in memory.
constexpr std::uint64_t kRateMax = 1'000'000'000;
constexpr std::uint64_t kQueueMax = 1'000'000'000;
constexpr std::uint64_t kRoundTripMaxNs = 10'000'000'000;

constexpr char kFooter[] =
    "CMD runs at the near end, 10.97.0.1 and fd97::1; the far end is 10.97.0.2 and fd97::2. More can be "
    "started there: nsenter --net=$NETSIM_FAR CMD.\n"
    "All that was started ends with CMD, or with netsim. Needs /dev/net/tun, and root where user namespaces "
    "are not allowed.\n"
    "Exit status: CMD's; 2 usage, 125 if there can be no line, 126 or 127 if CMD can't be started.\n"
    "\n"
    "Examples:\n"
    "  netsim --rate 2000KB --delay 20ms --queue 600KB -- ping -c 3 10.97.0.2\n"
    "  netsim --rate 10MB --far 'python3 -m http.server' -- curl -o /dev/null http://10.97.0.2:8000/file\n";

// Reads "0.1%" or "0.001".
std::string read_share(const std::string& text, double& share) {
  const bool is_percent = !text.empty() && text.back() == '%';
  const char* end = text.data() + text.size() - (is_percent ? 1 : 0);
  double value = 0;
  const auto [rest, error] = std::from_chars(text.data(), end, value, std::chars_format::fixed);
  if (is_percent) value /= 100;
  if (error != std::errc() || rest != end || !(value >= 0 && value < 1))
    return fmt::format("'{}' is not a share of the packets: write 0.1% or 0.001, less than 100%",
                       gray::cli::escape_controls(text));
  share = value;
  return "";
}

std::optional<int> check(const Options& options) {
  using gray::cli::fail_usage;
  const LineShape& shape = options.shape;
  if (shape.rate_bytes_per_s == 0) return fail_usage("no rate: write --rate 2000KB");
  if (shape.rate_bytes_per_s > kRateMax) return fail_usage("--rate is more than this can carry, 1 GB/s");
  if (shape.round_trip_ns > kRoundTripMaxNs) return fail_usage("--delay is more than 10 s");
  if (shape.queue_bytes < kMtuBytes)
    return fail_usage("--queue is too small to hold a packet: at least {} bytes", kMtuBytes);
  if (shape.queue_bytes > kQueueMax) return fail_usage("--queue is more than 1 GB");
  if (options.command.empty()) return fail_usage("no command to run: write netsim --rate 2000KB -- CMD");
  return std::nullopt;
}

}  // namespace

std::optional<int> read_options(int argc, char** argv, Options& options) {
  gray::cli::CommandLine app{
      "Runs CMD at one end of an emulated line: a rate, a delay, a queue and loss between two network "
      "namespaces.",
      "netsim"};
  gray::cli::add_rate_option(app, "--rate", options.shape.rate_bytes_per_s, "of each direction");
  gray::cli::add_duration_option(app, "--delay", options.shape.round_trip_ns,
                                 "the round trip, half of it each way (default: 20ms)");
  gray::cli::add_bytes_option(app, "--queue", options.shape.queue_bytes,
                              "what may wait in each direction; more is dropped (default: 600KB)");
  app.add_option(
         "--loss", [&options](const std::string& text) { return read_share(text, options.shape.loss); },
         "the share of packets that are lost in each direction")
      .type_name("SHARE");
  app.add_option("--far", options.far_command, "run this at the far end first, by sh").type_name("COMMAND");
  app.add_option("--report", options.report_file, "write what was carried to this file in the end, as JSON")
      .type_name("FILE");
  app.usage("Usage: netsim --rate RATE [OPTIONS] [--] CMD [ARG...]");
  app.group("The line", {"--rate", "--delay", "--queue", "--loss"});
  app.group("Its far end", {"--far"});
  app.group("What is told", {"--report"});
  app.prefix_command();
  app.refuse_empty_values();
  app.footer(kFooter);
  if (const auto status = gray::cli::parse(app, argc, argv)) return status;
  if (const auto status = gray::cli::take_command(app, argc, argv, options.command)) return status;
  return check(options);
}

}  // namespace netsim
