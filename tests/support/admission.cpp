// SPDX-License-Identifier: MIT
// admission: takes memory in the ways that the tests of gb_alloc need, and reports the time and the page faults.
//
//   admission touch MIB                  writes to each page once: "touched MILLISECONDS"
//   admission hold MIB                   a competitor: prints "held", then walks through its memory for ever; on SIGUSR1 prints "walk MAJOR-FAULTS" of the next
//                                        whole walk but one
//   admission grow MIB MIB-A-SECOND      a hog that does not take part: prints "grown MAJOR-FAULTS" after a walk at the end
//   admission alloc MIN MAX MULTIPLE MS  gb_alloc_with(), waiting for at most MS: "got BYTES MILLISECONDS ERRNO"; for each line read after that, "walk
//                                        MAJOR-FAULTS"; frees at end of file
//   admission return MIN MAX             holds returnable memory and walks through it: "got BYTES"; gives back what is wanted between two walks: "left BYTES"; frees
//                                        at end of file
//   admission returns COUNT MIN SERVER   COUNT rounds of three workers that hold all memory as returnable, and a server that needs SERVER bytes at once: its "wait
//                                        MILLISECONDS" in each round, and a line with how many were killed, failed and not served
//   admission feed MIB                   prints "feeding" when it has touched that much; then gives it back as others take memory, always a little ahead of them, so
//                                        that what they get is memory that the host has behind it
//   admission pressure CALM-MS MS        listens to gb_pressure_fd(): "watching in" or "watching pri"; then, after that time or as soon as it tells, "calm" or
//                                        "pressed", twice; status 77 when nothing tells
//   admission rounds COUNT MIN MAX       COUNT rounds of 2 to 8 processes that ask at the same time: a line of statistics
//
// MIN, MAX and MULTIPLE are bytes. The status is 0, or 1 when the memory was not available.
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "gray/alloc.h"
#include "toolbox/base/clock.hpp"

namespace {

constexpr std::size_t kMiB = 1U << 20U;
constexpr std::size_t kPage = 4096;
constexpr int kProcessesMax = 8;
constexpr useconds_t kHoldUs = 3000;
constexpr useconds_t kPieceUs =
    20'000;  // the time that a worker computes; three workers must not take the processor from the server

volatile std::sig_atomic_t is_walk_asked = 0;

void ask_walk(int /*signal*/) {
  is_walk_asked = 1;
}

long major_faults() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_majflt;
}

double now_ms() {
  return static_cast<double>(gray::base::monotonic_ns()) / 1e6;
}

void walk(char* memory, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; i += kPage) static_cast<volatile char*>(memory)[i] = 1;
}

long walk_counted(char* memory, std::size_t bytes) {
  const long before = major_faults();
  walk(memory, bytes);
  return major_faults() - before;
}

char* map(std::size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    std::perror("admission: mmap");
    std::exit(1);
  }
  madvise(memory, bytes, MADV_NOHUGEPAGE);
  return static_cast<char*>(memory);
}

std::size_t number(const char* text) {
  return std::strtoull(text, nullptr, 10);
}

int touch(std::size_t bytes) {
  char* memory = map(bytes);
  const double start = now_ms();
  walk(memory, bytes);
  std::printf("touched %.1f\n", now_ms() - start);
  return 0;
}

int hold(std::size_t bytes) {
  std::signal(SIGUSR1, ask_walk);
  char* memory = map(std::max(bytes, kPage));
  walk(memory, bytes);
  std::puts("held");
  std::fflush(stdout);
  for (;;) {
    const bool is_asked = is_walk_asked != 0;
    is_walk_asked = 0;
    walk(memory, bytes);
    if (is_asked) {
      std::printf("walk %ld\n", walk_counted(memory, bytes));
      std::fflush(stdout);
    }
    usleep(5000);
  }
}

