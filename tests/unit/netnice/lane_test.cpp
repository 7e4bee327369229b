// SPDX-License-Identifier: MIT
// lane_test: calls that share a lane keep to its rate, a small request after a pause does not wait, and no words of the lane hold a call for longer than a second.
//
// Time is a number here. The shared page is real memory, in this process. Left out: calls of real programs (system/netnice_udp).
#include <cerrno>
#include <cstdint>
#include <limits>
#include <string>

#include <sys/shm.h>

#include "tests/support/catch.hpp"
#include "tools/netnice/gate/lane.hpp"
#include "tools/netnice/gate/page.hpp"

namespace {

using netnice::gate::book;
using netnice::gate::charge;
using netnice::gate::free_at_ns;
using netnice::gate::is_held;
using netnice::gate::kBeatMostNs;
using netnice::gate::kWaitMostNs;
using netnice::gate::Lane;
using netnice::gate::Name;
using netnice::gate::Page;
using netnice::gate::settle;

constexpr std::uint64_t kStartNs = 5'000'000'000'000;
constexpr std::uint64_t kSecondNs = 1'000'000'000;
constexpr std::uint64_t kRate = 1'000'000;
constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

void set_rate(Lane& lane, std::uint64_t rate) {
  lane.rate_bytes_per_s.store(rate);
}

}  // namespace

TEST_CASE("senders that wait for their turns move as much as the rate allows", "[lane]") {
  constexpr std::uint64_t kBytes = 1200;
  for (const std::uint64_t late_ns : {0U, 300'000U}) {  // sleeps end late
    Lane lane{};
    set_rate(lane, kRate);
    std::uint64_t now_ns = kStartNs;
    std::uint64_t moved = 0;
    while (now_ns < kStartNs + 10 * kSecondNs) {
      const auto turn = book(lane, kBytes, now_ns);
      if (turn.at_ns > now_ns) now_ns = turn.at_ns + late_ns;
      settle(lane, turn, kBytes, kBytes);
      moved += kBytes;
    }
    CHECK(static_cast<double>(moved) == Approx(10.0 * kRate).epsilon(0.01));
    CHECK(lane.moved_bytes.load() == moved);
  }
}

TEST_CASE("a request after a pause goes at once, at any rate", "[lane]") {
  for (const std::uint64_t rate :
       {std::uint64_t{1}, std::uint64_t{2000}, kRate, std::uint64_t{10'000'000'000}}) {
    Lane lane{};
    set_rate(lane, rate);
    for (int i = 0; i < 3; ++i) {
      const std::uint64_t now_ns = kStartNs + static_cast<std::uint64_t>(i) * 5000 * kSecondNs;
      CHECK(book(lane, 100, now_ns).at_ns <= now_ns);
    }
  }
}

TEST_CASE("what was booked and did not move is given back", "[lane]") {
  Lane lane{};
  set_rate(lane, kRate);
  book(lane, 100'000, kStartNs);
  const std::uint64_t paid = lane.paid_ns.load();
  settle(lane, book(lane, 1000, kStartNs), 1000, 0);
  CHECK(lane.paid_ns.load() == paid);
  settle(lane, book(lane, 1000, kStartNs), 1000, 500);
  CHECK(lane.paid_ns.load() == paid + 500 * kSecondNs / kRate);
  CHECK(lane.moved_bytes.load() == 500);
}

TEST_CASE("what was received is paid for before more is taken", "[lane]") {
  Lane lane{};
  set_rate(lane, kRate);
  CHECK(free_at_ns(lane, kStartNs) == kStartNs);
  charge(lane, 200'000, kStartNs);
  CHECK(free_at_ns(lane, kStartNs) > kStartNs + kSecondNs / 10);
  CHECK(free_at_ns(lane, kStartNs) <= kStartNs + kSecondNs / 5);
  set_rate(lane, 0);
  CHECK(free_at_ns(lane, kStartNs) == kStartNs);
  CHECK(book(lane, 1, kStartNs).at_ns == kStartNs);
}

TEST_CASE("forged words hold no call for longer than a second", "[lane]") {
  for (const std::uint64_t rate : {std::uint64_t{1}, std::uint64_t{7}, kRate, kMost})
    for (const std::uint64_t paid :
         {std::uint64_t{0}, std::uint64_t{1}, kStartNs, kStartNs * 2, kMost / 2, kMost})
      for (const std::uint64_t bytes : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{65536}, kMost})
        for (const std::uint64_t now_ns : {std::uint64_t{0}, std::uint64_t{5}, kStartNs}) {
          Lane lane{};
          set_rate(lane, rate);
          lane.paid_ns.store(paid);
          CHECK(free_at_ns(lane, now_ns) <= now_ns + kWaitMostNs);
          CHECK(book(lane, bytes, now_ns).at_ns <= now_ns + kWaitMostNs);
          charge(lane, bytes, now_ns);
          CHECK(free_at_ns(lane, now_ns) <= now_ns + kWaitMostNs);
        }
}

TEST_CASE("a page is found by its name and its token, and by nothing else", "[lane]") {
  Name name;
  const auto made = netnice::gate::make(42, &name);
  if (!made) return;  // no System V memory here
  CHECK(made.value()->token == 42);
  Name read;
  REQUIRE(netnice::gate::read_name((std::to_string(name.id) + "-42").c_str(), &read));
  CHECK(read.id == name.id);
  const auto again = netnice::gate::attach(read);
  REQUIRE(again.is_ok());
  made.value()->up.rate_bytes_per_s.store(7);
  CHECK(again.value()->up.rate_bytes_per_s.load() == 7);
  shmdt(again.value());
  read.token = 43;
  CHECK(netnice::gate::attach(read).error() == -EPROTO);
  shmdt(made.value());
  CHECK(netnice::gate::attach(name).error() != 0);  // it went with its last user
  const int open_to_all = shmget(IPC_PRIVATE, sizeof(Page), IPC_CREAT | 0666);
  CHECK(netnice::gate::attach({open_to_all, 0}).error() == -EPERM);
  shmctl(open_to_all, IPC_RMID, nullptr);
  const int small = shmget(IPC_PRIVATE, 8, IPC_CREAT | 0600);
  CHECK(netnice::gate::attach({small, 0}).error() == -EPROTO);
  shmctl(small, IPC_RMID, nullptr);
}

TEST_CASE("a name that is none is refused", "[lane]") {
  Name name;
  for (const char* text : {"", "-", "1", "1-", "-1", "01-1", "1-01", "1-1 ", "x-1", "1-x", "2147483648-1",
                           "1-18446744073709551616", "99999999999999999999-1"})
    CHECK_FALSE(netnice::gate::read_name(text, &name));
  REQUIRE(netnice::gate::read_name("0-18446744073709551615", &name));
  CHECK(name.id == 0);
  CHECK(name.token == kMost);
}

TEST_CASE("without a beat nothing is held", "[lane]") {
  Page page{};
  page.up.rate_bytes_per_s.store(kRate);
  page.beat_ns.store(kStartNs);
  CHECK(is_held(page, page.up, kStartNs));
  CHECK(is_held(page, page.up, kStartNs - 1));
  CHECK_FALSE(is_held(page, page.down, kStartNs));
  CHECK_FALSE(is_held(page, page.up, kStartNs + kBeatMostNs));
  for (const std::uint64_t beat : {std::uint64_t{0}, kStartNs * 2, kMost}) {
    page.beat_ns.store(beat);
    CHECK_FALSE(is_held(page, page.up, kStartNs));
  }
}
