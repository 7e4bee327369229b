// SPDX-License-Identifier: MIT
// fixed_table_test: a full table refuses or evicts, and never loses anything without saying so.
//
// How: a long seeded run of operations beside std::unordered_map, and small tables in which every key is a
// rival. Leaves out: speed.
#include "toolbox/base/fixed_table.hpp"

#include <random>
#include <unordered_map>

#include "tests/support/catch.hpp"

using namespace gray::base;

namespace {

// As many slots as probes: all keys are rivals, and the table holds exactly its capacity.
using Rivals = FixedTable<int, 4, 4>;

Rivals full_of(int first) {
  Rivals table;
  for (int key = first; key < first + 4; ++key) *table.insert(static_cast<std::uint64_t>(key)) = 10 * key;
  return table;
}

}  // namespace

TEST_CASE("an inserted key is found with its value, another is not", "[fixed_table]") {
  FixedTable<int, 64> table;
  CHECK(table.find(5) == nullptr);
  *table.insert(5) = 50;
  *table.insert(0) = 7;
  CHECK(*table.find(5) == 50);
  CHECK(*table.find(0) == 7);
  CHECK(table.find(6) == nullptr);
  CHECK(table.use(6) == nullptr);
  CHECK(table.size() == 2);
}

TEST_CASE("inserting a key again gives its value back", "[fixed_table]") {
  Rivals table = full_of(1);
  CHECK(*table.insert(3) == 30);
  CHECK(table.size() == 4);
}

TEST_CASE("a key whose slots are all taken is refused", "[fixed_table]") {
  Rivals table = full_of(1);
  CHECK(table.insert(9) == nullptr);
  CHECK(table.find(9) == nullptr);
  CHECK(table.size() == Rivals::capacity());
}

TEST_CASE("an erased key makes room and leaves nothing behind", "[fixed_table]") {
  Rivals table = full_of(1);
  CHECK(table.erase(2));
  CHECK_FALSE(table.erase(2));
  CHECK(table.find(2) == nullptr);
  CHECK(table.size() == 3);
  CHECK(*table.insert(9) == 0);
  CHECK(*table.find(1) == 10);
  CHECK(*table.find(4) == 40);
}

TEST_CASE("eviction throws out the oldest and hands it over", "[fixed_table]") {
  Rivals table = full_of(1);
  Rivals::Entry evicted;
  CHECK(*table.insert_evicting(9, &evicted) == 0);
  CHECK(evicted.is_present);
  CHECK(evicted.key == 1);
  CHECK(evicted.value == 10);
  CHECK(table.find(1) == nullptr);
  CHECK(table.size() == 4);
}

TEST_CASE("a used key is the youngest, a found one is as old as before", "[fixed_table]") {
  Rivals table = full_of(1);
  table.use(1);
  CHECK(*table.find(2) == 20);
  Rivals::Entry evicted;
  table.insert_evicting(9, &evicted);
  CHECK(evicted.key == 2);
}

TEST_CASE("nothing is evicted while there is room or the key is there", "[fixed_table]") {
  Rivals table;
  Rivals::Entry evicted{1, 1, true};
  table.insert_evicting(9, &evicted);
  CHECK_FALSE(evicted.is_present);
  table = full_of(1);
  CHECK(*table.insert_evicting(4, &evicted) == 40);
  CHECK_FALSE(evicted.is_present);
  table.insert_evicting(8, nullptr);
  CHECK(table.find(1) == nullptr);
}

TEST_CASE("every entry is visited once, and none after clear", "[fixed_table]") {
  Rivals table = full_of(1);
  int sum = 0;
  const auto add = [&sum](std::uint64_t key, int value) { sum += static_cast<int>(key) + value; };
  table.for_each(add);
  CHECK(sum == 110);
  table.clear();
  table.for_each(add);
  CHECK(sum == 110);
  CHECK(table.size() == 0);
}

TEST_CASE("runs of keys fill most of the table before one is refused", "[fixed_table]") {
  const int shift = GENERATE(0, 12, 32, 40);
  INFO("keys are multiples of 2^" << shift);
  FixedTable<int, 1024> table;
  std::uint64_t key = 0;
  while (table.insert(key << shift) != nullptr) ++key;
  CHECK(key >= 512);
}

TEST_CASE("a long run of operations agrees with a map of the library", "[fixed_table]") {
  using Table = FixedTable<std::uint64_t, 64>;
  Table table;
  std::unordered_map<std::uint64_t, std::uint64_t> reference;
  std::mt19937_64 random(3);
  for (int step = 0; step < 50'000; ++step) {
    const std::uint64_t key = random() % 200;
    if (random() % 4 == 0) {
      REQUIRE(table.erase(key) == (reference.erase(key) == 1));
    } else {
      Table::Entry evicted;
      *table.insert_evicting(key, &evicted) = random();
      if (evicted.is_present) {
        REQUIRE(reference.at(evicted.key) == evicted.value);
        reference.erase(evicted.key);
      }
      reference[key] = *table.find(key);
    }
    REQUIRE(table.size() == reference.size());
  }
  for (const auto& [key, value] : reference) CHECK(*table.find(key) == value);
}
