// SPDX-License-Identifier: MIT
// allowance_test: situations are put in, and the limits, pauses and the report are checked. Left out: real memory (system/memnice).
#include <nlohmann/json.hpp>

#include "tests/support/catch.hpp"
#include "tools/memnice/allowance.hpp"
#include "tools/memnice/report.hpp"

namespace {

using memnice::Allowance;
using memnice::Decision;

constexpr std::uint64_t kMiB = 1U << 20U;
constexpr std::uint64_t kS = 1'000'000'000;
constexpr std::int64_t kUntold = INT64_MAX;

// Runs equal steps of a tenth of a second.
class Course {
 public:
  explicit Course(bool can_be_held = true) : allowance_(wishes(can_be_held)) {}
  Decision after(double seconds, std::uint64_t job_mib, std::int64_t room_mib, std::uint64_t needs_mib = 0,
                 bool others_wait = false) {
    Decision decision;
    for (int i = 0; i < static_cast<int>(seconds * 10); ++i) {
      now_ns_ += kS / 10;
      const std::int64_t room_bytes = room_mib == kUntold ? kUntold : room_mib * std::int64_t{kMiB};
      decision = allowance_.step({now_ns_, job_mib * kMiB, needs_mib * kMiB, room_bytes, others_wait});
    }
    return decision;
  }

 private:
  static memnice::Wishes wishes(bool can_be_held) {
    memnice::Wishes made;
    made.least_bytes = 16 * kMiB;
    made.can_be_held = can_be_held;
    return made;
  }
  Allowance allowance_;
  std::uint64_t now_ns_ = kS;
};

}  // namespace

TEST_CASE("with room the job may have all of it, and no more") {
  Course course;
  const Decision decision = course.after(1, 300, 200);
  CHECK(decision.limit_bytes == 500 * kMiB);
  CHECK_FALSE(decision.is_squeezed);
  CHECK_FALSE(decision.is_paused);
}

TEST_CASE("where nothing tells the room there is no limit") {
  CHECK(Course().after(1, 300, kUntold).limit_bytes == memnice::kUnlimited);
}

TEST_CASE("what lacks is taken from the job") {
  Course course;
  const Decision decision = course.after(0.1, 300, -50);
  CHECK(decision.limit_bytes == 250 * kMiB);
  CHECK(decision.is_squeezed);
}

TEST_CASE("what it does not work with goes at once, although less lacks") {
  CHECK(Course().after(0.1, 400, -10, 100).limit_bytes == 125 * kMiB);
}

TEST_CASE("it is never held to less than the least") {
  CHECK(Course().after(5, 100, -400, 90).limit_bytes == 16 * kMiB);
}

TEST_CASE("others who wait make it yield although the accounts show room") {
  Course course;
  course.after(0.1, 400, 100);
  const Decision decision = course.after(0.1, 400, 100, 0, true);
  CHECK(decision.limit_bytes == 350 * kMiB);
  CHECK(decision.is_squeezed);
}

TEST_CASE("given back is half of the room at a time, each after five calm seconds, until it wants no more") {
  Course course;
  course.after(0.1, 300, -100);
  CHECK(course.after(4, 200, 100).limit_bytes == 200 * kMiB);
  Decision decision = course.after(2, 200, 100);
  CHECK(decision.limit_bytes == 250 * kMiB);
  CHECK(decision.is_squeezed);
  CHECK(course.after(5, 250, 50).limit_bytes == 275 * kMiB);
  decision = course.after(5, 240, 60);
  CHECK(decision.limit_bytes == 300 * kMiB);
  CHECK_FALSE(decision.is_squeezed);
}

TEST_CASE("calm that is interrupted begins anew") {
  Course course;
  course.after(0.1, 300, -100);
  course.after(4, 200, 100);
  course.after(0.1, 200, -1);
  CHECK(course.after(4, 199, 100).is_squeezed);
}

TEST_CASE(
    "it stands still where others wait although it has less than it works with, and for longer each time") {
  Course course;
  CHECK_FALSE(course.after(1.5, 100, -50, 90, true).is_paused);
  CHECK(course.after(1, 40, -50, 90, true).is_paused);
  CHECK_FALSE(course.after(2, 40, -50, 90, true).is_paused);
  CHECK(course.after(2.2, 40, -50, 90, true).is_paused);
  CHECK(course.after(3, 40, -50, 90, true).is_paused);
}

TEST_CASE("it does not stand still where nobody waits, or where it has what it works with") {
  CHECK_FALSE(Course().after(20, 40, -50, 90).is_paused);
  CHECK_FALSE(Course().after(1, 400, 50, 10, true).is_paused);
}

TEST_CASE("one that cannot be held stands still as soon as others wait") {
  CHECK(Course(false).after(2.5, 400, 50, 10, true).is_paused);
}

TEST_CASE("the report says what happened, and that there was room") {
  memnice::Course course;
  course.most_bytes = 100 * kMiB;
  CHECK(memnice::line_of(course, "x", kS) == "1.00 s; it had 100 MiB at most; there was room all the time");
  CHECK(memnice::line_of({}, "x", kS) == "1.00 s; it was too short to be seen");
  course.needs_bytes = 50 * kMiB;
  course.held_ns = 2 * kS;
  course.least_bytes = 60 * kMiB;
  course.pauses = 2;
  course.paused_ns = 4 * kS;
  CHECK(memnice::line_of(course, "x", 9 * kS) ==
        "9.00 s; it had 100 MiB at most and works with 50.0 MiB; held for 2.00 s, to 60.0 MiB at least, by "
        "x; stood still 2 times, 4.00 s");
  const auto json = nlohmann::json::parse(memnice::json_of(course, "x\n", 9 * kS));
  CHECK(json["least_limit_bytes"] == 60 * kMiB);
  CHECK(json["means"] == "x\\n");
  CHECK(nlohmann::json::parse(memnice::json_of({}, "", 0))["needs_bytes"].is_null());
}
