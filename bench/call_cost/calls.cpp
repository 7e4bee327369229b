// SPDX-License-Identifier: MIT
// calls: how long one call of a kind takes in this process, as a program feels it.
//
//   calls KIND FILE [THREADS]     prints the nanoseconds of one call, the median of several batches
//
// Kinds: pread (one byte of FILE, which is read in first), open (open and close of FILE), exec (/bin/true, started and awaited). With
// THREADS all do the same at once, each through a descriptor of its own, and the batches of the first one count. What wraps libc from outside
// (a preload library) is in the figure; the loop around the call takes less than a nanosecond.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr unsigned kBatches = 15;
constexpr unsigned kThreadsMax = 16;
constexpr unsigned kWarmUpBytes = 65536;

struct Kind {
  const char* name;
  unsigned calls_per_batch;
  bool (*call)(const char* path, int fd);
};

bool pread_once(const char* /*path*/, int fd) {
  char byte = 0;
  return pread(fd, &byte, 1, 0) == 1;
}

bool open_once(const char* path, int /*fd*/) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  return fd >= 0 && close(fd) == 0;
}

bool exec_once(const char* /*path*/, int /*fd*/) {
  char name[] = "true";
  char* arguments[] = {name, nullptr};
  pid_t pid = 0;
  int status = 0;
  return posix_spawn(&pid, "/bin/true", nullptr, nullptr, arguments, environ) == 0 &&
         waitpid(pid, &status, 0) == pid && status == 0;
}

constexpr Kind kKinds[] = {
    {"pread", 10'000, pread_once}, {"open", 2'000, open_once}, {"exec", 20, exec_once}};

std::uint64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(now.tv_nsec);
}

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "calls: %s: %s\n", what, std::strerror(errno));
  std::exit(1);
}

int open_warm(const char* path) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) fail(path);
  static thread_local char buffer[kWarmUpBytes];
  while (read(fd, buffer, sizeof buffer) > 0) {
  }
  return fd;
}

// Nanoseconds a call, of each batch.
std::vector<double> measure(const Kind& kind, const char* path, int fd) {
  std::vector<double> batches;
  for (unsigned batch = 0; batch <= kBatches; ++batch) {
    const std::uint64_t start_ns = now_ns();
    for (unsigned i = 0; i < kind.calls_per_batch; ++i) {
      if (!kind.call(path, fd)) fail(kind.name);
    }
    const double took_ns = static_cast<double>(now_ns() - start_ns);
    if (batch > 0) batches.push_back(took_ns / kind.calls_per_batch);  // the first one warms up
  }
  return batches;
}

const Kind* find_kind(const char* name) {
  const auto* found = std::find_if(std::begin(kKinds), std::end(kKinds),
                                   [name](const Kind& kind) { return std::strcmp(kind.name, name) == 0; });
  return found == std::end(kKinds) ? nullptr : found;
}

// The others keep calling until the first one is done.
double median_ns(const Kind& kind, const char* path, unsigned threads) {
  std::atomic<bool> is_over{false};
  std::vector<std::thread> others;
  for (unsigned i = 1; i < threads; ++i) {
    others.emplace_back([&] {
      const int fd = open_warm(path);
      while (!is_over.load(std::memory_order_relaxed)) {
        if (!kind.call(path, fd)) fail(kind.name);
      }
      close(fd);
    });
  }
  const int fd = open_warm(path);
  std::vector<double> batches = measure(kind, path, fd);
  is_over.store(true, std::memory_order_relaxed);
  for (std::thread& other : others) other.join();
  std::nth_element(batches.begin(), batches.begin() + kBatches / 2, batches.end());
  return batches[kBatches / 2];
}

}  // namespace

int main(int argc, char** argv) {
  const Kind* kind = argc >= 3 ? find_kind(argv[1]) : nullptr;
  const unsigned long threads = argc > 3 ? std::strtoul(argv[3], nullptr, 10) : 1;
  if (kind == nullptr || threads < 1 || threads > kThreadsMax) {
    std::fputs("Usage: calls pread|open|exec FILE [THREADS]\n", stderr);
    return 2;
  }
  std::printf("%.2f\n", median_ns(*kind, argv[2], static_cast<unsigned>(threads)));
  return 0;
}
