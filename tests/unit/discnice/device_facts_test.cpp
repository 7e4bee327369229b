// SPDX-License-Identifier: MIT
// device_facts_test: members of a job tell each other facts about devices: how long a fact is valid, how many facts can be stored, and that damaged facts are
// not believed.
#include "tools/discnice/protocol/device_facts.hpp"

#include <memory>

#include "tests/support/catch.hpp"

using namespace discnice::protocol;

namespace {

constexpr std::uint64_t kNowNs = 1'000'000'000'000;

struct Fixture {
  std::unique_ptr<Segment> segment = std::make_unique<Segment>();
  DeviceFacts facts;

  bool load(std::uint64_t number, std::uint64_t now_ns) {
    return load_device_facts(*segment, number, now_ns, &facts);
  }
};

}  // namespace

TEST_CASE_METHOD(Fixture, "facts are found under their device's number until they are old",
                 "[device_facts]") {
  CHECK_FALSE(load(7, kNowNs));
  store_device_facts(*segment, 7, kNowNs, {2048, 1024, 11, 9});
  store_device_facts(*segment, 0, kNowNs, {32, 16});
  REQUIRE(load(7, kNowNs));
  CHECK(facts.window_pages == 2048);
  CHECK(facts.request_pages == 1024);
  CHECK(facts.folio_order == 11);
  CHECK(facts.disk == 9);
  REQUIRE(load(0, kNowNs));
  CHECK(facts.window_pages == 32);
  CHECK(facts.disk == 0);
  CHECK_FALSE(load(8, kNowNs));
  CHECK(load(7, kNowNs + kFactsMaxNs));
  CHECK_FALSE(load(7, kNowNs + kFactsMaxNs + 1));
  CHECK_FALSE(load(7, kNowNs - 1));  // an instant in the future means damaged shared memory

  store_device_facts(*segment, 7, kNowNs + 2 * kFactsMaxNs, {32, 32});
  REQUIRE(load(7, kNowNs + 2 * kFactsMaxNs));
  CHECK(facts.window_pages == 32);
  CHECK(facts.disk == 0);  // the disk must be found anew as well
}

TEST_CASE_METHOD(Fixture, "the disk is told once it is known, of a known device alone", "[device_facts]") {
  store_device_disk(*segment, 7, 9);
  CHECK_FALSE(load(7, kNowNs));
  store_device_facts(*segment, 7, kNowNs, {32, 32});
  store_device_disk(*segment, 7, 9);
  REQUIRE(load(7, kNowNs));
  CHECK(facts.disk == 9);
}

TEST_CASE_METHOD(Fixture, "a device beyond the room there is, and lengths no device has, are nobody's facts",
                 "[device_facts]") {
  for (std::uint64_t number = 1; number <= kKnownDevicesMax + 1; ++number)
    store_device_facts(*segment, number, kNowNs, {32, 32});
  CHECK(load(kKnownDevicesMax, kNowNs));
  CHECK_FALSE(load(kKnownDevicesMax + 1, kNowNs));

  store_device_facts(*segment, 1, kNowNs, {kFactPagesMost + 1, 32});
  REQUIRE(load(1, kNowNs));
  CHECK(facts.window_pages == 32);
  for (KnownDevice& known : segment->devices) known.limits.store(UINT64_MAX);
  CHECK_FALSE(load(1, kNowNs));
}
