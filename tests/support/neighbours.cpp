// SPDX-License-Identifier: MIT
// neighbours: a program in situations in which a preloaded library easily causes errors.
//
//   neighbours FOLDER CASE      FOLDER holds a file "input" of 300000 bytes; the cases are in kCases
//
// allocate  starts threads that allocate, reads by stdio and by descriptor, and forks: what a library for an allocator has to survive
// sandbox   allows itself reading, writing, and what a throttled reader of files needs; everything else is refused
// cancel    cancels a thread that only reads cached data, after it has read as much with no other thread
// behind    counts its reads in a library that stands behind the preloaded one and exports reads_seen()
// deepbind  loads libc's functions past all preloaded libraries (RTLD_DEEPBIND) and reads with them
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include <dlfcn.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr std::size_t kInputBytes = 300'000;
constexpr unsigned kThreads = 4;
constexpr int kRounds = 10;

// Reads the file through memory that was just allocated. Returns how many bytes there were.
std::size_t read_by_stream() {
  FILE* stream = fopen("input", "r");
  if (stream == nullptr) return 0;
  std::size_t sum = 0;
  char* line = nullptr;
  std::size_t room = 0;
  for (ssize_t length = 0; (length = getline(&line, &room, stream)) > 0;)
    sum += static_cast<std::size_t>(length);
  std::free(line);
  fclose(stream);
  return sum;
}

std::size_t read_by_descriptor(std::size_t block_bytes) {
  std::vector<char> block(block_bytes);
  const int fd = open("input", O_RDONLY);
  std::size_t sum = 0;
  for (ssize_t length = 0; (length = read(fd, block.data(), block.size())) > 0;)
    sum += static_cast<std::size_t>(length);
  close(fd);
  return sum;
}

int allocate() {
  int wrong = 0;
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < kThreads; ++i) {
    threads.emplace_back([&wrong, i] {
      for (int round = 0; round < kRounds; ++round) {
        const bool is_read = read_by_stream() == kInputBytes && read_by_descriptor(1000U << i) == kInputBytes;
        const pid_t child = fork();
        if (child == 0) _exit(read_by_descriptor(70'000) == kInputBytes ? 0 : 1);
        int status = 1;
        waitpid(child, &status, 0);
        if (!is_read || status != 0) __atomic_add_fetch(&wrong, 1, __ATOMIC_RELAXED);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::printf("allocate: %d wrong\n", wrong);
  return 0;
}

// What a program that reads files may need of the kernel, with the clocks and sleeping, and nothing else: no fstat, no cachestat.
int sandbox() {
  constexpr long kAllowed[] = {SYS_read,          SYS_pread64,         SYS_write,
                               SYS_openat,        SYS_close,           SYS_exit_group,
                               SYS_exit,          SYS_futex,           SYS_brk,
                               SYS_mmap,          SYS_munmap,          SYS_lseek,
                               SYS_getrandom,     SYS_fstat,           SYS_newfstatat,
                               SYS_clock_gettime, SYS_clock_nanosleep, SYS_rt_sigreturn,
                               SYS_rt_sigprocmask};
  std::vector<sock_filter> filter{BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
  for (const long number : kAllowed) {
    filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(number), 0, 1));
    filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  }
  filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM));
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
    return 77;
  const bool is_read = read_by_descriptor(10'000) == kInputBytes && read_by_stream() == kInputBytes;
  std::printf("sandbox: %s\n", is_read ? "read it all" : "did not read it all");
  return 0;
}

int deepbind() {
  void* libc = dlopen("libc.so.6", RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  if (libc == nullptr) return 77;
  const auto real_read = reinterpret_cast<ssize_t (*)(int, void*, std::size_t)>(dlsym(libc, "read"));
  const int fd = open("input", O_RDONLY);
  char block[5000];
  std::size_t sum = 0;
  for (ssize_t length = 0; (length = real_read(fd, block, sizeof block)) > 0;)
    sum += static_cast<std::size_t>(length);
  close(fd);
  std::printf("deepbind: %s\n",
              sum == kInputBytes && read_by_stream() == kInputBytes ? "read it all" : "did not read it all");
  return 0;
}

// The blocks are so small and so many that a preloaded library learns that they need no disk.
constexpr std::size_t kSmallBytes = 1000;
constexpr int kManyRounds = 20;

bool read_often() {
  bool is_read = true;
  for (int round = 0; round < kManyRounds; ++round)
    is_read = read_by_descriptor(kSmallBytes) == kInputBytes && is_read;
  return is_read;
}

void* read_for_ever(void* /*unused*/) {
  char block[kSmallBytes];
  const int fd = open("input", O_RDONLY);
  while (true) {
    if (read(fd, block, sizeof block) <= 0) lseek(fd, 0, SEEK_SET);
  }
}

int cancel() {
  const bool is_read = read_often();
  pthread_t thread{};
  if (pthread_create(&thread, nullptr, read_for_ever, nullptr) != 0) return 1;
  usleep(50'000);
  pthread_cancel(thread);
  void* result = nullptr;
  pthread_join(thread, &result);
  std::printf("cancel: %s\n", is_read && result == PTHREAD_CANCELED ? "cancelled" : "not cancelled");
  return 0;
}

int behind() {
  const auto reads_seen = reinterpret_cast<long (*)()>(dlsym(RTLD_DEFAULT, "reads_seen"));
  if (reads_seen == nullptr) return 1;
  const long before = reads_seen();
  const bool is_read = read_often();
  constexpr long kReads = kManyRounds * (kInputBytes / kSmallBytes + 1);
  std::printf("behind: %s\n", is_read && reads_seen() - before == kReads ? "saw every read" : "missed some");
  return 0;
}

struct Case {
  const char* name;
  int (*run)();
};

constexpr Case kCases[] = {{"allocate", allocate},
                           {"sandbox", sandbox},
                           {"deepbind", deepbind},
                           {"cancel", cancel},
                           {"behind", behind}};

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && chdir(argv[1]) == 0) {
    for (const Case& one : kCases) {
      if (std::strcmp(one.name, argv[2]) == 0) return one.run();
    }
  }
  std::fputs("usage: neighbours FOLDER CASE\n", stderr);
  return 2;
}
