// SPDX-License-Identifier: MIT
// follow_rule_test: when a heap is told to grow, to stay or to shrink.
//
// How: the input is a list of looks at given instants, in order. The output is the advice. Left out: how the looks are made (follower_test).
#include "tests/support/catch.hpp"

#include "libgray/src/memory/follow_rule.hpp"
#include "toolbox/base/units.hpp"

using namespace gray::memory;
using gray::base::kMiB;

namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;

// A heap of 1000 MiB with 400 MiB of live data, which was told this size, on a host with room for exactly this size.
FollowLook calm_look() {
  FollowLook look;
  look.now_ns = 100 * kSecond;
  look.heap_bytes = 1000 * kMiB;
  look.live_bytes = 400 * kMiB;
  look.allowed_bytes = 1000 * kMiB;
  look.reach_bytes = 1100 * kMiB;
  look.margin_bytes = 64 * kMiB;
  look.max_bytes = 4000 * kMiB;
  look.collecting_share = 0.1;
  return look;
}

FollowState calm_state() {
  FollowState state;
  state.told_bytes = 1000 * kMiB;
  state.reach_bytes = 1100 * kMiB;
  return state;
}

// Repeats this look every half second for the given number of seconds. Returns the verdicts up to the first verdict that is not
// "stay".
FollowDecision run(FollowLook look, FollowState state, int seconds) {
  FollowDecision decision{FollowVerdict::stay, FollowReason::none, state};
  for (int i = 0; i < 2 * seconds && decision.verdict == FollowVerdict::stay; ++i) {
    look.now_ns += kSecond / 2;
    decision = decide(look, decision.state);
  }
  return decision;
}

std::uint64_t told_mib(const FollowDecision& decision) {
  return decision.state.told_bytes / kMiB;
}

}  // namespace

TEST_CASE("the first answer is what there is room for, within the bounds") {
  FollowLook look = calm_look();
  look.allowed_bytes = 700 * kMiB;
  FollowDecision decision = decide(look, {});
  CHECK(decision.verdict == FollowVerdict::shrink);
  CHECK(decision.reason == FollowReason::first);
  CHECK(told_mib(decision) == 700);
  look.allowed_bytes = 9000 * kMiB;
  decision = decide(look, {});
  CHECK(decision.verdict == FollowVerdict::grow);
  CHECK(told_mib(decision) == 4000);
}

TEST_CASE("room that is missing shrinks at once, and small differences do nothing") {
  FollowLook look = calm_look();
  look.allowed_bytes = 980 * kMiB;  // within half of the margin
  CHECK(decide(look, calm_state()).verdict == FollowVerdict::stay);
  look.allowed_bytes =
      950 * kMiB;  // of the same memory of the process: the memory outside the heap has grown
  const FollowDecision decision = decide(look, calm_state());
  CHECK(decision.verdict == FollowVerdict::shrink);
  CHECK(decision.reason == FollowReason::room);
  CHECK(told_mib(decision) == 950);
}

TEST_CASE("room that falls fast is taken to fall on, down to what is live and a quarter") {
  FollowLook look = calm_look();
  look.allowed_bytes = 900 * kMiB;
  look.reach_bytes = 1000 * kMiB;
  CHECK(told_mib(decide(look, calm_state())) == 600);  // a quarter of the part above 500
  look.allowed_bytes = 100 * kMiB;
  look.reach_bytes = 200 * kMiB;
  CHECK(told_mib(decide(look, calm_state())) == 500);
}

TEST_CASE("never less than what is live and a quarter, nor outside the caller's bounds") {
  FollowLook look = calm_look();
  look.allowed_bytes = 0;
  CHECK(told_mib(decide(look, calm_state())) == 500);
  look.min_bytes = 800 * kMiB;
  CHECK(told_mib(decide(look, calm_state())) == 800);
  look = calm_look();
  look.live_bytes = 900 * kMiB;
  const FollowDecision decision = decide(look, calm_state());
  CHECK(decision.verdict == FollowVerdict::grow);
  CHECK(decision.reason == FollowReason::live);
  CHECK(told_mib(decision) == 1125);
  look.max_bytes = 1000 * kMiB;
  CHECK(decide(look, calm_state()).verdict == FollowVerdict::stay);
  CHECK(least_heap_bytes(~std::uint64_t{0}) == ~std::uint64_t{0});
}

