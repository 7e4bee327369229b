// SPDX-License-Identifier: MIT
// markers_test: the table of marked pages remembers pages, forgets a page on request, and forgets only few pages when it is full.
#include "tools/discnice/predictor/markers.hpp"

#include <memory>

#include "tests/support/catch.hpp"

using discnice::FileId;
using discnice::predictor::Markers;

TEST_CASE("a marked page is found in its own file alone, until it is removed", "[markers]") {
  const auto markers = std::make_unique<Markers>();
  const FileId file{1, 2};
  CHECK_FALSE(markers->has(file, 0));
  markers->add(file, 0);
  markers->add(file, 0);
  CHECK(markers->has(file, 0));
  CHECK_FALSE(markers->has(file, 1));
  CHECK_FALSE(markers->has({1, 3}, 0));
  CHECK_FALSE(markers->has({2, 2}, 0));
  markers->remove(file, 1);
  CHECK(markers->has(file, 0));
  markers->remove(file, 0);
  CHECK_FALSE(markers->has(file, 0));
}

TEST_CASE("thousands of marked pages are remembered, and a full table keeps the newest", "[markers]") {
  const auto markers = std::make_unique<Markers>();
  const FileId file{7, 9};
  constexpr std::uint64_t kPages = 4000;
  for (std::uint64_t page = 0; page < kPages; ++page) markers->add(file, page * 3);
  std::uint64_t found = 0;
  for (std::uint64_t page = 0; page < kPages; ++page) {
    if (markers->has(file, page * 3)) ++found;
  }
  CHECK(found > kPages * 99 / 100);
  for (std::uint64_t page = 0; page < 100'000; ++page) markers->add(file, 1'000'000 + page);
  CHECK(markers->has(file, 1'000'000 + 99'999));
}
