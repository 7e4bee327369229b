// SPDX-License-Identifier: MIT
// fork_storm: eight threads fork children again and again. Each child reads a part of a file and checks it.
//
// Usage: fork_storm FILE CHILDREN. Every thread forks its share of CHILDREN, waits for each child, and reads a part itself in between. The bytes are compared with
// those of a mapping of the file. The status is 0 when all were right. The longest time of a child, in milliseconds, is printed on stdout.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr int kThreads = 8;
constexpr std::size_t kPartBytes = 65536;

struct File {
  const char* path;
  const char* content;
  std::size_t bytes;
};

std::atomic<int> wrong{0};
std::atomic<long> longest_ms{0};

// Reads one part by read() and compares it. Returns whether it was right.
bool is_right(const File& file, std::size_t part) {
  const std::size_t offset = part * kPartBytes % (file.bytes - kPartBytes);
  const int fd = open(file.path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  static thread_local char buffer[kPartBytes];
  const ssize_t length = pread(fd, buffer, sizeof buffer, static_cast<off_t>(offset));
  close(fd);
  return length == static_cast<ssize_t>(kPartBytes) &&
         std::memcmp(buffer, file.content + offset, kPartBytes) == 0;
}

void fork_one(const File& file, std::size_t part) {
  const auto start = std::chrono::steady_clock::now();
  const pid_t pid = fork();
  if (pid == 0) _exit(is_right(file, part) ? 0 : 1);
  int status = 0;
  if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0) ++wrong;
  const auto took =
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start);
  long before = longest_ms.load();
  while (before < took.count() && !longest_ms.compare_exchange_weak(before, took.count())) {
  }
}

void storm(const File& file, int thread, int children) {
  for (int i = 0; i < children / kThreads; ++i) {
    const auto part = static_cast<std::size_t>(thread * 7919 + i * 104729);
    fork_one(file, part);
    if (!is_right(file, part + 1)) ++wrong;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const int fd = open(argv[1], O_RDONLY | O_CLOEXEC);
  struct stat status {};
  if (fd < 0 || fstat(fd, &status) != 0 || status.st_size <= static_cast<off_t>(kPartBytes)) return 2;
  const auto bytes = static_cast<std::size_t>(status.st_size);
  void* content = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, fd, 0);
  if (content == MAP_FAILED) return 2;
  const File file{argv[1], static_cast<const char*>(content), bytes};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back(storm, std::cref(file), i, std::atoi(argv[2]));
  for (std::thread& thread : threads) thread.join();
  std::printf("%ld\n", longest_ms.load());
  return wrong.load() == 0 ? 0 : 1;
}
