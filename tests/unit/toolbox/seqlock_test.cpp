// SPDX-License-Identifier: MIT
// seqlock_test: a reader gets one whole version, or no version.
//
// How: the test uses one thread alone, then a writer thread with recognisable versions and several readers, then a hand-made torn write in zeroed memory. Left
// out: sharing between processes, where the same atomics work on the same memory.
#include "toolbox/base/seqlock.hpp"

#include <array>
#include <atomic>
#include <cstring>
#include <thread>

#include "tests/support/catch.hpp"

using namespace gray::base;

namespace {

using Wide = std::array<std::uint64_t, 16>;

struct Odd {
  char bytes[13];
};

}  // namespace

TEST_CASE("what was stored is loaded, whatever its size", "[seqlock]") {
  Seqlock<Odd> lock;
  Odd value{};
  REQUIRE(lock.load(value));
  CHECK(value.bytes[12] == 0);
  CHECK(lock.sequence() == 0);
  lock.store({"twelve chars"});
  REQUIRE(lock.load(value));
  CHECK(std::strcmp(value.bytes, "twelve chars") == 0);
  CHECK(lock.sequence() == 2);
}

TEST_CASE("a reader beside a writer never sees half a version", "[seqlock]") {
  static Seqlock<Wide> lock;
  std::atomic<bool> is_done{false};
  std::thread writer([&is_done] {
    for (std::uint64_t version = 1; version <= 200'000; ++version) {
      Wide value;
      value.fill(version);
      lock.store(value);
    }
    is_done = true;
  });
  std::uint64_t torn = 0;
  std::uint64_t backwards = 0;
  std::uint64_t newest = 0;
  while (!is_done) {
    Wide value;
    if (!lock.load(value)) continue;
    for (const std::uint64_t word : value) torn += word != value[0] ? 1U : 0U;
    backwards += value[0] < newest ? 1U : 0U;
    newest = value[0];
  }
  writer.join();
  CHECK(torn == 0);
  CHECK(backwards == 0);
  Wide last;
  REQUIRE(lock.load(last));
  CHECK(last[15] == 200'000);
}

TEST_CASE("a reader gives up on a value whose writer died, until the next store", "[seqlock]") {
  Seqlock<std::uint64_t> lock;
  lock.store(5);
  // The sequence number is the first word. A writer that is killed during a store leaves an odd number.
  static_assert(sizeof lock == 2 * sizeof(std::uint64_t));
  const std::uint64_t odd = 3;
  std::memcpy(static_cast<void*>(&lock), &odd, sizeof odd);
  std::uint64_t value = 77;
  CHECK_FALSE(lock.load(value));
  CHECK(value == 77);
  lock.store(6);
  REQUIRE(lock.load(value));
  CHECK(value == 6);
  CHECK(lock.sequence() % 2 == 0);
}

TEST_CASE("a reader that may make no pass gets nothing", "[seqlock]") {
  Seqlock<int> lock;
  int value = 9;
  CHECK_FALSE(lock.load(value, 0));
  CHECK(value == 9);
}
