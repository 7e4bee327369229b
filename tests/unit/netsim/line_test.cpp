// SPDX-License-Identifier: MIT
// line_test: one direction of the emulated line keeps its rate, its delay, its queue and its loss. The test invents the instants.
//
// Left out: the clock and the packets; system/netsim tests them.
#include "bench/netsim/line.hpp"

#include "tests/support/catch.hpp"

namespace {

using netsim::Line;
using netsim::LineShape;

constexpr std::uint64_t kMs = 1'000'000;
constexpr std::uint64_t kSeed = 7;

LineShape shape_of(std::uint64_t rate, std::uint64_t queue) {
  return {rate, 20 * kMs, queue, 0};
}

}  // namespace

TEST_CASE("a packet on an idle line takes its transfer and half the round trip", "[netsim]") {
  Line line(shape_of(2'000'000, 600'000), kSeed);
  CHECK(line.admit(5 * kMs, 2000) == 5 * kMs + 1 * kMs + 10 * kMs);
  CHECK(line.admit(500 * kMs, 1000) == 500 * kMs + kMs / 2 + 10 * kMs);
}

TEST_CASE("packets that arrive together leave one after another at the rate", "[netsim]") {
  Line line(shape_of(1'000'000, 600'000), kSeed);
  for (std::uint64_t i = 1; i <= 100; ++i) CHECK(line.admit(0, 1500) == i * 1'500'000 + 10 * kMs);
}

TEST_CASE("a rate that divides no packet is never exceeded", "[netsim]") {
  Line line(shape_of(1'000'003, 1'000'000'000), kSeed);
  std::uint64_t last_ns = 0;
  for (int i = 0; i < 10'000; ++i) last_ns = line.admit(0, 1499).value();
  const double taken_s = static_cast<double>(last_ns - 10 * kMs) / 1e9;
  CHECK(10'000 * 1499 / taken_s <= 1'000'003);
  CHECK(10'000 * 1499 / taken_s > 0.999 * 1'000'003);
}

TEST_CASE("what the queue does not hold is dropped, and it takes more when it has drained", "[netsim]") {
  Line line(shape_of(1'000'000, 4500), kSeed);
  for (int i = 0; i < 3; ++i) CHECK(line.admit(0, 1500).has_value());
  CHECK_FALSE(line.admit(0, 1500).has_value());
  CHECK_FALSE(line.admit(1 * kMs, 1500).has_value());  // the first packet has not quite left
  CHECK(line.admit(1 * kMs, 500).has_value());         // a shorter packet fits
  CHECK(line.admit(3 * kMs, 1500).has_value());
  CHECK(line.count().dropped == 2);
  CHECK(line.count().packets == 5);
  CHECK(line.count().bytes == 4 * 1500 + 500);
  CHECK(line.count().queue_bytes_max <= 4500);
}

TEST_CASE("a dropped packet takes no time of the line", "[netsim]") {
  Line line(shape_of(1'000'000, 1500), kSeed);
  CHECK(line.admit(0, 1500) == 1'500'000 + 10 * kMs);
  CHECK_FALSE(line.admit(0, 1500).has_value());
  CHECK(line.admit(1'500'000, 1500) == 3'000'000 + 10 * kMs);
}

TEST_CASE("packets are lost by the share that was asked, the same ones by the same seed", "[netsim]") {
  LineShape shape = shape_of(1'000'000, 1'000'000'000);
  shape.loss = 0.01;
  Line one(shape, kSeed);
  Line other(shape, kSeed);
  for (int i = 0; i < 100'000; ++i) CHECK(one.admit(0, 100) == other.admit(0, 100));
  CHECK(one.count().lost > 850);
  CHECK(one.count().lost < 1150);
  CHECK(one.count().dropped == 0);
  CHECK(one.count().packets + one.count().lost == 100'000);
}
