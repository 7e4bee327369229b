// SPDX-License-Identifier: MIT
// io_account: runs a command and reports how many bytes it moved by the kernel's account. The tests judge discnice by io_account,
// which does not depend on discnice.
//
//   io_account OUTPUT COMMAND [ARGUMENT...]
//
// Writes {"read_bytes":N,"write_bytes":N,"cancelled_bytes":N,"processes":N,"elapsed_seconds":S} to OUTPUT and ends with the command's status (128 + the signal's
// number after a death by signal). It reads /proc/<pid>/io of every process after the process's end and before it is reaped. The account of a process includes its
// reaped children. Children that a process leaves behind become children of io_account (PR_SET_CHILD_SUBREAPER), so whole trees are counted. The time ends with the
// last process.
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr int kCannotRun = 126;
constexpr int kOwnFailure = 125;
constexpr int kSignalBase = 128;

struct Account {
  std::uint64_t read_bytes = 0;
  std::uint64_t write_bytes = 0;
  std::uint64_t cancelled_bytes = 0;
  unsigned processes = 0;
};

double now_s() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

// Adds the account of a process that has ended and was not reaped yet. Returns false when the kernel keeps no account.
bool add_account(pid_t pid, Account& account) {
  char path[32];
  std::snprintf(path, sizeof path, "/proc/%d/io", pid);
  std::FILE* file = std::fopen(path, "re");
  if (file == nullptr) return false;
  char key[32];
  std::uint64_t value = 0;
  while (std::fscanf(file, "%31s %lu", key, &value) == 2) {
    if (std::strcmp(key, "read_bytes:") == 0) account.read_bytes += value;
    if (std::strcmp(key, "write_bytes:") == 0) account.write_bytes += value;
    if (std::strcmp(key, "cancelled_write_bytes:") == 0) account.cancelled_bytes += value;
  }
  ++account.processes;
  return std::fclose(file) == 0;
}

// Waits until all processes have ended. Returns the exit status of `first` as a shell would give it, or this program's own failure.
int wait_for_all(pid_t first, Account& account) {
  int result = kOwnFailure;
  while (true) {
    siginfo_t ended{};
    if (waitid(P_ALL, 0, &ended, WEXITED | WNOWAIT) != 0) {
      if (errno == EINTR) continue;
      return result;
    }
    if (!add_account(ended.si_pid, account)) return kOwnFailure;
    int status = 0;
    waitpid(ended.si_pid, &status, 0);
    if (ended.si_pid == first)
      result = WIFSIGNALED(status) ? kSignalBase + WTERMSIG(status) : WEXITSTATUS(status);
  }
}

int write_account(const char* path, const Account& account, double elapsed_s) {
  std::FILE* file = std::fopen(path, "we");
  if (file == nullptr) return -1;
  std::fprintf(file,
               "{\"read_bytes\":%lu,\"write_bytes\":%lu,\"cancelled_bytes\":%lu,\"processes\":%u,"
               "\"elapsed_seconds\":%.6f}\n",
               account.read_bytes, account.write_bytes, account.cancelled_bytes, account.processes,
               elapsed_s);
  return std::fclose(file);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("usage: io_account OUTPUT COMMAND [ARGUMENT...]\n", stderr);
    return kOwnFailure;
  }
  prctl(PR_SET_CHILD_SUBREAPER, 1L, 0L, 0L, 0L);
  const double start_s = now_s();
  const pid_t first = fork();
  if (first == 0) {
    execvp(argv[2], argv + 2);
    std::perror(argv[2]);
    _exit(kCannotRun);
  }
  Account account;
  const int result = first < 0 ? kOwnFailure : wait_for_all(first, account);
  if (write_account(argv[1], account, now_s() - start_s) != 0) return kOwnFailure;
  return result;
}
