// SPDX-License-Identifier: MIT
// free_pass_test: a pass holds for its term and its bytes, and not a call longer.
//
// Left out: who gives passes and what becomes of what was read by them (tests/system/discnice_warm_test.sh).
#include "tools/discnice/descriptor/free_pass.hpp"

#include "tests/support/catch.hpp"

using namespace discnice::shim;

namespace {

constexpr std::uint64_t kSecondNs = 1'000'000'000;

std::uint64_t a_second_from_now_ns() {
  return gray::base::monotonic_coarse_ns() + kSecondNs;
}

}  // namespace

TEST_CASE("a file nobody gave a pass has none", "[free_pass]") {
  begin_term(a_second_from_now_ns());
  const OpenFile file{};
  CHECK_FALSE(has_pass(file, 1));
}

TEST_CASE("a pass is for small reads of its term", "[free_pass]") {
  begin_term(a_second_from_now_ns());
  OpenFile file{};
  give_pass(file, pass_term());
  CHECK(has_pass(file, 1));
  CHECK(has_pass(file, kPassBytesMax));
  CHECK_FALSE(has_pass(file, kPassBytesMax + 1));
  begin_term(a_second_from_now_ns());
  CHECK_FALSE(has_pass(file, 1));
}

TEST_CASE("a pass ends with its time", "[free_pass]") {
  begin_term(gray::base::monotonic_coarse_ns());
  OpenFile file{};
  give_pass(file, pass_term());
  CHECK_FALSE(has_pass(file, 1));
}

TEST_CASE("a debt voids all passes, also one that was decided on before it", "[free_pass]") {
  begin_term(a_second_from_now_ns());
  OpenFile given{};
  OpenFile decided{};
  give_pass(given, pass_term());
  const std::uint32_t term_before = pass_term();
  void_passes();
  give_pass(decided, term_before);
  CHECK_FALSE(has_pass(given, 1));
  CHECK_FALSE(has_pass(decided, 1));
}

TEST_CASE("what is read by passes is counted once and bounded", "[free_pass]") {
  forget_passes();
  begin_term(a_second_from_now_ns());
  OpenFile file{};
  give_pass(file, pass_term());
  std::uint64_t calls = 0;
  while (has_pass(file, kPassBytesMax)) {
    CHECK(note_passed(static_cast<ssize_t>(kPassBytesMax)) == static_cast<ssize_t>(kPassBytesMax));
    ++calls;
  }
  CHECK(calls == detail::kTermBytesMax / kPassBytesMax);
  CHECK(are_passes_used_up());
  CHECK(note_passed(-1) == -1);
  CHECK(note_passed(0) == 0);
  const Passed passed = take_passed();
  CHECK(passed.calls == calls + 2);
  CHECK(passed.bytes == calls * kPassBytesMax);
  CHECK(take_passed().calls == 0);
  CHECK_FALSE(are_passes_used_up());
  CHECK(has_pass(file, 1));  // the account was settled: the bytes begin anew
}

TEST_CASE("a pass may do without the clock, but not for more than a few reads in a row", "[free_pass]") {
  forget_passes();
  begin_term(gray::base::monotonic_coarse_ns());  // over already, as only the clock can tell
  OpenFile file{};
  give_pass(file, pass_term());
  CHECK_FALSE(has_pass_at_once(file, 1));  // the first one asks it
  note_passed(1);
  unsigned reads = 1;
  for (; has_pass_at_once(file, 1); ++reads) note_passed_alone(1);
  CHECK(reads == detail::kPassesAtOnce);
  CHECK_FALSE(has_pass(file, 1));
  note_passed(1);
  CHECK(has_pass_at_once(file, kPassBytesMax));
  CHECK_FALSE(has_pass_at_once(file, kPassBytesMax + 1));
  void_passes();
  CHECK_FALSE(has_pass_at_once(file, 1));
}

TEST_CASE("what the only thread reads counts as what any reads", "[free_pass]") {
  forget_passes();
  CHECK(note_passed_alone(5) == 5);
  CHECK(note_passed(7) == 7);
  CHECK(note_passed_alone(-1) == -1);
  const Passed passed = take_passed();
  CHECK(passed.calls == 3);
  CHECK(passed.bytes == 12);
}

TEST_CASE("one file may be read to its end beyond the bytes of a term, but not without end", "[free_pass]") {
  forget_passes();
  begin_term(a_second_from_now_ns());
  note_passed(static_cast<ssize_t>(2 * detail::kTermBytesMax - 1));
  CHECK(are_passes_used_up());
  CHECK_FALSE(are_passes_overdrawn());
  note_passed(1);
  CHECK(are_passes_overdrawn());
  take_passed();
  CHECK_FALSE(are_passes_overdrawn());
}

TEST_CASE("a forked child counts from nothing and has no pass", "[free_pass]") {
  begin_term(a_second_from_now_ns());
  OpenFile file{};
  give_pass(file, pass_term());
  note_passed(1);
  forget_passes();
  CHECK_FALSE(has_pass(file, 1));
  CHECK(take_passed().calls == 0);
}