TEST_CASE("room that stays is taken, and not before it has stayed") {
  FollowLook look = calm_look();
  look.allowed_bytes = 2000 * kMiB;
  CHECK(run(look, calm_state(), 2).verdict == FollowVerdict::stay);
  const FollowDecision decision = run(look, calm_state(), 4);
  CHECK(decision.verdict == FollowVerdict::grow);
  CHECK(told_mib(decision) == 2000);
}

TEST_CASE("a heap that has not given back yet what it was told to is not told to grow") {
  FollowLook look = calm_look();
  look.heap_bytes = 2000 * kMiB;
  look.allowed_bytes = 1900 * kMiB;  // the heap's own size
  CHECK(run(look, calm_state(), 20).verdict == FollowVerdict::stay);
  look.allowed_bytes = 2500 * kMiB;  // the heap could not become smaller, and now memory is free
  CHECK(run(look, calm_state(), 20).verdict == FollowVerdict::grow);
}

TEST_CASE("of room that comes and goes the least is taken, and room that was gone has to stay anew") {
  FollowLook look = calm_look();
  look.allowed_bytes = 2000 * kMiB;
  FollowDecision decision = run(look, calm_state(), 2);
  look.now_ns += 2 * kSecond;
  look.allowed_bytes = 1500 * kMiB;
  decision = run(look, decision.state, 1);
  CHECK(told_mib(decision) == 1500);
  look = calm_look();
  look.allowed_bytes = 2000 * kMiB;
  decision = run(look, calm_state(), 2);
  look.now_ns += 2 * kSecond;
  look.allowed_bytes = 1000 * kMiB;
  decision = decide(look, decision.state);
  look.now_ns += kSecond;
  look.allowed_bytes = 2000 * kMiB;
  CHECK(run(look, decision.state, 2).verdict == FollowVerdict::stay);
}

TEST_CASE(
    "growth has to be worth it: by what collecting costs, by what others lose, by the use of what is there") {
  FollowLook look = calm_look();
  look.allowed_bytes = 2000 * kMiB;
  SECTION("collecting costs nothing") {
    look.collecting_share = 0.001;
    CHECK(run(look, calm_state(), 20).verdict == FollowVerdict::stay);
  }
  SECTION("others wait longer for memory than it would save") {
    look.waiting_share = 0.09;
    CHECK(run(look, calm_state(), 20).verdict == FollowVerdict::stay);
    look.waiting_share = 0.03;
    CHECK(run(look, calm_state(), 20).verdict == FollowVerdict::grow);
  }
  SECTION("the heap does not take what it may") {
    look.heap_bytes = 600 * kMiB;
    CHECK(run(look, calm_state(), 20).verdict == FollowVerdict::stay);
  }
  SECTION("a cost that is not known is always worth it") {
    look.collecting_share = kShareUnknown;
    CHECK(run(look, calm_state(), 20).verdict == FollowVerdict::grow);
  }
}

TEST_CASE("pressure takes a margin, once in a while, and only where memory is tight") {
  FollowLook look = calm_look();
  look.paged_in_bytes = 100 * kMiB;
  look.waiting_share = 0.5;
  FollowDecision decision = decide(look, calm_state());
  CHECK(decision.verdict == FollowVerdict::shrink);
  CHECK(decision.reason == FollowReason::pressure);
  CHECK(told_mib(decision) == 1000 - 64);
  look.now_ns += kSecond;
  CHECK(decide(look, decision.state).verdict == FollowVerdict::stay);
  look.allowed_bytes = 3000 * kMiB;  // another process is short of memory
  CHECK(decide(look, calm_state()).verdict == FollowVerdict::stay);
}

TEST_CASE("who is pressed soon after growing waits longer before growing again") {
  FollowLook look = calm_look();
  FollowState state = calm_state();
  state.grown_ns = look.now_ns - kSecond;
  look.paged_in_bytes = 100 * kMiB;
  look.waiting_share = 0.5;
  FollowDecision decision = decide(look, state);
  REQUIRE(decision.reason == FollowReason::pressure);
  look = calm_look();
  look.heap_bytes = decision.state.told_bytes;
  look.allowed_bytes = 2000 * kMiB;
  CHECK(run(look, decision.state, 4).verdict == FollowVerdict::stay);
  CHECK(run(look, decision.state, 8).verdict == FollowVerdict::grow);
}
