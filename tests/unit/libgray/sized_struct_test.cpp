// SPDX-License-Identifier: MIT
// sized_struct_test: structs that are passed between headers and libraries of different releases.
//
// How: the same struct is defined as in an older, an equal and a newer header. Each version is passed as bytes, followed by guard bytes that must not change.
// Left out: the C functions that use it (tests/install).
#include "tests/support/catch.hpp"

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "libgray/src/api/sized_struct.hpp"

using gray::api::read_sized;
using gray::api::write_sized;

namespace {

// The library's own struct: the first release ended after `a`, this release has added `b`.
struct Sample {
  std::size_t size;
  std::uint64_t a;
  std::uint64_t b;
};

constexpr std::size_t kFirstSize = offsetof(Sample, b);
constexpr std::uint64_t kGuard = 0x1122334455667788;

// The caller's memory: a Sample, a field of a later release, and a guard.
struct Caller {
  Sample known;
  std::uint64_t later;
  std::uint64_t guard;
};

constexpr std::size_t kNewerSize = offsetof(Caller, guard);

Caller caller_of(std::size_t size) {
  return Caller{{size, 1, 2}, 3, kGuard};
}

}  // namespace

TEST_CASE("a struct of the same release is read whole") {
  const Caller caller = caller_of(sizeof(Sample));
  Sample read{};
  REQUIRE(read_sized(&caller.known, kFirstSize, read) == 0);
  CHECK(read.a == 1);
  CHECK(read.b == 2);
}

TEST_CASE("fields that an older caller does not have are read as zero") {
  const Caller caller = caller_of(kFirstSize);
  Sample read{0, 7, 7};
  REQUIRE(read_sized(&caller.known, kFirstSize, read) == 0);
  CHECK(read.a == 1);
  CHECK(read.b == 0);
}

TEST_CASE("a newer caller is served unless it asks for what this library does not know") {
  Caller caller = caller_of(kNewerSize);
  Sample read{};
  CHECK(read_sized(&caller.known, kFirstSize, read) == -E2BIG);
  caller.later = 0;
  REQUIRE(read_sized(&caller.known, kFirstSize, read) == 0);
  CHECK(read.b == 2);
}

TEST_CASE("a struct shorter than in the first release is refused, to read and to write") {
  Caller caller = caller_of(kFirstSize - 1);
  Sample read{0, 7, 7};
  CHECK(read_sized(&caller.known, kFirstSize, read) == -EINVAL);
  CHECK(read.a == 7);
  CHECK(write_sized(Sample{0, 8, 9}, kFirstSize, &caller.known) == -EINVAL);
  CHECK(caller.known.a == 1);
}

TEST_CASE("an answer fills what the caller's header has, and not a byte more") {
  const Sample answer{0, 8, 9};
  Caller older = caller_of(kFirstSize);
  REQUIRE(write_sized(answer, kFirstSize, &older.known) == 0);
  CHECK(older.known.size == kFirstSize);
  CHECK(older.known.a == 8);
  CHECK(older.known.b == 2);

  Caller newer = caller_of(kNewerSize);
  REQUIRE(write_sized(answer, kFirstSize, &newer.known) == 0);
  CHECK(newer.known.size == kNewerSize);
  CHECK(newer.known.b == 9);
  CHECK(newer.later == 0);
  CHECK(newer.guard == kGuard);
}
