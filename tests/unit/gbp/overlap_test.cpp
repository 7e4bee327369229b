// SPDX-License-Identifier: MIT
// overlap_test: data is fetched early only for a reader that computes between its reads, and only little of a small file is
// fetched early. Left out: the time that this saves (script/bench gbp apps).
#include "tests/support/catch.hpp"

#include "tools/gbp/overlap.hpp"

namespace {

using gray::base::kMiB;

bool pays(double bytes_per_s) {
  gbp::Overlap overlap(1024 * kMiB);
  for (int i = 1; i <= 100; ++i) overlap.note_taken(kMiB, i * static_cast<double>(kMiB) / bytes_per_s);
  return overlap.pays();
}

}  // namespace

TEST_CASE("a reader that only takes what it gets leaves the cached parts to be read first") {
  CHECK_FALSE(pays(2e9));
  CHECK_FALSE(pays(1e9));
}

TEST_CASE("while a reader works the disk is to work, too") {
  CHECK(pays(4e8));
  CHECK(pays(1e7));
}

TEST_CASE("a reader is not judged by its first bite") {
  gbp::Overlap overlap(1024 * kMiB);
  overlap.note_taken(kMiB, 1);
  CHECK_FALSE(overlap.pays());
  overlap.note_taken(gbp::kPaceBytesMin, 1.01);
  CHECK(overlap.pays());
}

TEST_CASE("little of a small file is on its way at a time") {
  CHECK(gbp::Overlap(kMiB).window_bytes() == kMiB);
  CHECK(gbp::Overlap(256 * kMiB).window_bytes() == 2 * kMiB);
  CHECK(gbp::Overlap(1024 * 1024 * kMiB).window_bytes() == gbp::Overlap(1024 * kMiB).window_bytes());
}

TEST_CASE("more is on its way while a reader works") {
  gbp::Overlap overlap(1024 * kMiB);
  const std::uint64_t before_bytes = overlap.window_bytes();
  overlap.note_taken(gbp::kPaceBytesMin, 1);
  CHECK(overlap.window_bytes() > 2 * before_bytes);
}
