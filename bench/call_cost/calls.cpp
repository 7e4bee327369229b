// SPDX-License-Identifier: MIT
// calls: how much longer a call takes in this process than libc's own function, as the program sees it.
//
//   calls KIND FILE [THREADS]     prints two figures: the nanoseconds added to a call, and the nanoseconds of libc's own call
//
// Kinds: pread (one byte of FILE, which is read in first), open (open and close of FILE), exec (/bin/true, started and awaited). Short batches of two
// kinds alternate: the call as the program would make it, which a preload library interposes, and libc's own function; for exec, with and
// without LD_PRELOAD. The figures are medians of the differences within such pairs: noise from other programs or from the processor's clock is in both halves.
// Without a library the first figure is about 0. With THREADS all threads do the same at once, each through a descriptor of its own, and the batches of the
// first thread count.
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <thread>
#include <vector>

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr unsigned kThreadsMax = 16;
constexpr unsigned kWarmUpBytes = 65536;

// The functions that a call uses, and the environment of a program that is started.
struct Route {
  decltype(&pread) pread_function;
  decltype(&open) open_function;
  decltype(&close) close_function;
  std::vector<char*> environment;
};

struct Kind {
  const char* name;
  unsigned pairs;  // pairs of batches
  unsigned calls_per_batch;
  bool (*call)(const Route& route, const char* path, int fd);
};

bool pread_once(const Route& route, const char* /*path*/, int fd) {
  char byte = 0;
  return route.pread_function(fd, &byte, 1, 0) == 1;
}

bool open_once(const Route& route, const char* path, int /*fd*/) {
  const int fd = route.open_function(path, O_RDONLY | O_CLOEXEC);
  return fd >= 0 && route.close_function(fd) == 0;
}

bool exec_once(const Route& route, const char* /*path*/, int /*fd*/) {
  char name[] = "true";
  char* arguments[] = {name, nullptr};
  pid_t pid = 0;
  int status = 0;
  return posix_spawn(&pid, "/bin/true", nullptr, nullptr, arguments, route.environment.data()) == 0 &&
         waitpid(pid, &status, 0) == pid && status == 0;
}

constexpr Kind kKinds[] = {
    {"pread", 75, 2'000, pread_once}, {"open", 75, 500, open_once}, {"exec", 75, 1, exec_once}};

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "calls: %s: %s\n", what, std::strerror(errno));
  std::exit(1);
}

template <typename Function>
void find(void* libc, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(libc, name));
  if (function == nullptr) fail(name);
}

Route as_covered() {
  Route route{pread, open, close, {}};
  for (char** entry = environ; *entry != nullptr; ++entry) route.environment.push_back(*entry);
  route.environment.push_back(nullptr);
  return route;
}

Route libc_alone() {
  Route route{};
  void* libc = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
  if (libc == nullptr) fail("libc.so.6");
  find(libc, "pread", route.pread_function);
  find(libc, "open", route.open_function);
  find(libc, "close", route.close_function);
  constexpr char kPreload[] = "LD_PRELOAD=";
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (std::strncmp(*entry, kPreload, sizeof kPreload - 1) != 0) route.environment.push_back(*entry);
  }
  route.environment.push_back(nullptr);
  return route;
}

std::uint64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(now.tv_nsec);
}

int open_warm(const char* path) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) fail(path);
  static thread_local char buffer[kWarmUpBytes];
  while (read(fd, buffer, sizeof buffer) > 0) {
  }
  return fd;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Measures one kind of call on one file, by two routes.
class Measurement {
 public:
  Measurement(const Kind& kind, const char* path) : kind_(kind), path_(path) {}

  void run(unsigned threads) {
    std::vector<std::thread> others;
    for (unsigned i = 1; i < threads; ++i) others.emplace_back([this] { keep_calling(); });
    const int fd = open_warm(path_);
    for (unsigned pair = 0; pair <= kind_.pairs; ++pair) measure_pair(fd, pair);
    is_over_.store(true, std::memory_order_relaxed);
    for (std::thread& other : others) other.join();
  }
  [[nodiscard]] double added_ns() const { return median(added_ns_); }
  [[nodiscard]] double direct_ns() const { return median(direct_ns_); }

 private:
  // The other threads use the first thread's route until the first thread has finished.
  void keep_calling() {
    const int fd = open_warm(path_);
    while (!is_over_.load(std::memory_order_relaxed)) {
      const Route& route = is_direct_.load(std::memory_order_relaxed) ? direct_ : covered_;
      if (!kind_.call(route, path_, fd)) fail(kind_.name);
    }
    close(fd);
  }

  double batch_ns(int fd, bool is_direct) {
    is_direct_.store(is_direct, std::memory_order_relaxed);
    const Route& route = is_direct ? direct_ : covered_;
    const std::uint64_t start_ns = now_ns();
    for (unsigned i = 0; i < kind_.calls_per_batch; ++i) {
      if (!kind_.call(route, path_, fd)) fail(kind_.name);
    }
    return static_cast<double>(now_ns() - start_ns) / kind_.calls_per_batch;
  }

  // Each route comes first in every other pair. The first pair only warms up.
  void measure_pair(int fd, unsigned pair) {
    const bool is_direct_first = pair % 2 == 0;
    const double first_ns = batch_ns(fd, is_direct_first);
    const double second_ns = batch_ns(fd, !is_direct_first);
    const double direct_ns = is_direct_first ? first_ns : second_ns;
    if (pair == 0) return;
    direct_ns_.push_back(direct_ns);
    added_ns_.push_back(first_ns + second_ns - 2 * direct_ns);
  }

  const Kind& kind_;
  const char* path_;
  const Route covered_ = as_covered();
  const Route direct_ = libc_alone();
  std::vector<double> added_ns_;
  std::vector<double> direct_ns_;
  std::atomic<bool> is_direct_{false};
  std::atomic<bool> is_over_{false};
};

const Kind* find_kind(const char* name) {
  const auto* found = std::find_if(std::begin(kKinds), std::end(kKinds),
                                   [name](const Kind& kind) { return std::strcmp(kind.name, name) == 0; });
  return found == std::end(kKinds) ? nullptr : found;
}

}  // namespace

int main(int argc, char** argv) {
  const Kind* kind = argc >= 3 ? find_kind(argv[1]) : nullptr;
  const unsigned long threads = argc > 3 ? std::strtoul(argv[3], nullptr, 10) : 1;
  if (kind == nullptr || threads < 1 || threads > kThreadsMax) {
    std::fputs("Usage: calls pread|open|exec FILE [THREADS]\n", stderr);
    return 2;
  }
  Measurement measurement(*kind, argv[2]);
  measurement.run(static_cast<unsigned>(threads));
  std::printf("%.2f %.2f\n", measurement.added_ns(), measurement.direct_ns());
  return 0;
}