int grow(std::size_t bytes, std::size_t mib_per_s) {
  char* memory = map(bytes);
  // Only faults from now on count, because the start of the program may have read its code from the disk.
  const long before = major_faults();
  const double start = now_ms();
  for (std::size_t done = 0; done < bytes; done += kMiB) {
    walk(memory + done, std::min(kMiB, bytes - done));
    const double due = start + static_cast<double>(done) / static_cast<double>(kMiB * mib_per_s) * 1e3;
    if (due > now_ms()) usleep(static_cast<useconds_t>((due - now_ms()) * 1e3));
  }
  walk(memory, bytes);
  std::printf("grown %ld\n", major_faults() - before);
  std::fflush(stdout);
  while (std::getchar() != EOF) {
  }
  return 0;
}

std::size_t free_bytes() {
  std::FILE* file = std::fopen("/proc/meminfo", "r");
  std::size_t kib = 0;
  if (file == nullptr || std::fscanf(file, "MemTotal: %*u kB MemFree: %zu kB", &kib) != 1) std::exit(1);
  std::fclose(file);
  return kib * 1024;
}

// A hypervisor takes back memory that was free for a second. At the next touch it has to find memory again.
int feed(std::size_t bytes) {
  constexpr std::size_t kPartBytes = 32 * kMiB;
  constexpr std::size_t kAheadBytes = 256 * kMiB;
  char* memory = map(bytes);
  walk(memory, bytes);
  const std::size_t enough_bytes = free_bytes() + kAheadBytes;
  std::puts("feeding");
  std::fflush(stdout);
  for (pollfd input{0, POLLIN, 0}; poll(&input, 1, 1) == 0;) {
    for (; bytes >= kPartBytes && free_bytes() < enough_bytes; bytes -= kPartBytes)
      madvise(memory + bytes - kPartBytes, kPartBytes, MADV_DONTNEED);
  }
  return 0;
}

int listen_to_pressure(int calm_ms, int pressed_ms) {
  short events = 0;
  const int fd = gb_pressure_fd(&events);
  if (fd < 0) return 77;
  std::puts(events == POLLIN ? "watching in" : "watching pri");
  std::fflush(stdout);
  for (const int time_ms : {calm_ms, pressed_ms}) {
    pollfd waiting{fd, events, 0};
    const int ready = poll(&waiting, 1, time_ms);
    std::puts(ready == 1 && (waiting.revents & events) != 0 ? "pressed" : "calm");
    std::fflush(stdout);
    std::uint64_t told = 0;
    if (ready == 1 && events == POLLIN && read(fd, &told, sizeof told) != sizeof told) return 1;
  }
  close(fd);
  return 0;
}

int alloc(char** argv) {
  gb_alloc_options options{};
  options.size = sizeof options;
  options.timeout_ms = number(argv[3]);
  std::size_t got = 0;
  const double start = now_ms();
  errno = 0;
  auto* memory =
      static_cast<char*>(gb_alloc_with(number(argv[0]), number(argv[1]), number(argv[2]), &got, &options));
  std::printf("got %zu %.1f %d\n", got, now_ms() - start, errno);
  std::fflush(stdout);
  if (memory == nullptr) return 1;
  for (int c = std::getchar(); c != EOF; c = std::getchar()) {
    std::printf("walk %ld\n", walk_counted(memory, got));
    std::fflush(stdout);
  }
  return gb_free(memory) == 0 ? 0 : 1;
}

// A worker that can do with less memory. It looks between two pieces of its work.
int hold_returnable(std::size_t min, std::size_t max) {
  gb_alloc_options options{};
  options.size = sizeof options;
  options.timeout_ms = 10'000;
  options.flags = GB_ALLOC_RETURNABLE;
  std::size_t got = 0;
  auto* memory = static_cast<char*>(gb_alloc_with(min, max, kPage, &got, &options));
  std::printf("got %zu\n", got);
  std::fflush(stdout);
  if (memory == nullptr) return 1;
  for (pollfd input{0, POLLIN, 0}; poll(&input, 1, 10) == 0;) {
    walk(memory, got);
    std::size_t wanted = 0;
    if (gb_return_wanted(memory, &wanted) != 0 || wanted > got - min) return 1;
    if (wanted == 0) continue;
    got -= wanted;
    if (gb_shrink(memory, got) != 0) return 1;
    std::printf("left %zu\n", got);
    std::fflush(stdout);
  }
  return gb_free(memory) == 0 ? 0 : 1;
}

