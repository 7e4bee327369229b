// SPDX-License-Identifier: MIT
// brought_pages_test: which pages a reader no longer needs, and whether the reader has come back to pages that were dropped.
//
// How: runs of pages are added as reads bring them in. Readers are placed in front of, within and behind the runs. Left out: the page cache
// itself (system tests).
#include "tools/discnice/descriptor/brought_pages.hpp"

#include "tests/support/catch.hpp"

using namespace discnice::guest;

namespace {

constexpr std::uint64_t kPages = 256;

bool is(const Parting& parting, std::uint64_t first, std::uint64_t end, std::uint64_t news) {
  return parting.run.first_page == first && parting.run.end_page == end && parting.news_page == news;
}

}  // namespace

TEST_CASE("a reader of a whole file is done with what lies behind it, once", "[brought_pages]") {
  BroughtPages pages{};
  pages.add({0, 512});
  CHECK(is_empty(pages.part_behind(kPages - 1, kPages, 0).run));
  CHECK(is(pages.part_behind(300, kPages, 0), 0, 300, 0));
  CHECK(is_empty(pages.part_behind(300, kPages, 0).run));
  pages.add({512, 1024});
  CHECK(is(pages.part_behind(600, kPages, 0), 300, 600, 300));
  CHECK(is(pages.part_all(0), 600, 1024, 600));
  CHECK(is_empty(pages.part_all(0).run));
}

TEST_CASE("a folio that reached over the end of what was named is named again", "[brought_pages]") {
  BroughtPages pages{};
  pages.add({0, 1024});
  CHECK(is(pages.part_behind(300, kPages, 64), 0, 300, 0));
  const Parting second = pages.part_behind(600, kPages, 64);
  CHECK(is(second, 236, 600, 300));
  pages.note_let_go(second, true);
  CHECK(is(pages.part_behind(900, kPages, 64), 600, 900, 600));
}

TEST_CASE("nothing is named before the first page of its run", "[brought_pages]") {
  BroughtPages pages{};
  pages.add({100, 1024});
  CHECK(is(pages.part_behind(400, kPages, 512), 100, 400, 100));
  CHECK(is(pages.part_behind(700, kPages, 512), 100, 700, 400));
}

TEST_CASE("what was there before lies between the runs and is never named", "[brought_pages]") {
  BroughtPages pages{};
  pages.add({0, 64});
  pages.add({128, 192});
  pages.add({256, 320});
  CHECK(is(pages.part_behind(300, kPages, 0), 0, 64, 0));
  CHECK(is(pages.part_behind(300, kPages, 0), 128, 192, 128));
  CHECK(is_empty(pages.part_behind(300, kPages, 0).run));
  CHECK(is(pages.part_all(0), 256, 320, 256));
}

TEST_CASE("pages looked up here and there are not named", "[brought_pages]") {
  BroughtPages pages{};
  pages.add({700, 701});
  pages.add({20, 24});
  CHECK(is_empty(pages.part_behind(1000, 1, 0).run));
  CHECK(is_empty(pages.part_all(0).run));
  pages.add({24, 24 + kStreamedPagesMin});
  CHECK(is(pages.part_all(0), 20, 24 + kStreamedPagesMin, 20));
}

TEST_CASE("a small file is named as a whole", "[brought_pages]") {
  BroughtPages pages{};
  pages.add({0, 1});
  CHECK(is(pages.part_all(512), 0, 1, 0));
}

TEST_CASE("a reader that comes back to what was let go of is known, one that reads backwards is not",
          "[brought_pages]") {
  BroughtPages pages{};
  pages.add({512, 1024});
  const Parting parting = pages.part_all(0);
  CHECK_FALSE(pages.was_let_go({600, 601}));
  pages.note_let_go(parting, true);
  CHECK(pages.was_let_go({600, 601}));
  CHECK(pages.was_let_go({0, 513}));
  CHECK_FALSE(pages.was_let_go({0, 512}));
  CHECK_FALSE(pages.was_let_go({1024, 2048}));
}

TEST_CASE("of more runs than there is room for the oldest is forgotten", "[brought_pages]") {
  BroughtPages pages{};
  for (std::uint64_t i = 0; i <= BroughtPages::kRunsMax; ++i) pages.add({i * 1000, i * 1000 + 100});
  CHECK(is(pages.part_all(0), 1000, 1100, 1000));
  pages.forget();
  CHECK_FALSE(pages.has_runs());
}
