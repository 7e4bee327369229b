// SPDX-License-Identifier: MIT
// disk_requests: makes direct requests of a file or device one after the other, and prints how long each took.
//
//   disk_requests FILE read|write COUNT LENGTH random|sequential SEED [control]
//
// Prints one line for each request on stdout: its offset and its nanoseconds. The requests bypass the page cache (O_DIRECT). With `control`, a line also has the
// nanoseconds by which the host woke this program too late from a sleep of 1 ms just before. No request can be timed better than that.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>

#include <fcntl.h>
#include <unistd.h>

namespace {

std::uint64_t now_ns() {
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}

std::uint64_t late_ns() {
  constexpr timespec kSleep{0, 1000000};
  const std::uint64_t start_ns = now_ns();
  nanosleep(&kSleep, nullptr);
  return now_ns() - start_ns - static_cast<std::uint64_t>(kSleep.tv_nsec);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 7 && argc != 8) return 2;
  const bool has_control = argc == 8;
  const bool is_read = std::strcmp(argv[2], "read") == 0;
  const std::uint64_t count = std::strtoull(argv[3], nullptr, 10);
  const std::uint64_t length = std::strtoull(argv[4], nullptr, 10);
  const bool is_random = std::strcmp(argv[5], "random") == 0;
  const int fd = open(argv[1], (is_read ? O_RDONLY : O_RDWR) | O_DIRECT | O_CLOEXEC);
  const off_t size = lseek(fd, 0, SEEK_END);
  void* buffer = nullptr;
  constexpr std::size_t kAlignment = 4096;
  if (size <= 0 || posix_memalign(&buffer, kAlignment, length) != 0) {
    std::perror(argv[1]);
    return 1;
  }
  std::memset(buffer, 1, length);
  std::mt19937_64 random(std::strtoull(argv[6], nullptr, 10));
  std::uniform_int_distribution<std::uint64_t> anywhere(0, static_cast<std::uint64_t>(size) / length - 1);
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto offset = static_cast<off_t>((is_random ? anywhere(random) : i) * length);
    const std::uint64_t late = has_control ? late_ns() : 0;
    const std::uint64_t start_ns = now_ns();
    const ssize_t moved = is_read ? pread(fd, buffer, length, offset) : pwrite(fd, buffer, length, offset);
    const std::uint64_t took_ns = now_ns() - start_ns;
    if (moved != static_cast<ssize_t>(length)) {
      std::perror("request");
      return 1;
    }
    std::printf("%lld %llu %llu\n", static_cast<long long>(offset), static_cast<unsigned long long>(took_ns),
                static_cast<unsigned long long>(late));
  }
  return 0;
}
