// SPDX-License-Identifier: MIT
// touches: uses memory in a known pattern, at a known speed, so that the memory that is touched within a time can be computed.
//
//   touches PATTERN HELD-MIB PAGES/S [USED-MIB] [HOT-MIB]
//
// The program first writes to HELD-MIB and prints "ready". Then it touches pages of the first USED-MIB (default: all) at that many pages a second, evenly over
// the milliseconds, until a signal kills it. PATTERN:
//   loop    one page after the other, again and again
//   sparse  the same, but only every fourth page
//   random  any page, each as likely as the others
//   zipf    the page of rank r with a probability of 1/r
//   hot     every other touch goes round in the first HOT-MIB, and the others go round in the rest
// Touching a page reads one byte. The memory is in small pages. "exits": like loop, and ends after a second.
#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

#include "toolbox/base/clock.hpp"

namespace {

constexpr std::uint64_t kPageBytes = 4096;
constexpr std::uint64_t kPagesPerMib = 256;
constexpr std::uint64_t kSparse = 4;
constexpr std::uint64_t kNsPerMs = 1'000'000;
constexpr std::uint64_t kMsPerS = 1000;

struct Pattern {
  std::string name;
  std::uint64_t used_pages;
  std::uint64_t hot_pages;
  std::uint64_t state = 88172645463325252U;

  // xorshift64
  std::uint64_t random() {
    state ^= state << 13U;
    state ^= state >> 7U;
    state ^= state << 17U;
    return state;
  }

  // The page of the touch with number `i`.
  std::uint64_t page(std::uint64_t i) {
    if (name == "sparse") return i * kSparse % used_pages;
    if (name == "random") return random() % used_pages;
    if (name == "zipf") {
      // Inverts the distribution of 1/r, taken as continuous. The ranks are spread over the memory.
      const double part = static_cast<double>(random() >> 11U) / 9007199254740992.0;
      const auto rank = static_cast<std::uint64_t>(std::pow(static_cast<double>(used_pages) + 1, part)) - 1;
      return rank * 2654435761U % used_pages;
    }
    if (name == "hot") return i % 2 == 0 ? i / 2 % hot_pages : hot_pages + i / 2 % (used_pages - hot_pages);
    return i % used_pages;
  }
};

std::uint64_t number(int argc, char** argv, int i, std::uint64_t fallback) {
  return argc > i ? std::strtoull(argv[i], nullptr, 10) : fallback;
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t held_pages = number(argc, argv, 2, 0) * kPagesPerMib;
  const std::uint64_t touches_per_s = number(argc, argv, 3, 0);
  if (held_pages == 0 || touches_per_s == 0) return 2;
  Pattern pattern{argv[1], number(argc, argv, 4, held_pages / kPagesPerMib) * kPagesPerMib,
                  number(argc, argv, 5, 1) * kPagesPerMib};
  void* mapped =
      mmap(nullptr, held_pages * kPageBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return 1;
  madvise(mapped, held_pages * kPageBytes, MADV_NOHUGEPAGE);
  auto* bytes = static_cast<volatile unsigned char*>(mapped);
  std::memset(mapped, 1, held_pages * kPageBytes);
  std::puts("ready");
  std::fflush(stdout);
  const std::uint64_t begin_ns = gray::base::monotonic_ns();
  unsigned char sum = 0;
  for (std::uint64_t done = 0;;) {
    const std::uint64_t past_ms = (gray::base::monotonic_ns() - begin_ns) / kNsPerMs;
    if (pattern.name == "exits" && past_ms > kMsPerS) return 0;
    for (const std::uint64_t due = touches_per_s * past_ms / kMsPerS; done < due; ++done)
      sum = static_cast<unsigned char>(sum + bytes[pattern.page(done) * kPageBytes]);
    const timespec pause{0, kNsPerMs};
    nanosleep(&pause, nullptr);
  }
}
