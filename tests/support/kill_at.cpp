// SPDX-License-Identifier: MIT
// kill_at: runs a program and kills it before or after its Nth system call, so that a test can kill it at every place.
//
//   kill_at N PROGRAM [ARGUMENT...]          kills at the Nth stop, from 1
//   kill_at 0 PROGRAM [ARGUMENT...]          kills nowhere
//   kill_at --hook COMMAND PROGRAM [...]     runs COMMAND with sh after each system call that changes names or forces data out, while the program is stopped;
//                                            GRAY_CALL holds the call's number. When COMMAND fails, the program is killed
//   kill_at --pause N PROGRAM [...]          stops the program at the Nth stop, prints "paused", and goes on when a line is read from standard input; kills nowhere
//
// A stop is just before or just after a system call: stops 2k-1 and 2k are before and after the kth call since the program was loaded. Prints the number of stops,
// and with N the number of the call at which the program died. Ends with status 0 when the program was killed, 1 when it ended by itself before that (its status is
// printed), and 2 on misuse. It uses ptrace, and works only for programs that start no other programs and no threads.
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "kill_at: %s: %s\n", what, std::strerror(errno));
  std::exit(2);
}

// Calls after which the disk may differ in a way that matters: calls that force data out, and calls that change names. The changes of other calls wait in memory for
// one of these.
bool may_change(long number) {
  constexpr long kChanging[] = {
#ifdef SYS_mkdir  // not on every processor
      SYS_mkdir,
#endif
      SYS_fsync,  SYS_fdatasync, SYS_mkdirat,   SYS_unlinkat,
      SYS_linkat, SYS_symlinkat, SYS_renameat2, SYS_renameat};
  for (const long changing : kChanging)
    if (changing == number) return true;
  return false;
}

pid_t start(char** command) {
  const pid_t child = fork();
  if (child < 0) fail("cannot fork");
  if (child == 0) {
    ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    execvp(command[0], command);
    std::_Exit(127);
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) fail("cannot trace");
  ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
  return child;
}

// Goes on to the next stop at a system call. Returns false when the program has ended, with its wait status in `status`.
bool go_on(pid_t child, int& status) {
  int signal_number = 0;
  for (;;) {
    if (ptrace(PTRACE_SYSCALL, child, nullptr, signal_number) != 0 || waitpid(child, &status, 0) != child)
      return false;
    if (!WIFSTOPPED(status)) return false;
    if (WSTOPSIG(status) == (SIGTRAP | 0x80)) return true;
    signal_number = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
  }
}

// The system call at which the program is stopped. `is_before` tells whether the call was made yet.
long call_at(pid_t child, bool& is_before) {
  __ptrace_syscall_info info{};
  ptrace(PTRACE_GET_SYSCALL_INFO, child, sizeof info, &info);
  is_before = info.op == PTRACE_SYSCALL_INFO_ENTRY;
  return is_before ? static_cast<long>(info.entry.nr) : -1;
}

void run_hook(const char* hook, long number) {
  char text[32];
  std::snprintf(text, sizeof text, "%ld", number);
  setenv("GRAY_CALL", text, 1);
  if (std::system(hook) != 0) {
    std::printf("the hook failed after call %ld\n", number);
    std::exit(1);
  }
}

void pause_here() {
  std::puts("paused");
  std::fflush(stdout);
  while (const int c = std::getchar())
    if (c == '\n' || c == EOF) return;
}

}  // namespace

int main(int argc, char** argv) {
  const bool is_hooked = argc > 3 && std::strcmp(argv[1], "--hook") == 0;
  const bool is_paused = argc > 3 && std::strcmp(argv[1], "--pause") == 0;
  if (argc < 3) {
    std::fputs("kill_at: write kill_at N PROGRAM [ARGUMENT...]\n", stderr);
    return 2;
  }
  const long wanted = is_hooked ? 0 : std::strtol(argv[is_paused ? 2 : 1], nullptr, 10);
  const pid_t child = start(argv + (is_hooked || is_paused ? 3 : 2));
  long stops = 0;
  long number = -1;
  int status = 0;
  while (go_on(child, status)) {
    ++stops;
    bool is_before = false;
    const long entered = call_at(child, is_before);
    if (is_before) number = entered;
    if (is_hooked && !is_before && may_change(number)) run_hook(argv[2], number);
    if (stops != wanted) continue;
    if (is_paused) {
      pause_here();
      continue;
    }
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    std::printf("stops %ld call %ld\n", stops, number);
    return 0;
  }
  std::printf("stops %ld status %d\n", stops,
              WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
  return 1;
}
