// SPDX-License-Identifier: MIT
// fork_mark_test: which processes learn from the mark that they are a fork.
#include "tools/discnice/job/fork_mark.hpp"

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/catch.hpp"

using discnice::guest::fork_mark;

namespace {

int see(void* /*unused*/) {
  _exit(fork_mark().is_set.load() != 0 ? 1 : 2);
}

int status_of(pid_t child) {
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

TEST_CASE("a fork wipes the mark in the child alone; who shares the parent's memory sees the parent's") {
  if (!discnice::guest::prepare_fork_mark())
    return;  // a kernel without MADV_WIPEONFORK: on it there is no job either
  fork_mark().is_set.store(1);
  const pid_t forked = fork();
  if (forked == 0) see(nullptr);
  CHECK(status_of(forked) == 2);
  CHECK(fork_mark().is_set.load() == 1);
  alignas(16) static char stack[65536];
  const pid_t sharing = clone(see, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, nullptr);
  REQUIRE(sharing > 0);
  CHECK(status_of(sharing) == 1);
}
