// SPDX-License-Identifier: MIT
#include "bench/hddsim/serve.hpp"

#include <cerrno>
#include <csignal>

#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/hddsim/engine.hpp"
#include "bench/hddsim/fuse_file.hpp"
#include "toolbox/cli/diagnostics.hpp"

namespace hddsim {
namespace {

using gray::cli::error_text;
using gray::cli::fail;
using gray::cli::kExitSomeFailed;

// The disk must answer on time, no matter which other programs run. When this process may not use the real-time class, it requests a
// high priority.
void ask_for_punctuality() {
  const sched_param lowest{sched_get_priority_min(SCHED_FIFO)};
  if (sched_setscheduler(0, SCHED_FIFO, &lowest) == 0) return;
  constexpr int kUrgent = -20;
  setpriority(PRIO_PROCESS, 0, kUrgent);
}

// `hddsim down --force` sends a signal: from then on requests take no time.
Engine* hurried_by_signal = nullptr;

void hurry(int /*number*/) {
  hurried_by_signal->hurry();
}

void hurry_on_signal(Engine& engine) {
  hurried_by_signal = &engine;
  struct sigaction action {};
  action.sa_handler = hurry;
  action.sa_flags = SA_RESTART;
  sigaction(kHurrySignal, &action, nullptr);
}

}  // namespace

int serve(const ServeOptions& options) {
  const ProfileReading reading = read_profile(options.profile);
  if (!reading.problem.empty()) return gray::cli::fail_usage("{}", reading.problem);
  const int fd = open(options.backing_file.c_str(), O_RDWR | O_CLOEXEC);
  struct stat status {};
  if (fd < 0 || fstat(fd, &status) != 0)
    return fail(kExitSomeFailed, "cannot open '{}': {}", options.backing_file, error_text(errno));
  if (status.st_size == 0)
    return fail(kExitSomeFailed, "'{}' is empty: its size is the disk's", options.backing_file);
  Counters* counters = map_counters(options.counters_file, true);
  if (counters == nullptr)
    return fail(kExitSomeFailed, "cannot make '{}': {}", options.counters_file, error_text(errno));
  Trace trace;
  if (!options.trace_path.empty() && !trace.open(options.trace_path))
    return fail(kExitSomeFailed, "cannot write '{}': {}", options.trace_path, error_text(errno));
  ask_for_punctuality();
  const auto size_bytes = static_cast<std::uint64_t>(status.st_size);
  Engine engine(make_disk(reading.profile, size_bytes), reading.profile.queue_depth, *counters, trace);
  hurry_on_signal(engine);
  const int result = serve_file(options.mount_folder, fd, size_bytes, engine);
  std::signal(kHurrySignal, SIG_IGN);
  close(fd);
  return result;
}

}  // namespace hddsim
