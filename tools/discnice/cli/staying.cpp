// SPDX-License-Identifier: MIT
#include "tools/discnice/cli/staying.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "toolbox/base/call_numbers.hpp"
#include "toolbox/base/clock.hpp"
#include "tools/discnice/cli/gone_members.hpp"
#include "tools/discnice/cli/job_keeper.hpp"
#include "tools/discnice/notify/watch.hpp"
#include "tools/discnice/pace/pacer.hpp"
#include "tools/discnice/processes/orphans.hpp"

namespace discnice::cli {
namespace {

constexpr int kBegunMaxMs = 1000;

// Closes all pipes, so that no other process waits for their end, and leaves the terminal, so that the terminal does not end this process.
// Returns the new number of `kept_fd`. The listener, if there is one, gets a new number, too.
int leave_everything(int kept_fd, int& listener_fd) {
  const int kept = fcntl(kept_fd, F_DUPFD, STDERR_FILENO + 1);
  const int listener = listener_fd < 0 ? -1 : fcntl(listener_fd, F_DUPFD, STDERR_FILENO + 1);
  setsid();
  for (const int number : {SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2}) std::signal(number, SIG_DFL);
  for (const int number : {SIGHUP, SIGPIPE}) std::signal(number, SIG_IGN);
  if (chdir("/") != 0) _exit(1);  // NOLINT(concurrency-mt-unsafe)
  const int null = open("/dev/null", O_RDWR);
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(null, fd);
  const int begun_fd = dup2(kept, STDERR_FILENO + 1);
  if (listener >= 0) listener_fd = dup2(listener, begun_fd + 1);
  syscall(SYS_close_range, begun_fd + (listener >= 0 ? 2 : 1), ~0U, 0);
  return begun_fd;
}

bool are_all_held(pace::Pacer& pacer) {
  const auto findings = pacer.take_findings();
  return std::all_of(findings.begin(), findings.end(), [](const auto& one) { return one.is_held; });
}

// Holds the processes. Writes a byte to `begun_fd` as soon as all of them are held.
[[noreturn]] void hold(protocol::Segment& segment, const protocol::SegmentName& name, const Staying& staying,
                       int begun_fd) {
  JobKeeper keeper(segment, name, {staying.schedule, false, staying.preloaded_name, false});
  if (staying.listener_fd >= 0) {
    auto watch = std::make_unique<notify::Watch>();
    notify::give_listener(watch->guard().socket(), staying.listener_fd);
    keeper.see_calls(staying.listener_fd, std::move(watch));
  }
  if (staying.limiter != nullptr) {
    staying.limiter->take_over();
    keeper.hold_by(std::unique_ptr<cgroup::Limiter>(staying.limiter));
  }
  const bool is_group = staying.limiter != nullptr;
  const bool are_writes_held = is_group && staying.limiter->holds_writes();
  {
    pace::Pacer pacer(segment, {staying.processes,
                                {},
                                staying.preloaded_name,
                                true,
                                "",
                                name,
                                false,
                                &keeper.exchange(),
                                is_group,
                                are_writes_held});
    while (!pacer.has_looked()) poll(nullptr, 0, 1);
    if (!are_all_held(pacer) || write(begun_fd, "", 1) != 1) _exit(1);  // NOLINT(concurrency-mt-unsafe)
    close(begun_fd);
    while (pacer.has_anybody()) {
      poll(nullptr, 0, kKeepMs);
      keeper.look_at_limits();
      pacer.take_findings();  // there is nobody to tell
    }
  }
  if (is_group) keeper.limiter()->end();
  release_gone_members(segment);
  if (!has_members(segment)) protocol::remove(name);
  _exit(0);
}

// Waits for the byte that the holder writes. A second signal to this process must not leave the program without its holder.
bool has_begun(int fd) {
  pollfd begun{fd, POLLIN, 0};
  char byte = 0;
  const std::uint64_t until_ns = gray::base::monotonic_ns() + kBegunMaxMs * UINT64_C(1'000'000);
  while (poll(&begun, 1, kBegunMaxMs) < 0 && errno == EINTR && gray::base::monotonic_ns() < until_ns) {
  }
  return begun.revents != 0 && read(fd, &byte, 1) == 1;
}

}  // namespace

pid_t hold_who_stays(protocol::Segment& segment, const protocol::SegmentName& name, const Staying& staying) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return -errno;
  const pid_t pid = processes::fork_helper();
  if (pid == 0) {
    Staying ours = staying;
    const int begun_fd = leave_everything(ends[1], ours.listener_fd);
    hold(segment, name, ours, begun_fd);
  }
  const int error = pid < 0 ? errno : ECHILD;
  close(ends[1]);
  const bool is_held = pid > 0 && has_begun(ends[0]);
  close(ends[0]);
  return is_held ? pid : -error;
}

}  // namespace discnice::cli
