// SPDX-License-Identifier: MIT
// alloc_test: the C interface of memory admission, and the memory resource built on it, on the real host.
//
// The test takes only a few megabytes, which any host has. Left out: how much is granted when memory is scarce (system/mac_room_test.sh).
#include "tests/support/catch.hpp"

#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "libgray/include/gray/alloc.h"
#include "libgray/include/gray/memory_resource.hpp"

namespace {

constexpr std::size_t kMiB = 1U << 20U;

int errno_of(std::size_t min, std::size_t max, std::size_t multiple,
             const gb_alloc_options* options = nullptr) {
  std::size_t got = 77;
  errno = 0;
  void* memory = gb_alloc_with(min, max, multiple, &got, options);
  const int error = errno;
  CHECK(memory == nullptr);
  CHECK(got == 0);
  return error;
}

std::size_t huge_kib() {
  std::ifstream file("/proc/self/smaps_rollup");
  std::size_t kib = 0;
  for (std::string word; file >> word;)
    if (word == "AnonHugePages:") file >> kib;
  return kib;
}

// Whether the time signal cannot work here: by time alone, memory is granted only where pages can be paged out.
bool is_time_blind() {
  std::ifstream file("/proc/swaps");
  std::string line;
  int lines = 0;
  while (std::getline(file, line)) ++lines;
  return lines <= 1;  // the first line holds the headings
}

// Whether a request with a huge maximum gets most of the 64 MiB that a limit of the process leaves, and no more.
bool is_room_granted(const char* mode, std::size_t max) {
  constexpr std::size_t kRoomBytes = 64 * kMiB;
  setenv("GRAY_MAC", mode, 1);
  unsigned long pages = 0;
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr || std::fscanf(file, "%lu", &pages) != 1) return false;
  std::fclose(file);
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0) return false;
  limit.rlim_cur = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + kRoomBytes;
  if (setrlimit(RLIMIT_AS, &limit) != 0) return false;
  std::size_t got = 0;
  void* memory = gb_alloc(kMiB, max, 1, &got);
  if (memory == nullptr && std::string(mode) == "time" && is_time_blind()) return errno == ENODATA;
  return memory != nullptr && got <= kRoomBytes && got >= kRoomBytes / 4 && gb_free(memory) == 0;
}

}  // namespace

TEST_CASE("memory is granted, zero, writable, and freed once") {
  for (const char* mode : {"full", "time"}) {
    setenv("GRAY_MAC", mode, 1);
    if (std::string(mode) == "time" && is_time_blind()) {
      CHECK(errno_of(kMiB, 4 * kMiB, 100) == ENODATA);
      continue;
    }
    std::size_t got = 0;
    auto* memory = static_cast<unsigned char*>(gb_alloc(kMiB, 4 * kMiB, 100, &got));
    REQUIRE(memory != nullptr);
    CHECK(got == 4 * kMiB / 100 * 100);
    std::size_t sum = 0;
    for (std::size_t i = 0; i < got; ++i) sum += memory[i];
    CHECK(sum == 0);
    memory[got - 1] = 5;
    CHECK(gb_shrink(memory, kMiB) == 0);
    CHECK(gb_shrink(memory, 2 * kMiB) == -EINVAL);
    CHECK(gb_free(memory + 1) == -EINVAL);
    CHECK(gb_free(memory) == 0);
    CHECK(gb_free(memory) == -EINVAL);
    CHECK(gb_free(nullptr) == 0);
  }
  unsetenv("GRAY_MAC");
}

TEST_CASE("requests that make no sense, and more than there is, are told apart") {
  CHECK(errno_of(2, 1, 1) == EINVAL);
  CHECK(errno_of(1, 2, 0) == EINVAL);
  CHECK(errno_of(1, 2, 3) == EINVAL);
  CHECK(errno_of(0, 0, 1) == EINVAL);
  CHECK(errno_of(SIZE_MAX - 1, SIZE_MAX, 1) == ENOMEM);
  CHECK(errno_of(SIZE_MAX, SIZE_MAX, 4096) == EINVAL);
  gb_alloc_options options{};
  CHECK(errno_of(1, 2, 1, &options) == EINVAL);
  options.size = sizeof options;
  options.cache = 3;
  CHECK(errno_of(1, 2, 1, &options) == EINVAL);
  options.cache = 0;
  options.flags = 128;
  CHECK(errno_of(1, 2, 1, &options) == EINVAL);
  setenv("GRAY_MAC", "nonsense", 1);
  CHECK(errno_of(1, 2, 1) == EINVAL);
  unsetenv("GRAY_MAC");
  CHECK(gb_alloc(1, 2, 1, nullptr) == nullptr);
  std::size_t bytes = 0;
  CHECK(gb_available(kMiB, 2 * kMiB, 1, &bytes, nullptr) == 0);
  CHECK(bytes == 2 * kMiB);
  CHECK(gb_available(2, 1, 1, &bytes, nullptr) == -EINVAL);
  CHECK(gb_pressure_fd(nullptr) == -EINVAL);
}

