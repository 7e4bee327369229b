// SPDX-License-Identifier: MIT
// process_edges: events in the life of a process in which a preloaded library causes errors most easily. Each case prints its
// results.
//
//   process_edges FOLDER CASE       FOLDER holds a file "input"; the cases are in kCases
//
// The output depends only on correctness, so runs with and without a preloaded library must agree.
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <initializer_list>

#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace {

constexpr std::size_t kBlockBytes = 64 * 1024;
constexpr int kThreads = 8;
constexpr int kForksPerThread = 20;
constexpr int kAppendersBytes = 300'000;

double now_s() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

std::uint64_t sum_of_file(const char* name, std::size_t block_bytes) {
  static thread_local unsigned char block[1'000'000];
  const int fd = open(name, O_RDONLY);
  std::uint64_t sum = 14695981039346656037U;
  ssize_t length = 0;
  while ((length = read(fd, block, block_bytes)) > 0) {
    for (ssize_t i = 0; i < length; ++i) sum = (sum ^ block[i]) * 1099511628211U;
  }
  close(fd);
  return length < 0 ? 0 : sum;
}

int wait_status(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

// Half of the children end by _exit in the middle of a file, and half run another program.
void* fork_often(void* failures) {
  for (int i = 0; i < kForksPerThread; ++i) {
    const pid_t pid = fork();
    if (pid == 0) {
      char block[4096];
      const int fd = open("input", O_RDONLY);
      const bool is_read = read(fd, block, sizeof block) == sizeof block;
      if (i % 2 == 0) _exit(is_read ? 0 : 1);
      execl("/bin/true", "odd name", static_cast<char*>(nullptr));
      _exit(2);
    }
    if (pid < 0 || wait_status(pid) != 0)
      __atomic_add_fetch(static_cast<int*>(failures), 1, __ATOMIC_RELAXED);
    sum_of_file("small", 1000);
  }
  return nullptr;
}

int fork_storm() {
  int failures = 0;
  pthread_t threads[kThreads];
  for (pthread_t& thread : threads) pthread_create(&thread, nullptr, fork_often, &failures);
  for (const pthread_t thread : threads) pthread_join(thread, nullptr);
  std::printf("fork storm: %d children failed\n", failures);
  return 0;
}

int vfork_exec() {
  const int fd = open("input", O_RDONLY);
  char block[1000];
  for (int i = 0; i < 50; ++i) {
    const pid_t pid = vfork();
    if (pid == 0) {
      dup2(fd, 9);
      close(9);
      execl("/bin/true", "true", static_cast<char*>(nullptr));
      _exit(3);
    }
    if (wait_status(pid) != 0) std::printf("a child failed\n");
    if (read(fd, block, sizeof block) != sizeof block) std::printf("a read of the parent failed\n");
  }
  const pid_t pid = vfork();
  if (pid == 0) _exit(7);
  std::printf("vfork: position %ld, last status %d\n", static_cast<long>(lseek(fd, 0, SEEK_CUR)),
              WEXITSTATUS(wait_status(pid)));
  return 0;
}

int spawn() {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "input", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, "spawned", O_WRONLY | O_CREAT | O_TRUNC, 0600);
  char name[] = "cat";
  char* arguments[] = {name, nullptr};
  pid_t pid = 0;
  const int error = posix_spawn(&pid, "/bin/cat", &actions, nullptr, arguments, environ);
  const int status = error == 0 ? wait_status(pid) : -1;
  std::printf("spawn: %d, %d, %s\n", error, status,
              sum_of_file("input", 5000) == sum_of_file("spawned", 4096) ? "same" : "different");
  posix_spawn_file_actions_destroy(&actions);
  return 0;
}

void* read_for_ever(void* /*unused*/) {
  while (true) sum_of_file("input", kBlockBytes);
  return nullptr;
}

// The cancellation must take much less than a second, throttled or not, and must leave the process able to read on.
int cancel() {
  pthread_t thread{};
  pthread_create(&thread, nullptr, read_for_ever, nullptr);
  usleep(150'000);
  const double start_s = now_s();
  pthread_cancel(thread);
  void* result = nullptr;
  pthread_join(thread, &result);
  const double elapsed_s = now_s() - start_s;
  std::fprintf(stderr, "cancelled after %.3f s\n", elapsed_s);
  std::printf("cancel: %s, %s\n", result == PTHREAD_CANCELED ? "cancelled" : "not cancelled",
              sum_of_file("small", 100) != 0 ? "can read on" : "cannot read on");
  return 0;
}

volatile std::uint64_t handler_reads = 0;
volatile int alarms = 0;

void count_in_handler(int /*number*/) {
  alarms = alarms + 1;
}

void read_in_handler(int /*number*/) {
  const int errno_before = errno;
  char block[512];
  const int fd = open("small", O_RDONLY);
  if (read(fd, block, sizeof block) == sizeof block) handler_reads = handler_reads + 1;
  close(fd);
  alarms = alarms + 1;
  errno = errno_before;
}

void start_alarms(void (*handler)(int), int flags) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigaction(SIGALRM, &action, nullptr);
  const itimerval hundred_a_second{{0, 10'000}, {0, 10'000}};
  setitimer(ITIMER_REAL, &hundred_a_second, nullptr);
}

