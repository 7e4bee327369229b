// SPDX-License-Identifier: MIT
// left_writes_test: a job's processes ask the launcher to send the unsent data of small files to the disk.
//
// How: one thread asks, and another thread waits on the same memory. Left out: the sending itself (system/discnice_giving_way).
#include "tools/discnice/protocol/left_writes.hpp"

#include <memory>
#include <thread>

#include "tests/support/catch.hpp"
#include "toolbox/base/clock.hpp"

using namespace discnice::protocol;

namespace {

constexpr std::uint64_t kSecondNs = 1'000'000'000;
constexpr unsigned kLongMs = 60'000;

struct Fixture {
  std::unique_ptr<Segment> segment = std::make_unique<Segment>();
};

}  // namespace

TEST_CASE_METHOD(Fixture, "what was asked before the launcher waits is heard, and once", "[left_writes]") {
  CHECK_FALSE(is_left_asked(*segment));
  ask_to_send_left(*segment, 27);
  ask_to_send_left(*segment, 28);
  CHECK(is_left_asked(*segment));
  CHECK(wait_for_left(*segment, left_asked(*segment), kLongMs) == 28);
  CHECK(is_left_asked(*segment));
  begin_sending_left(*segment, segment->disks[1], 1000 * kSecondNs);
  CHECK_FALSE(is_left_asked(*segment));
  CHECK(is_sending_left(*segment, segment->disks[1], 1000 * kSecondNs));
  CHECK_FALSE(is_sending_left(*segment, segment->disks[0], 1000 * kSecondNs));
  end_sending_left(*segment);
  CHECK_FALSE(is_sending_left(*segment, segment->disks[1], 1000 * kSecondNs));
  CHECK(wait_for_left(*segment, left_asked(*segment), 1) == 0);
}

TEST_CASE_METHOD(Fixture, "a launcher that waits is woken by who asks, and by who ends it", "[left_writes]") {
  const std::uint64_t start_ns = gray::base::monotonic_ns();
  std::uint32_t asked = left_asked(*segment);
  std::uint64_t heard = 0;
  std::thread launcher([&] { heard = wait_for_left(*segment, asked, kLongMs); });
  ask_to_send_left(*segment, 5);
  launcher.join();
  CHECK(heard == 6);
  refuse_left(*segment);
  // The waiter is woken between its check and its wait.
  asked = left_asked(*segment);
  wake_left_sender(*segment);
  CHECK(wait_for_left(*segment, asked, kLongMs) == 0);
  CHECK(gray::base::monotonic_ns() - start_ns < kLongMs / 2 * 1'000'000ULL);
}

TEST_CASE_METHOD(Fixture, "only a launcher that says so sends, and not for longer than can be",
                 "[left_writes]") {
  CHECK_FALSE(has_left_sender(*segment));
  set_left_sender(*segment, true);
  CHECK(has_left_sender(*segment));
  segment->sends_left = 0xffffffff;
  CHECK_FALSE(has_left_sender(*segment));

  constexpr std::uint64_t kNowNs = 1000 * kSecondNs;
  const Disk& disk = segment->disks[0];
  CHECK_FALSE(is_sending_left(*segment, disk, kNowNs));
  segment->sending_left = kNowNs - kSecondNs / 2;
  CHECK(is_sending_left(*segment, disk, kNowNs));
  CHECK_FALSE(is_sending_left(*segment, disk, kNowNs - kSecondNs / 2 + kSendingLeftMaxNs));
  segment->sending_left = kNowNs + 1;
  CHECK_FALSE(is_sending_left(*segment, disk, kNowNs));
}