TEST_CASE("a maximum beyond the address space is granted what is there") {
  for (const char* mode : {"full", "time"}) {
    const pid_t child = fork();
    if (child == 0) _exit(is_room_granted(mode, SIZE_MAX) && is_room_granted(mode, SIZE_MAX - 12345) ? 0 : 1);
    int status = -1;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(status == 0);
  }
}

TEST_CASE("huge pages are there where the kernel has them to give") {
  constexpr std::size_t kHugeMiB = 16;
  void* other = mmap(nullptr, kHugeMiB * kMiB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(other != MAP_FAILED);
  madvise(other, kHugeMiB * kMiB, MADV_NOHUGEPAGE);
  for (std::size_t i = 0; i < kHugeMiB * kMiB; i += 4096) static_cast<volatile char*>(other)[i] = 1;
  constexpr int kCollapse = 25;
  const bool can_collapse =
      madvise(other, kHugeMiB * kMiB, MADV_HUGEPAGE) == 0 && madvise(other, kHugeMiB * kMiB, kCollapse) == 0;
  munmap(other, kHugeMiB * kMiB);
  const std::size_t before_kib = huge_kib();
  std::size_t got = 0;
  gb_alloc_options options{};
  options.size = sizeof options;
  options.flags = GB_ALLOC_HUGE;
  void* memory = gb_alloc_with(kHugeMiB * kMiB, kHugeMiB * kMiB, 1, &got, &options);
  REQUIRE(memory != nullptr);
  if (can_collapse) CHECK(huge_kib() >= before_kib + kHugeMiB * 1024 / 2);
  CHECK(gb_free(memory) == 0);
}

TEST_CASE("memory is granted to the byte, with huge pages and without the page cache") {
  std::size_t got = 0;
  gb_alloc_options options{};
  options.size = sizeof options;
  options.flags = GB_ALLOC_HUGE;
  options.cache = GB_CACHE_KEEP;
  void* memory = gb_alloc_with(kMiB, kMiB + 5, 1, &got, &options);
  REQUIRE(memory != nullptr);
  CHECK(got == kMiB + 5);
  CHECK(gb_free(memory) == 0);
}

TEST_CASE("a child of fork uses and frees its copy, and the parent's stays") {
  std::size_t got = 0;
  auto* memory = static_cast<char*>(gb_alloc(kMiB, kMiB, 1, &got));
  REQUIRE(memory != nullptr);
  memory[0] = 'p';
  const pid_t child = fork();
  if (child == 0) {
    memory[0] = 'c';
    const bool is_freed = gb_free(memory) == 0;
    std::size_t own = 0;
    void* more = gb_alloc(kMiB, kMiB, 1, &own);
    _exit(is_freed && more != nullptr && gb_free(more) == 0 ? 0 : 1);
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK(memory[0] == 'p');
  CHECK(gb_free(memory) == 0);
}

TEST_CASE("a pressure descriptor can be waited for, or the host has none") {
  short events = 0;
  const int fd = gb_pressure_fd(&events);
  if (fd < 0) {
    CHECK(fd == -ENOTSUP);
    return;
  }
  CHECK((events == POLLIN || events == POLLPRI));
  pollfd waiting{fd, events, 0};
  CHECK(poll(&waiting, 1, 0) >= 0);
  CHECK((waiting.revents & (POLLERR | POLLNVAL)) == 0);
  CHECK(close(fd) == 0);
}

TEST_CASE("threads ask and free at once") {
  std::vector<std::thread> threads;
  int failures[4] = {};
  for (int& failed : failures)
    threads.emplace_back([&failed] {
      for (int i = 0; i < 5; ++i) {
        std::size_t got = 0;
        void* memory = gb_alloc_wait(kMiB, 2 * kMiB, 4096, &got, 10'000);
        if (memory == nullptr || gb_free(memory) != 0) ++failed;
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (const int failed : failures) CHECK(failed == 0);
}

TEST_CASE("the memory resource refuses beyond its grant and gets back what is given back") {
  gray::memory_resource memory(kMiB, kMiB);
  CHECK(memory.granted_bytes() == kMiB);
  {
    std::pmr::vector<char> half(kMiB / 2, 'x', &memory);
    CHECK_THROWS_AS(std::pmr::vector<char>(kMiB / 2 + 1, 'y', &memory), std::bad_alloc);
    void* aligned = memory.allocate(100, 4096);
    CHECK(reinterpret_cast<std::uintptr_t>(aligned) % 4096 == 0);
    memory.deallocate(aligned, 100, 4096);
  }
  CHECK(memory.used_bytes() == 0);
  std::vector<void*> pieces;
  for (int i = 0; i < 100; ++i) pieces.push_back(memory.allocate(1000));
  for (std::size_t i = 0; i < pieces.size(); i += 2) memory.deallocate(pieces[i], 1000);
  for (std::size_t i = 1; i < pieces.size(); i += 2) memory.deallocate(pieces[i], 1000);
  memory.deallocate(memory.allocate(kMiB), kMiB);  // all of it, in one piece again
  CHECK_THROWS_AS(gray::memory_resource(std::size_t{1} << 60U, std::size_t{1} << 60U), std::system_error);
}
