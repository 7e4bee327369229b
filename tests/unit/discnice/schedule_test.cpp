// SPDX-License-Identifier: MIT
// schedule_test: which limit is in force at which time.
//
// How: texts are read, and the entries at chosen minutes of the week are compared. Left out: the time of day itself, which the launcher asks the system for.
#include "tools/discnice/policy/schedule.hpp"

#include <string>

#include "tests/support/catch.hpp"
#include "tools/discnice/policy/registry.hpp"

using namespace discnice;
using namespace discnice::policy;

namespace {

enum Day : unsigned { kMonday, kTuesday, kWednesday, kThursday, kFriday, kSaturday, kSunday };

Schedule parse(const std::string& text) {
  return parse_schedule(text.data(), text.size());
}

unsigned at(unsigned hour, unsigned minute = 0) {
  return hour * 60 + minute;
}

// Returns "2097152", "nice", "pause" or "-".
std::string holds(const Schedule& schedule, Day day, unsigned minute) {
  const ScheduleEntry* entry = active_entry(schedule, day, minute);
  if (entry == nullptr) return "-";
  if (entry->is_pause) return "pause";
  if (entry->rate_bytes_per_s != 0) return std::to_string(entry->rate_bytes_per_s);
  return policy_by_id(entry->policy_id).name;
}

}  // namespace

TEST_CASE("office hours have a rate and the rest of the week a policy", "[schedule]") {
  const Schedule schedule = parse("Mon-Fri 09:00-18:00 2M, else nice");
  REQUIRE(schedule.problem == nullptr);
  CHECK(holds(schedule, kMonday, at(9)) == "2097152");
  CHECK(holds(schedule, kFriday, at(17, 59)) == "2097152");
  CHECK(holds(schedule, kFriday, at(18)) == "nice");
  CHECK(holds(schedule, kMonday, at(8, 59)) == "nice");
  CHECK(holds(schedule, kSunday, at(12)) == "nice");
}

TEST_CASE("a range of hours may pass midnight and belongs to the day it began on", "[schedule]") {
  const Schedule schedule = parse("Fri 22:00-06:00 pause, Sat-Mon idle");
  REQUIRE(schedule.problem == nullptr);
  CHECK(holds(schedule, kFriday, at(23)) == "pause");
  CHECK(holds(schedule, kSaturday, at(5, 59)) == "pause");
  CHECK(holds(schedule, kSaturday, at(6)) == "idle");
  CHECK(holds(schedule, kFriday, at(5)) == "-");
  CHECK(holds(schedule, kMonday, at(0)) == "idle");
  CHECK(holds(schedule, kTuesday, at(0)) == "-");
}

TEST_CASE("hours alone hold every day, and the whole day is 00:00-24:00", "[schedule]") {
  const Schedule schedule = parse("00:00-24:00 1MB");
  REQUIRE(schedule.problem == nullptr);
  CHECK(holds(schedule, kWednesday, at(23, 59)) == "1000000");
}

TEST_CASE("a schedule that cannot be read says where", "[schedule]") {
  for (const std::string text : {"", "nice", "Mon", "Mon-Fri 9:00-18:00 2M", "Mon 09:00-25:00 2M",
                                 "Mon 09:00-09:00 2M", "Mon rate", "Mon share", "Mon 2M 3M", "Foo 2M", "else",
                                 "Mon-Fri 2M, else", "Mon 2M,, else nice", "Mon-Fri 09:00-18:60 nice"}) {
    INFO("'" << text << "'");
    const Schedule schedule = parse(text);
    CHECK(schedule.problem != nullptr);
    CHECK(schedule.problem_position <= text.size());
  }
  std::string many = "Mon nice";
  for (unsigned i = 0; i < kScheduleEntriesMax; ++i) many += ",Mon nice";
  CHECK(parse(many).problem != nullptr);
}

TEST_CASE("hours that are none are what is named", "[schedule]") {
  for (const std::string text : {"Mon 25:00-26:00 2M", "9:00-18:00 2M", "Mon 09:00-09:00 2M", "Mon 09:00 2M",
                                 "09:00-10:00 11:00-12:00 2M"}) {
    INFO("'" << text << "'");
    REQUIRE(parse(text).problem != nullptr);
    CHECK(std::string(parse(text).problem).starts_with("hours"));
  }
  CHECK_FALSE(std::string(parse("Mon rate").problem).starts_with("hours"));
}

TEST_CASE("an entry takes the place of policy, rate and pause and leaves the rest", "[schedule]") {
  Grant grant;
  grant.weight = 7;
  const Schedule schedule = parse("Mon pause, Tue 5MB");
  const Grant paused = scheduled(grant, active_entry(schedule, kMonday, 0));
  CHECK((paused.flags & kPaused) != 0);
  const Grant limited = scheduled(paused, active_entry(schedule, kTuesday, 0));
  CHECK(limited.flags == 0);
  CHECK(limited.rate_bytes_per_s == 5'000'000);
  CHECK(limited.weight == 7);
}

TEST_CASE("what was given holds at times that the schedule does not speak of", "[schedule]") {
  Grant grant;
  grant.policy_id = kRateWindowId;
  grant.rate_bytes_per_s = 5'000'000;
  const Schedule schedule = parse("Sun 2MB");
  CHECK(scheduled(grant, active_entry(schedule, kSunday, 0)).rate_bytes_per_s == 2'000'000);
  const Grant outside = scheduled(grant, active_entry(schedule, kTuesday, 0));
  CHECK(outside.policy_id == kRateWindowId);
  CHECK(outside.rate_bytes_per_s == 5'000'000);
}

TEST_CASE("an entry may hold the network, too, and else leaves that as it was", "[schedule]") {
  Grant grant;
  set_net_limits(grant, {true, 0, 0});
  const Schedule schedule =
      parse("Mon 2MB net 500KB, Tue nice net up=1MB down=2MB nice , Wed pause net off, else idle");
  REQUIRE(schedule.problem == nullptr);
  const auto net_on = [&](Day day) {
    return net_limits_of(scheduled(grant, active_entry(schedule, day, 0)));
  };
  CHECK(net_on(kMonday) == NetLimits{false, 500'000, 500'000});
  CHECK(net_on(kTuesday) == NetLimits{true, 1'000'000, 2'000'000});
  CHECK(net_on(kWednesday) == NetLimits{});
  CHECK(net_on(kThursday) == NetLimits{true, 0, 0});
  CHECK(holds(schedule, kMonday, 0) == "2000000");
  CHECK(holds(schedule, kTuesday, 0) == "nice");
  CHECK(holds(schedule, kWednesday, 0) == "pause");
}

TEST_CASE("what holds the network is said behind the disk's, and once", "[schedule]") {
  for (const std::string text :
       {"Mon net 1M", "Mon nice net", "Mon nice net fast", "Mon nice net 5", "Mon nice net nice net off",
        "Mon nice network 1M", "Mon nice net up=1M,down=2M"}) {
    INFO("'" << text << "'");
    CHECK(parse(text).problem != nullptr);
  }
}
