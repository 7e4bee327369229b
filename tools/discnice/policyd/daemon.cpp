// SPDX-License-Identifier: MIT
#include "tools/discnice/policyd/daemon.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <string>
#include <utility>

#include <unistd.h>

#include "toolbox/base/clock.hpp"
#include "toolbox/cli/command_line.hpp"
#include "toolbox/cli/diagnostics.hpp"
#include "toolbox/cli/options.hpp"
#include "tools/discnice/cli/sharing.hpp"
#include "tools/discnice/policyd/daemon_config.hpp"
#include "tools/discnice/policyd/disk_sampler.hpp"

namespace discnice::policyd {
namespace {

volatile sig_atomic_t is_over = 0;
volatile sig_atomic_t is_reload_wanted = 0;

void on_signal(int number) {
  if (number == SIGHUP) {
    is_reload_wanted = 1;
  } else {
    is_over = 1;
  }
}

void listen_to_signals() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  for (const int number : {SIGHUP, SIGTERM, SIGINT}) sigaction(number, &action, nullptr);
}

std::string default_path() {
  if (geteuid() == 0) return "/etc/discnice/policyd.conf";
  if (const char* folder = std::getenv("XDG_CONFIG_HOME"); folder != nullptr && *folder != '\0')
    return std::string(folder) + "/discnice/policyd.conf";
  const char* home = std::getenv("HOME");
  return std::string(home != nullptr ? home : "") + "/.config/discnice/policyd.conf";
}

bool say_problems(const DaemonConfig& config) {
  for (const std::string& problem : config.problems) gray::cli::warn("{}", problem);
  return !config.problems.empty();
}

// A file with a mistake changes nothing.
void reload(const std::string& path, DaemonConfig& config) {
  DaemonConfig fresh = load_daemon_config(path, true);
  if (say_problems(fresh)) {
    gray::cli::warn("the old configuration stays");
  } else {
    config = std::move(fresh);
  }
}

void sleep_for(std::uint64_t duration_ns) {
  const timespec pause{0, static_cast<long>(duration_ns)};
  nanosleep(&pause, nullptr);
}

// Samples until the tick is over. Sleeps for the whole tick while no member wants samples.
void sample_for(DiskSampler& sampler, std::uint64_t tick_ns) {
  const std::uint64_t end_ns = gray::base::monotonic_ns() + tick_ns;
  sampler.find_board();
  while (is_over == 0 && is_reload_wanted == 0) {
    const bool is_wanted = sampler.sample();
    const std::uint64_t now_ns = gray::base::monotonic_ns();
    if (now_ns >= end_ns) return;
    const std::uint64_t left_ns = end_ns - now_ns;
    sleep_for(is_wanted && left_ns > kSampleNs ? kSampleNs : left_ns);
  }
}

void serve_until_told(const std::string& path, DaemonConfig config) {
  DiskSampler sampler;
  cli::SharingJobs jobs;
  while (is_over == 0) {
    if (is_reload_wanted != 0) {
      is_reload_wanted = 0;
      reload(path, config);
    }
    cli::lend_to_all(jobs, config.total_bytes_per_s);
    sample_for(sampler, config.tick_ns);
  }
}

}  // namespace

int daemon_main(int argc, char** argv) {
  gray::cli::CommandLine app{"Divides one disk rate among this user's jobs of policy 'share'.",
                             "discnice-policyd"};
  std::string path;
  bool does_check = false;
  app.add_option("-c,--config", path, "its configuration").type_name("FILE");
  app.add_flag("--check-config", does_check, "read the configuration, name each bad line, and end");
  if (const auto status = gray::cli::parse(app, argc, argv)) return *status;
  const bool is_named = !path.empty();
  if (!is_named) path = default_path();
  const DaemonConfig config = load_daemon_config(path, is_named || does_check);
  if (say_problems(config)) return gray::cli::kExitSomeFailed;
  if (does_check) return gray::cli::close_stdout(0);
  listen_to_signals();
  serve_until_told(path, config);
  return gray::cli::close_stdout(0);
}

}  // namespace discnice::policyd
