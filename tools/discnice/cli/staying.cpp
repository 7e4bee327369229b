// SPDX-License-Identifier: MIT
#include "tools/discnice/cli/staying.hpp"

#include <cerrno>
#include <csignal>
#include <set>

#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tools/discnice/cli/gone_members.hpp"
#include "tools/discnice/cli/job_keeper.hpp"
#include "tools/discnice/pace/pacer.hpp"

namespace discnice::cli {
namespace {

constexpr int kBegunMaxMs = 1000;

// Nobody waits for the end of a pipe of ours, and no terminal ends us.
void leave_everything(int kept_fd) {
  setsid();
  for (const int number : {SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2}) std::signal(number, SIG_DFL);
  std::signal(SIGHUP, SIG_IGN);
  if (chdir("/") != 0) _exit(1);  // NOLINT(concurrency-mt-unsafe)
  const int null = open("/dev/null", O_RDWR);
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(null, fd);
  const int last = dup2(kept_fd, STDERR_FILENO + 1);
  syscall(SYS_close_range, last + 1, ~0U, 0);
}

[[noreturn]] void hold(protocol::Segment& segment, const protocol::SegmentName& name,
                       const Staying& staying) {
  JobKeeper keeper(segment, name, {staying.schedule, false, staying.preloaded_name, false});
  {
    pace::Pacer pacer(segment, {staying.processes, {}, staying.preloaded_name, true, "", name});
    while (!pacer.has_looked()) poll(nullptr, 0, 1);
    close(STDERR_FILENO + 1);  // which tells the launcher
    while (pacer.has_anybody()) {
      poll(nullptr, 0, kKeepMs);
      keeper.look_at_limits();
    }
  }
  release_gone_members(segment);
  if (!has_members(segment)) protocol::remove(name);
  _exit(0);
}

}  // namespace

pid_t hold_who_stays(protocol::Segment& segment, const protocol::SegmentName& name, const Staying& staying) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return -errno;
  const pid_t pid = fork();
  if (pid == 0) {
    leave_everything(ends[1]);
    hold(segment, name, staying);
  }
  const int error = pid < 0 ? errno : 0;
  close(ends[1]);
  pollfd begun{ends[0], POLLIN, 0};
  if (pid > 0) poll(&begun, 1, kBegunMaxMs);
  close(ends[0]);
  return pid > 0 ? pid : -error;
}

}  // namespace discnice::cli
