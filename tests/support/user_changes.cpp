// SPDX-License-Identifier: MIT
// user_changes: becomes another user in every possible way and prints whether the process still has the job's shared memory.
//
//   user_changes CASE FILE      as root, under the preload library; FILE is on a disk. The cases are in kCases
//
// A worker that has become another user writes into the last bytes of the mapped memory, at the addresses that its parent knows. The parent must not see that.
// "shared memory" is the memory of discnice that /proc/self/maps names.
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <initializer_list>

#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace {

constexpr uid_t kOther = 65534;
constexpr std::uint64_t kSign = 0x7265746972777265;
constexpr std::size_t kBlockBytes = 16384;
constexpr int kMappingsMax = 4;

const char* input;

// The last word of each mapping of discnice.
struct Shared {
  int count = 0;
  volatile std::uint64_t* last_words[kMappingsMax] = {};
};

Shared find_shared() {
  Shared shared;
  std::FILE* maps = std::fopen("/proc/self/maps", "re");
  if (maps == nullptr) std::abort();
  char line[512];
  while (std::fgets(line, sizeof line, maps) != nullptr && shared.count < kMappingsMax) {
    if (std::strstr(line, "/dev/shm/discnice-") == nullptr) continue;
    const char* end = std::strchr(line, '-') + 1;
    const auto address = static_cast<std::uintptr_t>(std::strtoull(end, nullptr, 16));
    shared.last_words[shared.count++] = reinterpret_cast<volatile std::uint64_t*>(address) - 1;
  }
  std::fclose(maps);
  return shared;
}

// The blocks are not cached, so that they are charged, settled and, under a limit, waited for.
void read_blocks(int count) {
  static thread_local char block[kBlockBytes];
  const int fd = open(input, O_RDONLY | O_CLOEXEC);
  posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
  for (int i = 0; i < count; ++i) {
    if (read(fd, block, sizeof block) != static_cast<ssize_t>(sizeof block)) std::abort();
  }
  close(fd);
}

double now_s() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

int by_setuid() {
  return setuid(kOther);
}
int by_setreuid() {
  return setreuid(kOther, kOther);
}
int by_setresuid() {
  return setresuid(kOther, kOther, kOther);
}
int by_number() {
  return static_cast<int>(syscall(SYS_setresuid, kOther, kOther, kOther));
}
int by_old_number() {
  return static_cast<int>(syscall(SYS_setuid, kOther));
}
// Makes the call as code of another language would, without any library function.
int by_itself() {
#if defined(__x86_64__)
  long result = SYS_setresuid;
  __asm__ volatile("syscall"
                   : "+a"(result)
                   : "D"(long{kOther}), "S"(long{kOther}), "d"(long{kOther})
                   : "rcx", "r11", "memory");
#else
  register long result __asm__("x0") = kOther;
  register long second __asm__("x1") = kOther;
  register long third __asm__("x2") = kOther;
  register long number __asm__("x8") = SYS_setresuid;
  __asm__ volatile("svc 0" : "+r"(result) : "r"(second), "r"(third), "r"(number) : "memory");
#endif
  return static_cast<int>(result);
}

struct Way {
  const char* name;
  int (*become)();
  bool is_seen_at_once;
};
constexpr Way kWays[] = {{"setuid", by_setuid, true},
                         {"setreuid", by_setreuid, true},
                         {"setresuid", by_setresuid, true},
                         {"syscall SYS_setresuid", by_number, true},
                         {"syscall SYS_setuid", by_old_number, true},
                         {"its own system call", by_itself, false}};

// The worker's answer: 0 when no memory of discnice is mapped any more.
int be_worker(const Way& way, const Shared& before, bool calls_before) {
  if (calls_before) read_blocks(4);
  if (way.become() != 0) return 3;
  if (!way.is_seen_at_once) {
    const double start_s = now_s();
    while (now_s() - start_s < 0.1) read_blocks(4);
  }
  for (int i = 0; i < before.count; ++i) *before.last_words[i] = kSign;
  read_blocks(4);
  return find_shared().count == 0 ? 0 : 1;
}

