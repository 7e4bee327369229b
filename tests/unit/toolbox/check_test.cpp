// SPDX-License-Identifier: MIT
// check_test: a failed check is false in a release and traps in a debug build.
//
// How: failures happen in a child process, so that they do not end the test.
// Left out: the text written before a trap.
#include "toolbox/base/check.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "tests/support/catch.hpp"

using namespace gray::base;

namespace {

// Runs in the child. Returns 0 when every promise holds, else the number of the broken promise.
int fail_twice() {
  errno = 7;
  const int one = 1;
  if (GRAY_CHECK(one == 2)) return 1;
  if (GRAY_CHECK(one > 2)) return 2;
  if (errno != 7) return 3;
  return 0;
}

int status_of_child() {
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGILL, SIG_DFL);  // the test framework's handlers are for the parent
    std::signal(SIGTRAP, SIG_DFL);
    close(STDERR_FILENO);
    _exit(fail_twice());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

}  // namespace

TEST_CASE("a check that holds is true, and evaluates once", "[check]") {
  int evaluations = 0;
  CHECK(GRAY_CHECK(++evaluations == 1));
  CHECK(evaluations == 1);
}

TEST_CASE("a failed check never ends a host in a release and never goes unseen in a debug build", "[check]") {
  const int status = status_of_child();
#ifdef NDEBUG
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
#else
  REQUIRE(WIFSIGNALED(status));
  CHECK((WTERMSIG(status) == SIGILL || WTERMSIG(status) == SIGTRAP));
#endif
}