void stop_alarms() {
  const itimerval never{};
  setitimer(ITIMER_REAL, &never, nullptr);
}

// A read of a file is never interrupted half-way, with any flags of the handler, and handlers run on time.
int alarms_with(void (*handler)(int), int flags, const char* name) {
  const std::uint64_t expected = sum_of_file("input.warm", kBlockBytes);
  const double start_s = now_s();
  start_alarms(handler, flags);
  const std::uint64_t got = sum_of_file("input", 900'000);
  const int got_errno = errno;
  stop_alarms();
  const double elapsed_s = now_s() - start_s;
  std::fprintf(stderr, "%d alarms in %.3f s\n", alarms, elapsed_s);
  std::printf("%s: %s, errno %d\n", name, got == expected ? "all read" : "not all read", got_errno);
  if (handler == read_in_handler) {
    std::printf("handlers %s\n",
                handler_reads == static_cast<std::uint64_t>(alarms) ? "read" : "did not read");
  } else {
    std::printf("handlers ran %s\n", alarms >= static_cast<int>(elapsed_s * 100 / 3) ? "on time" : "late");
  }
  return 0;
}

int many_descriptors() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  const int limit_error = setrlimit(RLIMIT_NOFILE, &limit) == 0 ? 0 : errno;
  const int input = open("input", O_RDONLY);
  char block[1000];
  int read_well = 0;
  for (const int fd : {500, 5000, 50'000, 500'000, (1 << 20) - 1}) {
    if (dup2(input, fd) == fd && read(fd, block, sizeof block) == sizeof block) ++read_well;
  }
  const int closed = close_range(400, ~0U, 0);
  std::printf("many descriptors: limit %d, %d read, closed %d, then %zd\n", limit_error, read_well, closed,
              read(500, block, 1));
  return 0;
}

int daemonise() {
  std::fflush(stdout);
  const pid_t first = fork();
  if (first == 0) {
    setsid();
    if (fork() != 0) _exit(0);
    closefrom(0);
    const int out = open("daemon.part", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const std::uint64_t sum = sum_of_file("input", kBlockBytes);
    const bool is_written = write(out, &sum, sizeof sum) == sizeof sum && close(out) == 0;
    _exit(is_written && rename("daemon.part", "daemon.done") == 0 ? 0 : 1);
  }
  const int status = wait_status(first);
  struct stat done {};
  for (int i = 0; i < 1000 && stat("daemon.done", &done) != 0; ++i) usleep(10'000);
  std::uint64_t sum = 0;
  const int fd = open("daemon.done", O_RDONLY);
  const ssize_t length = read(fd, &sum, sizeof sum);
  std::printf("daemon: %d, %zd, %s\n", status, length,
              sum == sum_of_file("input", 4096) ? "read it all" : "did not read it all");
  return 0;
}

// Records that several processes append through one descriptor stay whole.
int append_together() {
  std::fflush(stdout);
  const int fd = open("appended", O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
  static char record[kAppendersBytes];
  for (int i = 0; i < 4; ++i) {
    if (fork() != 0) continue;
    std::memset(record, 'a' + i, sizeof record);
    for (int k = 0; k < 5; ++k) {
      if (write(fd, record, sizeof record) != kAppendersBytes) _exit(1);
    }
    _exit(0);
  }
  int failures = 0;
  for (int i = 0; i < 4; ++i) failures += wait_status(-1) == 0 ? 0 : 1;
  const int in = open("appended", O_RDONLY);
  int torn = 0;
  int records = 0;
  while (read(in, record, sizeof record) == kAppendersBytes) {
    ++records;
    if (std::memchr(record, record[0] ^ 1, sizeof record) != nullptr ||
        record[0] != record[kAppendersBytes - 1])
      ++torn;
  }
  unlink("appended");  // the order of the records is not defined
  std::printf("append: %d failures, %d records, %d torn\n", failures, records, torn);
  return 0;
}

int quick_exit_of_one() {
  std::printf("a process that ends by _exit\n");
  std::fflush(stdout);
  sum_of_file("small", 100);
  _exit(42);
}

int die_by_signal() {
  sum_of_file("small", 100);
  std::raise(SIGTERM);
  return 0;
}

struct Case {
  const char* name;
  int (*run)();
};

constexpr Case kCases[] = {
    {"fork_storm", fork_storm},
    {"vfork_exec", vfork_exec},
    {"spawn", spawn},
    {"cancel", cancel},
    {"alarms", [] { return alarms_with(count_in_handler, 0, "alarms"); }},
    {"alarms_restart", [] { return alarms_with(count_in_handler, SA_RESTART, "alarms with restart"); }},
    {"alarms_read", [] { return alarms_with(read_in_handler, 0, "alarms whose handler reads"); }},
    {"many_descriptors", many_descriptors},
    {"daemonise", daemonise},
    {"append_together", append_together},
    {"quick_exit", quick_exit_of_one},
    {"die", die_by_signal},
};

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && chdir(argv[1]) == 0) {
    for (const Case& one : kCases) {
      if (std::strcmp(one.name, argv[2]) == 0) return one.run();
    }
  }
  std::fputs("usage: process_edges FOLDER CASE\nCases:", stderr);
  for (const Case& one : kCases) std::fprintf(stderr, " %s", one.name);
  std::fputs("\n", stderr);
  return 2;
}
