// SPDX-License-Identifier: MIT
// working_set_test: how the kernel's sums are read, when they count as doubtful, and where a curve bends. Left out: real processes (unit/api,
// system/working_set).
#include "libgray/src/workingset/knee.hpp"
#include "libgray/src/workingset/look.hpp"
#include "tests/support/catch.hpp"
#include "toolbox/base/units.hpp"

namespace ws = gray::workingset;
using gray::base::kMiB;

namespace {

constexpr char kText[] =
    "55d0c0a00000-7ffd1c5f2000 ---p 00000000 00:00 0                          [rollup]\n"
    "Rss:                2048 kB\nPss:                1024 kB\nPss_Dirty:            10 kB\nReferenced:      "
    "    512 kB\n"
    "AnonHugePages:       256 kB\nShmemPmdMapped:        0 kB\nFilePmdMapped:       128 kB\nPrivate_Hugetlb: "
    "      4 kB\nSwap:                 16 kB\nSwapPss:               8 kB\n";

ws::MemorySums sums(std::uint64_t resident_bytes, std::uint64_t marked_bytes) {
  ws::MemorySums made;
  made.resident_bytes = resident_bytes;
  made.marked_bytes = marked_bytes;
  return made;
}

// A curve at the times at which gb-wss looks.
std::vector<ws::CurvePoint> curve_of(double (*bytes)(double)) {
  std::vector<ws::CurvePoint> curve;
  for (const double t : {0.078, 0.156, 0.312, 0.625, 1.25, 2.5, 5.0, 10.0})
    curve.push_back({static_cast<std::uint64_t>(t * 1e9), static_cast<std::uint64_t>(bytes(t))});
  return curve;
}

}  // namespace

TEST_CASE("the kernel's sums are read in bytes") {
  const auto read = ws::read_sums(kText);
  REQUIRE(read);
  CHECK(read->resident_bytes == 2 * kMiB);
  CHECK(read->share_bytes == kMiB);
  CHECK(read->marked_bytes == kMiB / 2);
  CHECK(read->huge_bytes == 384 * 1024);
  CHECK(read->hugetlb_bytes == 4096);
  CHECK(read->swapped_bytes == 16384);
}

TEST_CASE("a text without what is resident or marked, or with numbers that no memory has, tells nothing") {
  CHECK_FALSE(ws::read_sums(""));
  CHECK_FALSE(ws::read_sums("Rss: 12 kB\n"));
  CHECK_FALSE(ws::read_sums("Referenced: 12 kB\n"));
  CHECK_FALSE(ws::read_sums("Rss: 12 kB\nReferenced: 99999999999999999999 kB\n"));
  CHECK_FALSE(ws::read_sums("Rss: 4611686018427387903 kB\nReferenced: 1 kB\n"));
}

TEST_CASE("without a kernel that knows Pss, a page counts whole") {
  const auto read = ws::read_sums("Rss: 8 kB\nReferenced: 4 kB\n");
  REQUIRE(read);
  CHECK(read->share_bytes == 8192);
}

TEST_CASE("plain figures raise no doubt, and each cause raises its own") {
  CHECK(ws::doubts_of(std::nullopt, sums(100 * kMiB, 50 * kMiB), 0) == 0);
  auto now = sums(100 * kMiB, 50 * kMiB);
  now.huge_bytes = 40 * kMiB;
  CHECK(ws::doubts_of(std::nullopt, now, 0) == ws::kHuge);
  now.huge_bytes = kMiB / 2;
  CHECK(ws::doubts_of(std::nullopt, now, 0) == 0);
  now.hugetlb_bytes = 2 * kMiB;
  CHECK(ws::doubts_of(std::nullopt, now, 0) == ws::kHugetlb);
  now = sums(100 * kMiB, 50 * kMiB);
  now.swapped_bytes = 101 * kMiB;
  CHECK(ws::doubts_of(std::nullopt, now, 0) == ws::kSwapped);
  CHECK(ws::doubts_of(std::nullopt, sums(100 * kMiB, 50 * kMiB), 0.005) == 0);
  CHECK(ws::doubts_of(std::nullopt, sums(100 * kMiB, 50 * kMiB), 0.02) == ws::kReclaim);
}

TEST_CASE("marks that go with memory given back are no loss, others are") {
  const auto before = sums(100 * kMiB, 80 * kMiB);
  CHECK(ws::doubts_of(before, sums(100 * kMiB, 80 * kMiB), 0) == 0);
  CHECK(ws::doubts_of(before, sums(60 * kMiB, 40 * kMiB), 0) == 0);
  CHECK(ws::doubts_of(before, sums(100 * kMiB, 79 * kMiB), 0) == 0);
  CHECK(ws::doubts_of(before, sums(100 * kMiB, 40 * kMiB), 0) == ws::kCleared);
  CHECK(ws::doubts_of(before, sums(90 * kMiB, 40 * kMiB), 0) == ws::kCleared);
}

TEST_CASE("a loop over a part bends where the part is touched") {
  const auto curve = curve_of([](double t) { return t < 1 ? 192e6 * t : 192e6; });
  REQUIRE(ws::find_knee(curve));
  CHECK(*ws::find_knee(curve) == 4);
}

TEST_CASE("a hot part and a slow stream bend where the hot part is touched") {
  const auto curve = curve_of([](double t) { return (t < 0.3 ? 100e6 * t / 0.3 : 100e6) + 5e6 * t; });
  REQUIRE(ws::find_knee(curve));
  CHECK(*ws::find_knee(curve) == 2);
}

TEST_CASE("a stream, nothing, and two points have no bend") {
  CHECK_FALSE(ws::find_knee(curve_of([](double t) { return 50e6 * t; })));
  CHECK_FALSE(ws::find_knee(curve_of([](double) { return 0.0; })));
  CHECK_FALSE(ws::find_knee({{1, 10}, {2, 10}}));
  CHECK_FALSE(ws::find_knee({}));
}

TEST_CASE("what touches all it has at once bends at the first point") {
  CHECK(ws::find_knee(curve_of([](double) { return 64e6; })) == std::size_t{0});
}