// The shared memory of the processes in one round of returns.
struct ReturnBoard {
  std::atomic<int> holders;
  std::atomic<int> is_over;
};

[[noreturn]] void hold_for_round(ReturnBoard& board, std::size_t min) {
  gb_alloc_options options{};
  options.size = sizeof options;
  options.timeout_ms = 30'000;
  options.flags = GB_ALLOC_RETURNABLE;
  std::size_t got = 0;
  auto* memory = static_cast<char*>(gb_alloc_with(min, std::size_t{1} << 40U, kPage, &got, &options));
  if (memory == nullptr) _exit(1);
  ++board.holders;
  while (board.is_over == 0) {
    walk(memory, got);
    std::size_t wanted = 0;
    if (gb_return_wanted(memory, &wanted) != 0 || wanted > got - min) _exit(1);
    got -= wanted;
    if (wanted != 0 && gb_shrink(memory, got) != 0) _exit(1);
    usleep(kPieceUs);
  }
  gb_free(memory);
  _exit(0);
}

[[noreturn]] void serve_once(ReturnBoard& board, std::size_t bytes) {
  const double start = now_ms();
  void* memory = gb_alloc_wait(bytes, bytes, kPage, nullptr, 5'000);
  std::printf("wait %.1f\n", memory == nullptr ? 5'000 : now_ms() - start);
  std::fflush(stdout);
  board.is_over = 1;
  gb_free(memory);
  _exit(memory == nullptr ? 2 : 0);
}

int rounds_of_returns(int count, std::size_t min, std::size_t server_bytes) {
  constexpr int kHolders = 3;
  auto& board = *reinterpret_cast<ReturnBoard*>(
      mmap(nullptr, sizeof(ReturnBoard), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  int killed = 0;
  int failed = 0;
  int unserved = 0;
  for (int round = 0; round < count; ++round) {
    board.holders = 0;
    board.is_over = 0;
    for (int i = 0; i < kHolders; ++i)
      if (fork() == 0) hold_for_round(board, min);
    for (int ms = 0; board.holders < kHolders && ms < 30'000; ++ms) usleep(1000);
    if (fork() == 0) serve_once(board, server_bytes);
    for (int i = 0; i <= kHolders; ++i) {
      int status = 0;
      wait(&status);
      if (WIFSIGNALED(status)) ++killed;
      if (WIFSIGNALED(status)) board.is_over = 1;  // the killed process may have been the server
      if (WIFEXITED(status) && WEXITSTATUS(status) == 1) ++failed;
      if (WIFEXITED(status) && WEXITSTATUS(status) == 2) ++unserved;
    }
  }
  std::printf("returns %d killed %d failed %d unserved %d\n", count, killed, failed, unserved);
  return killed + failed + unserved == 0 ? 0 : 1;
}

// The shared memory of the processes in the rounds.
struct Board {
  std::atomic<int> is_started;
  std::atomic<int> served;  // in this round
  std::atomic<std::uint64_t> granted_bytes;
  std::atomic<std::uint64_t> granted_bytes_max;
  std::uint64_t got_bytes[kProcessesMax];
};

[[noreturn]] void ask_once(Board& board, int place, int processes, std::size_t min, std::size_t max,
                           bool do_all_fit) {
  while (board.is_started.load() == 0) usleep(100);
  std::size_t got = 0;
  void* memory = gb_alloc_wait(min, max, kPage, &got, 30'000);
  if (memory == nullptr) _exit(1);
  board.got_bytes[place] = got;
  const std::uint64_t sum = board.granted_bytes.fetch_add(got) + got;
  std::uint64_t highest = board.granted_bytes_max.load();
  while (sum > highest && !board.granted_bytes_max.compare_exchange_weak(highest, sum)) {
  }
  ++board.served;
  while (do_all_fit && board.served.load() < processes) usleep(200);
  usleep(kHoldUs);
  board.granted_bytes.fetch_sub(got);
  gb_free(memory);
  _exit(0);
}

double jain(const std::uint64_t* got, int count) {
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < count; ++i) {
    sum += static_cast<double>(got[i]);
    squares += static_cast<double>(got[i]) * static_cast<double>(got[i]);
  }
  return squares > 0 ? sum * sum / (count * squares) : 0;
}

// In three of four rounds all minima fit, and the processes must get equal shares. In the fourth round some processes have to wait.
int rounds(int count, std::size_t min, std::size_t max) {
  auto& board = *reinterpret_cast<Board*>(
      mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  int killed = 0;
  int unserved = 0;
  int asked = 0;
  double jain_sum = 0;
  double jain_min = 1;
  int jain_count = 0;
  int jain_below = 0;
  for (int round = 0; round < count; ++round) {
    const int processes = 2 + round % (kProcessesMax - 1);
    const bool do_all_fit = round % 4 != 3;
    board.is_started = 0;
    board.served = 0;
    std::memset(board.got_bytes, 0, sizeof board.got_bytes);
    for (int i = 0; i < processes; ++i) {
      if (fork() == 0) ask_once(board, i, processes, do_all_fit ? min : 5 * min, max, do_all_fit);
    }
    board.is_started = 1;
    for (int i = 0; i < processes; ++i) {
      int status = 0;
      wait(&status);
      if (WIFSIGNALED(status)) ++killed;
      if (WIFEXITED(status) && WEXITSTATUS(status) != 0) ++unserved;
    }
    asked += processes;
    if (!do_all_fit) continue;
    const double index = jain(board.got_bytes, processes);
    jain_sum += index;
    jain_min = std::min(jain_min, index);
    if (index < 0.9) ++jain_below;
    ++jain_count;
  }
  std::printf(
      "rounds %d asked %d killed %d unserved %d granted_max %llu jain_mean %.4f jain_min %.4f jain_below "
      "%d\n",
      count, asked, killed, unserved, static_cast<unsigned long long>(board.granted_bytes_max.load()),
      jain_count > 0 ? jain_sum / jain_count : 0, jain_min, jain_below);
  return killed + unserved == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  if (std::strcmp(what, "touch") == 0 && argc == 3) return touch(number(argv[2]) * kMiB);
  if (std::strcmp(what, "hold") == 0 && argc == 3) return hold(number(argv[2]) * kMiB);
  if (std::strcmp(what, "grow") == 0 && argc == 4) return grow(number(argv[2]) * kMiB, number(argv[3]));
  if (std::strcmp(what, "feed") == 0 && argc == 3) return feed(number(argv[2]) * kMiB);
  if (std::strcmp(what, "return") == 0 && argc == 4) return hold_returnable(number(argv[2]), number(argv[3]));
  if (std::strcmp(what, "returns") == 0 && argc == 5)
    return rounds_of_returns(static_cast<int>(number(argv[2])), number(argv[3]), number(argv[4]));
  if (std::strcmp(what, "pressure") == 0 && argc == 4)
    return listen_to_pressure(static_cast<int>(number(argv[2])), static_cast<int>(number(argv[3])));
  if (std::strcmp(what, "alloc") == 0 && argc == 6) return alloc(argv + 2);
  if (std::strcmp(what, "rounds") == 0 && argc == 5)
    return rounds(static_cast<int>(number(argv[2])), number(argv[3]), number(argv[4]));
  std::fputs("admission: see the head of tests/support/admission.cpp\n", stderr);
  return 2;
}
