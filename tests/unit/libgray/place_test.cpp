// SPDX-License-Identifier: MIT
// place_test: the places of files are found, and are totally ordered.
//
// How: the properties of an order are checked over all triples of a set with every kind of
// difference. A place is found on the simulated host. Left out: the addresses of real file systems
// (tests/system/gbp_order_test.sh).
#include "tests/support/catch.hpp"

#include <cerrno>
#include <vector>

#include "libgray/src/layout/place.hpp"
#include "tests/unit/libgray/simulated_os.hpp"

namespace simulated = gray::os::simulated;
using gray::layout::compare;
using gray::layout::find_place;
using gray::layout::Order;
using gray::layout::Place;

namespace {

int sign(int number) {
  return (number > 0) - (number < 0);
}

std::vector<Place> all_kinds() {
  const std::uint64_t highest = ~std::uint64_t{0};
  std::vector<Place> places;
  for (const std::uint64_t device : {std::uint64_t{0}, std::uint64_t{1}, highest})
    for (const std::uint64_t inode : {std::uint64_t{0}, std::uint64_t{7}, highest}) {
      places.push_back({device, inode, std::nullopt});
      for (const std::uint64_t extent : {std::uint64_t{0}, std::uint64_t{4096}, highest})
        places.push_back({device, inode, extent});
    }
  return places;
}

}  // namespace

TEST_CASE("the order of places is total: antisymmetric, transitive, and only the same place is equal") {
  const std::vector<Place> places = all_kinds();
  for (std::size_t i = 0; i < places.size(); ++i)
    for (std::size_t j = 0; j < places.size(); ++j) {
      const int ij = sign(compare(places[i], places[j]));
      REQUIRE(ij == -sign(compare(places[j], places[i])));
      REQUIRE((ij == 0) == (i == j));
      for (const Place& third : places)
        if (ij < 0 && compare(places[j], third) < 0) REQUIRE(compare(places[i], third) < 0);
    }
}

TEST_CASE(
    "the device comes first, then a known address before an unknown, then the address, then the i-number") {
  CHECK(compare({1, 9, 9000}, {2, 1, 1}) < 0);
  CHECK(compare({1, 9, 9000}, {1, 1, std::nullopt}) < 0);
  CHECK(compare({1, 9, 4096}, {1, 1, 8192}) < 0);
  CHECK(compare({1, 1, std::nullopt}, {1, 2, std::nullopt}) < 0);
  CHECK(compare({1, 1, 4096}, {1, 2, 4096}) < 0);
}

TEST_CASE("a place holds the address where the host tells it, the i-number always") {
  simulated::reset();
  simulated::add_file("placed", 10, 0).first_extent_bytes = 12288;
  simulated::add_file("unwritten", 10, 0);
  simulated::add_file("secret", 10, 0).open_error = -EACCES;
  simulated::add_file("fifo", 0, 0).is_regular = false;
  CHECK(find_place("placed").value().first_extent_bytes == std::optional<std::uint64_t>(12288));
  CHECK_FALSE(find_place("unwritten").value().first_extent_bytes.has_value());
  CHECK(find_place("secret").value().inode == simulated::host().files["secret"].inode);
  CHECK_FALSE(find_place("fifo").value().first_extent_bytes.has_value());
  CHECK(find_place("none").error() == -ENOENT);
  CHECK(simulated::host().open_files.empty());
  CHECK(simulated::host().opens == 2);
  CHECK(simulated::host().reads == 0);
}

TEST_CASE("the order may also be that of i-numbers or of times, and none is no order") {
  const Place first{1, 9, 5, 100};
  const Place second{1, 2, 7, 50};
  CHECK(compare(first, second, Order::extent) < 0);
  CHECK(compare(first, second, Order::inode) > 0);
  CHECK(compare(first, second, Order::mtime) > 0);
  CHECK(compare(first, second, Order::none) == 0);
  CHECK(compare({1, 9, 5, 0}, {2, 2, 7, 0}, Order::inode) < 0);
}

TEST_CASE("an order is advised where places mean something and seeks are dear") {
  simulated::reset();
  simulated::add_file("file", 1, 0);
  const auto advice = [](double ratio) { return gray::layout::advise("file", ratio).value(); };
  CHECK(advice(300) == Order::extent);
  CHECK(advice(40) == Order::none);
  CHECK(advice(0) == Order::extent);
  simulated::host().is_rotational = false;
  CHECK(advice(0) == Order::none);
  CHECK(advice(300) == Order::extent);  // a measured time counts more than the kernel's answer
  simulated::host().is_rotational = std::nullopt;
  CHECK(advice(0) == Order::extent);
  for (const std::uint64_t kind : {0x6969U, 0x01021994U, 0x65735546U, 0x794c7630U, 0x9123683eU}) {
    simulated::host().file_system_kind = kind;
    CHECK(advice(300) == Order::none);
  }
}