int fork_workers() {
  read_blocks(8);
  const Shared shared = find_shared();
  std::printf("shared before: %s\n", shared.count >= 1 ? "some" : "none");
  for (const Way& way : kWays) {
    for (const bool calls_before : {false, true}) {
      std::fflush(stdout);
      const pid_t child = fork();
      if (child == 0) _exit(be_worker(way, shared, calls_before));
      int status = 0;
      waitpid(child, &status, 0);
      int reached = 0;
      for (int i = 0; i < shared.count; ++i) {
        if (*shared.last_words[i] == kSign) ++reached;
        *shared.last_words[i] = 0;
      }
      std::printf("%s, %s: worker %d, reached its parent %d\n", way.name,
                  calls_before ? "a member" : "just forked",
                  WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), reached);
    }
  }
  return 0;
}

// A daemon that changes to the users of its clients, and back to its own user.
int go_back_and_forth() {
  for (int i = 0; i < 5; ++i) {
    if (seteuid(kOther) != 0) return 3;
    read_blocks(4);
    if (seteuid(0) != 0) return 3;
  }
  std::printf("back and forth: shared memory %s\n", find_shared().count >= 1 ? "kept" : "lost");
  if (setresuid(kOther, kOther, 0) != 0) return 3;
  read_blocks(4);
  std::printf("saved user kept: shared memory %s\n", find_shared().count >= 1 ? "kept" : "lost");
  if (setresuid(0, 0, 0) != 0 || seteuid(kOther) != 0 || setreuid(kOther, kOther) != 0) return 3;
  read_blocks(4);
  std::printf("all three gone: shared memory %s\n", find_shared().count >= 1 ? "kept" : "lost");
  return 0;
}

// Changes the user as su, ssh and cron do. The child runs on the parent's memory until it executes the other program.
int vfork_and_become() {
  char name[] = "/bin/true";
  char* arguments[] = {name, nullptr};
  volatile int failed = 0;
  for (int i = 0; i < 20; ++i) {
    const pid_t child = vfork();
    if (child == 0) {
      if (setgid(kOther) != 0 || setresuid(kOther, kOther, kOther) != 0) failed = 1;
      execve(name, arguments, environ);
      _exit(127);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (status != 0) failed = 1;
  }
  return failed;
}

int vfork_first() {
  std::printf("children: %s\n", vfork_and_become() == 0 ? "all right" : "failed");
  const double start_s = now_s();
  read_blocks(64);
  std::printf("parent: shared memory %s, %s\n", find_shared().count >= 1 ? "kept" : "lost",
              now_s() - start_s > 0.3 ? "held back" : "not held back");
  return 0;
}

int vfork_later() {
  read_blocks(8);
  return vfork_first();
}

void* read_on(void* stop) {
  while (__atomic_load_n(static_cast<int*>(stop), __ATOMIC_RELAXED) == 0) read_blocks(8);
  return nullptr;
}

// The other threads are in the middle of calls, or of waits, when the memory is replaced.
int change_under_threads() {
  constexpr int kThreads = 4;
  int stop = 0;
  pthread_t threads[kThreads];
  for (pthread_t& thread : threads) pthread_create(&thread, nullptr, read_on, &stop);
  usleep(200'000);
  if (setuid(kOther) != 0) return 3;
  usleep(200'000);
  __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
  for (const pthread_t thread : threads) pthread_join(thread, nullptr);
  std::printf("under threads: shared memory %s\n", find_shared().count >= 1 ? "kept" : "lost");
  return 0;
}

struct Case {
  const char* name;
  int (*run)();
};
constexpr Case kCases[] = {{"workers", fork_workers},
                           {"daemon", go_back_and_forth},
                           {"vfork", vfork_first},
                           {"vfork-later", vfork_later},
                           {"threads", change_under_threads}};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  input = argv[2];
  for (const Case& one : kCases) {
    if (std::strcmp(one.name, argv[1]) == 0) return one.run();
  }
  return 2;
}
