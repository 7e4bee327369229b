// SPDX-License-Identifier: MIT
// update_regions_test: how many new disk bytes a write causes, and how many of them a removal gives back.
//
// How: thousands of seeded random sequences of mark, remove, clear and waiting are compared with a very simple model: one set of page numbers for each file.
// The test does not see the order of the intervals and the gaps between them. Errors in them appear in the counts. Left out: which file or interval is
// forgotten when the table is full. The test checks only the allowed effect on the counts.
#include "tools/discnice/predictor/update_regions.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/unit/discnice/own_memory.hpp"
#include "tools/discnice/predictor/dirty_age.hpp"
#include "tools/discnice/predictor/predictor.hpp"

using namespace discnice;
using namespace discnice::predictor;

namespace {

constexpr std::uint64_t kSecondNs = 1'000'000'000;

// A table without files, as in the zeroed memory of a new program.
test::OwnMemory<UpdateRegions> make_regions() {
  return {};
}

FileId file_id(std::uint64_t number) {
  return {7, 1000 + number};
}

class PlainRegions {
 public:
  std::uint64_t mark(std::uint64_t file, std::uint64_t first_page, std::uint64_t end_page,
                     std::uint64_t now_ns) {
    expire(file, now_ns);
    if (first_page >= end_page) return 0;
    Dirty& dirty = files_.try_emplace(file, Dirty{now_ns, {}}).first->second;
    std::uint64_t fresh = 0;
    for (std::uint64_t page = first_page; page < end_page; ++page)
      fresh += dirty.pages.insert(page).second ? 1U : 0U;
    return fresh;
  }

  std::uint64_t remove(std::uint64_t file, std::uint64_t first_page, std::uint64_t end_page,
                       std::uint64_t now_ns) {
    expire(file, now_ns);
    const auto found = files_.find(file);
    if (found == files_.end()) return 0;
    std::set<std::uint64_t>& pages = found->second.pages;
    const auto from = pages.lower_bound(first_page);
    const auto to = pages.lower_bound(std::max(first_page, end_page));
    const auto removed = static_cast<std::uint64_t>(std::distance(from, to));
    pages.erase(from, to);
    if (pages.empty()) files_.erase(found);
    return removed;
  }

  std::uint64_t remove_from(std::uint64_t file, std::uint64_t first_page, std::uint64_t now_ns) {
    return remove(file, first_page, UINT64_MAX, now_ns);
  }

  std::uint64_t clear(std::uint64_t file) {
    const std::uint64_t pages = files_.count(file) != 0 ? files_[file].pages.size() : 0;
    files_.erase(file);
    return pages;
  }

  [[nodiscard]] bool is_dirty(std::uint64_t file, std::uint64_t page, std::uint64_t now_ns) {
    expire(file, now_ns);
    return files_.count(file) != 0 && files_[file].pages.count(page) != 0;
  }

  [[nodiscard]] unsigned fragments(std::uint64_t file) const {
    const auto found = files_.find(file);
    if (found == files_.end()) return 0;
    unsigned count = 0;
    for (const std::uint64_t page : found->second.pages) {
      count += page == 0 || found->second.pages.count(page - 1) == 0 ? 1U : 0U;
    }
    return count;
  }

  [[nodiscard]] std::uint64_t dirty_pages() const {
    std::uint64_t pages = 0;
    for (const auto& [file, dirty] : files_) pages += dirty.pages.size();
    return pages;
  }

 private:
  struct Dirty {
    std::uint64_t since_ns;
    std::set<std::uint64_t> pages;
  };

  void expire(std::uint64_t file, std::uint64_t now_ns) {
    const auto found = files_.find(file);
    if (found != files_.end() && now_ns - found->second.since_ns >= kDirtyAgeMaxNs) files_.erase(found);
  }

  std::map<std::uint64_t, Dirty> files_;
};

struct Step {
  enum class Kind { mark, remove, clear, wait } kind;
  std::uint64_t file;
  std::uint64_t first_page;
  std::uint64_t end_page;
};

Step random_step(std::mt19937_64& random, std::uint64_t files, std::uint64_t pages) {
  const std::uint64_t dice = random() % 100;
  const std::uint64_t first_page = random() % pages;
  const std::uint64_t length_max = random() % 8 == 0 ? pages : 6;
  const std::uint64_t end_page = first_page + random() % length_max;
  const std::uint64_t file = random() % files;
  if (dice < 75) return {Step::Kind::mark, file, first_page, end_page};
  if (dice < 85) return {Step::Kind::remove, file, first_page, 0};
  if (dice < 90) return {Step::Kind::clear, file, 0, 0};
  return {Step::Kind::wait, 0, 0, 0};
}

}  // namespace

TEST_CASE("marks, removals, flushes and age agree with a set of pages", "[update_regions]") {
  std::mt19937_64 random(20'060'915);
  std::uint64_t fresh_pages = 0;
  for (int sequence = 0; sequence < 3000; ++sequence) {
    auto regions = make_regions();
    PlainRegions plain;
    std::uint64_t now_ns = kSecondNs;
    const std::uint64_t pages =
        4 + random() % (2 * UpdateRegions::kIntervalsMax - 4);  // so few pages cannot overfill the table
    for (int i = 0; i < 60; ++i) {
      const Step step = random_step(random, 3, pages);
      INFO("sequence " << sequence << ", step " << i << ", file " << step.file << ": " << step.first_page
                       << " to " << step.end_page);
      switch (step.kind) {
        case Step::Kind::mark: {
          const std::uint64_t fresh =
              regions->mark(file_id(step.file), step.first_page, step.end_page, now_ns);
          REQUIRE(fresh == plain.mark(step.file, step.first_page, step.end_page, now_ns));
          fresh_pages += fresh;
          break;
        }
        case Step::Kind::remove: {  // a truncation, or a hole
          const std::uint64_t end_page = i % 2 == 0 ? UINT64_MAX : step.end_page;
          REQUIRE(regions->remove(file_id(step.file), step.first_page, end_page, now_ns) ==
                  plain.remove(step.file, step.first_page, end_page, now_ns));
          break;
        }
        case Step::Kind::clear:
          regions->clear(file_id(step.file));
          plain.clear(step.file);
          break;
        case Step::Kind::wait:
          now_ns += random() % (20 * kSecondNs);
          break;
      }
      REQUIRE(plain.fragments(step.file) <= UpdateRegions::kIntervalsMax);
      const std::uint64_t page = random() % pages;
      REQUIRE(regions->is_dirty(file_id(step.file), page, now_ns) == plain.is_dirty(step.file, page, now_ns));
    }
  }
  CHECK(fresh_pages > 100'000);  // the sequences did something
}

TEST_CASE("pages marked less pages removed are those in the table and those written back",
          "[update_regions]") {
  std::mt19937_64 random(3);
  for (int sequence = 0; sequence < 500; ++sequence) {
    auto regions = make_regions();
    PlainRegions plain;
    std::uint64_t marked = 0;
    std::uint64_t removed = 0;
    std::uint64_t flushed = 0;
    for (int i = 0; i < 60; ++i) {
      const Step step = random_step(random, 5, 20);
      if (step.kind == Step::Kind::mark) {
        marked += regions->mark(file_id(step.file), step.first_page, step.end_page, kSecondNs);
        plain.mark(step.file, step.first_page, step.end_page, kSecondNs);
      } else if (step.kind == Step::Kind::remove) {
        removed += regions->remove_from(file_id(step.file), step.first_page, kSecondNs);
        plain.remove_from(step.file, step.first_page, kSecondNs);
      } else if (step.kind == Step::Kind::clear) {
        regions->clear(file_id(step.file));
        flushed += plain.clear(step.file);
      }
      REQUIRE(marked - removed == regions->dirty_pages() + flushed);
      REQUIRE(regions->dirty_pages() == plain.dirty_pages());
      REQUIRE(regions->is_empty() == (plain.dirty_pages() == 0));
    }
  }
}

TEST_CASE("more files and fragments than the table holds are charged again, never left out",
          "[update_regions]") {
  std::mt19937_64 random(5);
  std::uint64_t charged = 0;
  std::uint64_t needed = 0;
  for (int sequence = 0; sequence < 200; ++sequence) {
    auto regions = make_regions();
    PlainRegions plain;
    for (int i = 0; i < 400; ++i) {
      const Step step = random_step(random, 2 * UpdateRegions::kFilesMax, 200);
      if (step.kind == Step::Kind::mark) {
        const std::uint64_t fresh =
            regions->mark(file_id(step.file), step.first_page, step.end_page, kSecondNs);
        const std::uint64_t wanted = plain.mark(step.file, step.first_page, step.end_page, kSecondNs);
        REQUIRE(fresh >= wanted);
        REQUIRE(fresh <= step.end_page - step.first_page);
        charged += fresh;
        needed += wanted;
      } else if (step.kind == Step::Kind::remove) {
        const std::uint64_t removed = regions->remove_from(file_id(step.file), step.first_page, kSecondNs);
        REQUIRE(removed <= plain.remove_from(step.file, step.first_page, kSecondNs));
      }
      REQUIRE(regions->dirty_pages() <= plain.dirty_pages());
      const std::uint64_t page = random() % 200;
      if (regions->is_dirty(file_id(step.file), page, kSecondNs)) {
        REQUIRE(plain.is_dirty(step.file, page, kSecondNs));
      }
    }
  }
  CHECK(charged > needed);  // the sequences did overfill the table
}

TEST_CASE("a full table of fragments forgets the shortest and keeps the rest", "[update_regions]") {
  auto regions = make_regions();
  for (std::uint64_t i = 0; i < UpdateRegions::kIntervalsMax; ++i) {
    CHECK(regions->mark(file_id(1), 100 * i, 100 * i + (i == 4 ? 2 : 10), kSecondNs) == (i == 4 ? 2 : 10));
  }
  CHECK(regions->mark(file_id(1), 5000, 5010, kSecondNs) == 10);
  CHECK_FALSE(regions->is_dirty(file_id(1), 400, kSecondNs));
  CHECK(regions->dirty_pages() == 10 * UpdateRegions::kIntervalsMax);
  CHECK(regions->mark(file_id(1), 400, 402, kSecondNs) == 2);
}

TEST_CASE(
    "who begins at one more place than there is room for and goes on there is charged for each page once",
    "[update_regions]") {
  auto regions = make_regions();
  for (std::uint64_t i = 0; i < UpdateRegions::kIntervalsMax; ++i)
    CHECK(regions->mark(file_id(1), 100 * i, 100 * i + 10, kSecondNs) == 10);
  for (const std::uint64_t place :
       {5000U, 550U, 50U}) {  // after all others, among them, and before nearly all
    CHECK(regions->mark(file_id(1), place, place + 1, kSecondNs) == 1);
    CHECK(regions->mark(file_id(1), place, place + 1, kSecondNs) == 0);
    CHECK(regions->mark(file_id(1), place, place + 2, kSecondNs) == 1);
    CHECK(regions->mark(file_id(1), place + 1, place + 3, kSecondNs) == 1);
  }
}

TEST_CASE("one file too many takes the place of the one that was not written to for longest",
          "[update_regions]") {
  auto regions = make_regions();
  for (std::uint64_t i = 0; i < UpdateRegions::kFilesMax; ++i) regions->mark(file_id(i), 0, 1, kSecondNs + i);
  regions->mark(file_id(0), 0, 1, 2 * kSecondNs);  // dirty for longest, and used again
  regions->mark(file_id(999), 0, 1, 2 * kSecondNs);
  CHECK(regions->is_dirty(file_id(0), 0, 2 * kSecondNs));
  CHECK_FALSE(regions->is_dirty(file_id(1), 0, 2 * kSecondNs));
  CHECK(regions->dirty_pages() == UpdateRegions::kFilesMax);
}

TEST_CASE("thousands of files written from front to back and removed again agree with a set of pages each",
          "[update_regions]") {
  std::mt19937_64 random(11);
  for (const std::uint64_t files : {200U, 1000U, 3000U}) {
    auto regions = make_regions();
    PlainRegions plain;
    regions->allow_rest(true);
    std::map<std::uint64_t, std::uint64_t> ends;
    std::uint64_t now_ns = kSecondNs;
    for (std::uint64_t i = 0; i < 12 * files; ++i) {
      const std::uint64_t file = random() % files;
      const std::uint64_t dice = random() % 100;
      const std::uint64_t page = random() % 12;
      INFO(files << " files, step " << i << ", file " << file);
      if (dice < 70) {
        std::uint64_t& end = ends[file];
        const std::uint64_t length = random() % 4;
        REQUIRE(regions->mark(file_id(file), end, end + length, now_ns) ==
                plain.mark(file, end, end + length, now_ns));
        end += length;
      } else if (dice < 85) {
        ends[file] = std::min(ends[file], page);
        REQUIRE(regions->remove_from(file_id(file), page, now_ns) == plain.remove_from(file, page, now_ns));
      } else if (dice < 95) {
        ends[file] = 0;
        regions->clear(file_id(file));
        plain.clear(file);
      } else {
        REQUIRE(regions->is_dirty(file_id(file), page, now_ns) == plain.is_dirty(file, page, now_ns));
      }
      if (random() % files == 0) now_ns += 4 * kSecondNs;
    }
    for (std::uint64_t file = 0; file < files; ++file)
      REQUIRE(regions->remove_from(file_id(file), 0, now_ns) == plain.remove_from(file, 0, now_ns));
  }
}

TEST_CASE("of a file that has to make room the longest stretch is kept, once there may be more memory",
          "[update_regions]") {
  auto regions = make_regions();
  const auto fill = [&](std::uint64_t from) {
    for (std::uint64_t i = 0; i < UpdateRegions::kFilesMax; ++i)
      regions->mark(file_id(from + i), 0, 1, kSecondNs);
  };
  const auto mark_it = [&](std::uint64_t number) {
    for (const std::uint64_t page : {0U, 10U, 20U, 30U})
      regions->mark(file_id(number), page, page + (page == 20 ? 3 : 1), kSecondNs);
  };
  mark_it(1);
  CHECK_FALSE(regions->wants_rest());
  fill(1000);
  CHECK(regions->wants_rest());
  CHECK_FALSE(regions->is_dirty(file_id(1), 21, kSecondNs));
  regions->allow_rest(true);
  CHECK_FALSE(regions->wants_rest());
  mark_it(2);
  fill(2000);
  CHECK(regions->is_dirty(file_id(2), 22, kSecondNs));
  CHECK_FALSE(regions->is_dirty(file_id(2), 10, kSecondNs));
  CHECK_FALSE(regions->is_dirty(file_id(2), 22, kSecondNs + kDirtyAgeMaxNs));
  CHECK(regions->remove_from(file_id(2), 0, kSecondNs) == 3);
  CHECK(regions->remove_from(file_id(2), 0, kSecondNs) == 0);
  regions->forget_all();
  CHECK(regions->is_empty());
  CHECK(regions->dirty_pages() == 0);
}

TEST_CASE("where there is no more memory for them files that have to make room are forgotten",
          "[update_regions]") {
  auto regions = make_regions();
  regions->allow_rest(false);
  for (std::uint64_t i = 0; i < 3 * UpdateRegions::kFilesMax; ++i) regions->mark(file_id(i), 0, 1, kSecondNs);
  CHECK_FALSE(regions->wants_rest());
  CHECK_FALSE(regions->is_dirty(file_id(0), 0, kSecondNs));
  CHECK(regions->dirty_pages() == UpdateRegions::kFilesMax);
}

TEST_CASE("more files than there is room for anywhere are charged again, never left out",
          "[update_regions]") {
  auto regions = make_regions();
  regions->allow_rest(true);
  constexpr std::uint64_t kFiles = 4 * RestingFiles::kSets * RestingFiles::kWays;
  for (std::uint64_t i = 0; i < kFiles; ++i) REQUIRE(regions->mark(file_id(i), 0, 2, kSecondNs) == 2);
  std::uint64_t kept = 0;
  for (std::uint64_t i = 0; i < kFiles; ++i) kept += regions->remove_from(file_id(i), 0, kSecondNs);
  CHECK(kept <= 2 * (RestingFiles::kSets * RestingFiles::kWays + UpdateRegions::kFilesMax));
  CHECK(kept > RestingFiles::kSets * RestingFiles::kWays);
  CHECK(regions->dirty_pages() == 0);
}

TEST_CASE("files of which an entry cannot tell are forgotten and nothing else", "[update_regions]") {
  test::OwnMemory<RestingFiles> files;
  CHECK(files->put({{UINT64_C(1) << 40U, 5}, kSecondNs, 0, 1}) == 0);
  CHECK(files->put({{1, 5}, kSecondNs, 0, UINT64_C(1) << 40U}) == 0);
  CHECK(files->put({{1, 5}, kSecondNs, 3, 3}) == 0);
  CHECK(files->pages() == 0);
  RestingFiles::File taken;
  CHECK_FALSE(files->take({1, 5}, &taken));
}

TEST_CASE("no file is taken for another one, however many come by", "[update_regions]") {
  auto regions = make_regions();
  regions->allow_rest(true);
  std::mt19937_64 random(1);
  // There are so many files that hundreds of them have the same tag, which is compared first.
  constexpr unsigned kFiles = 200'000;
  for (unsigned i = 0; i < kFiles; ++i) {
    const FileId file = file_id(random());
    if (regions->mark(file, 0, 1, kSecondNs) != 1) FAIL("file " << i << " is dirty before it is written to");
    if (regions->mark(file, 0, 1, kSecondNs) != 0) FAIL("file " << i << " was forgotten at once");
  }
}

TEST_CASE("the age of a file counts from its first dirtying, not from the last", "[update_regions]") {
  auto regions = make_regions();
  const std::uint64_t age_ns = kDirtyAgeMaxNs;
  CHECK(regions->mark(file_id(1), 0, 4, kSecondNs) == 4);
  CHECK(regions->mark(file_id(1), 2, 6, kSecondNs + age_ns - 1) == 2);
  CHECK(regions->is_dirty(file_id(1), 5, kSecondNs + age_ns - 1));
  CHECK_FALSE(regions->is_dirty(file_id(1), 5, kSecondNs + age_ns));
  CHECK(regions->remove_from(file_id(1), 0, kSecondNs + age_ns) == 0);
  CHECK(regions->mark(file_id(1), 0, 6, kSecondNs + age_ns) == 6);
}

TEST_CASE("a file is known by device and number together", "[update_regions]") {
  auto regions = make_regions();
  CHECK(regions->mark({1, 5}, 0, 4, kSecondNs) == 4);
  CHECK(regions->mark({2, 5}, 0, 4, kSecondNs) == 4);
  CHECK(regions->remove_from({2, 5}, 0, kSecondNs) == 4);
  CHECK(regions->is_dirty({1, 5}, 3, kSecondNs));
}

TEST_CASE("regions as long as the number range are counted without wrapping", "[update_regions]") {
  auto regions = make_regions();
  constexpr std::uint64_t kEnd = UINT64_MAX / kPageBytes;
  CHECK(regions->mark(file_id(1), 0, kEnd, kSecondNs) == kEnd);
  CHECK(regions->mark(file_id(1), kEnd - 1, kEnd, kSecondNs) == 0);
  CHECK(regions->mark(file_id(1), kEnd, kEnd - 1, kSecondNs) == 0);
  CHECK(regions->remove_from(file_id(1), 1, kSecondNs) == kEnd - 1);
  CHECK(regions->dirty_pages() == 1);
}

TEST_CASE(
    "whatever an entry says, a mark is no more than asked for and a removal no more than a file can hold",
    "[update_regions]") {
  auto regions = make_regions();
  const auto forge = [&](auto make_interval) {
    regions->forget_all();
    regions->mark(file_id(1), 0, 1, kSecondNs);
    auto& entry = regions.memory().files[0];
    entry.head.interval_count = UpdateRegions::kIntervalsMax;
    for (std::uint64_t i = 0; i < UpdateRegions::kIntervalsMax; ++i) {
      const auto [first_page, end_page] = make_interval(i);
      entry.intervals[i] = {first_page, end_page};
    }
  };
  using Pair = std::pair<std::uint64_t, std::uint64_t>;
  const std::vector<std::function<Pair(std::uint64_t)>> kinds = {
      [](std::uint64_t) {
        return Pair{0, 1000};
      },  // equal
      [](std::uint64_t i) {
        return Pair{i, 1000 - i};
      },  // one interval within the other: each is cut in two by a hole
      [](std::uint64_t i) {
        return Pair{10 * i, 10 * i + 15};
      },  // overlapping
      [](std::uint64_t i) {
        return Pair{1000 - 10 * i, 1005 - 10 * i};
      },  // in the wrong order
      [](std::uint64_t) {
        return Pair{UINT64_MAX, 3};
      },
      [](std::uint64_t) {
        return Pair{0, UINT64_MAX};
      }};
  for (const auto& kind : kinds) {
    forge(kind);
    CHECK(regions->mark(file_id(1), 100, 101, kSecondNs) <= 1);
    forge(kind);
    CHECK(regions->remove(file_id(1), 500, 501, kSecondNs) <= 1);
    forge(kind);
    CHECK(regions->remove_from(file_id(1), 3, kSecondNs) <= UINT64_MAX / kPageBytes);
    forge(kind);
    static_cast<void>(regions->is_dirty(file_id(1), 5, kSecondNs));
    regions->clear(file_id(1));
    CHECK(regions->is_empty());
  }
}

TEST_CASE("an instant a moment ahead is of somebody who looked later, and one far ahead a wrong byte",
          "[update_regions]") {
  auto regions = make_regions();
  CHECK(regions->mark(file_id(1), 0, 4, kSecondNs + 4'000'000) == 4);
  CHECK(regions->mark(file_id(1), 0, 4, kSecondNs) == 0);
  regions.memory().files[0].head.dirty_since_ns = UINT64_MAX;
  CHECK(regions->mark(file_id(1), 0, 4, kSecondNs) == 4);
}

TEST_CASE("somebody who empties and fills the table meanwhile leads nobody out of it", "[update_regions]") {
  auto regions = make_regions();
  UpdateRegions::Memory& memory = regions.memory();
  std::atomic<bool> is_over{false};
  std::thread meddler([&] {
    for (std::uint32_t count = 0; !is_over; count = (count + 1) % 3 * UpdateRegions::kFilesMax)
      __atomic_store_n(&memory.file_count, count, __ATOMIC_RELAXED);
  });
  std::uint64_t beyond = 0;
  for (std::uint64_t i = 0; i < 200'000; ++i) {
    if (regions->mark(file_id(i % 5), i % 50, i % 50 + 3, kSecondNs) > 3) ++beyond;
    regions->remove_from(file_id((i + 1) % 5), 0, kSecondNs);
    regions->clear(file_id((i + 2) % 5));
  }
  is_over = true;
  meddler.join();
  CHECK(beyond == 0);
}

namespace {

IoOp write_op(std::uint64_t offset_bytes, std::uint64_t length_bytes, std::uint64_t file_size_bytes) {
  return {OpKind::write, file_id(1), offset_bytes, length_bytes, file_size_bytes, false};
}

// An exact oracle over a file of which nothing is in memory.
constexpr ResidencyOracle kColdOracle{
    nullptr, [](void*, std::uint64_t, std::uint64_t) { return std::uint64_t{0}; }, nullptr};

}  // namespace

TEST_CASE("a write costs the blocks it makes dirty, a rewrite inside them nothing", "[update_regions]") {
  auto regions = make_regions();
  FileState file;
  const auto cost = [&](std::uint64_t offset_bytes, std::uint64_t length_bytes, std::uint64_t size_bytes) {
    return estimate_write(write_op(offset_bytes, length_bytes, size_bytes), file, *regions, kColdOracle,
                          kSecondNs);
  };
  CHECK(cost(0, 10'000, 0).write_bytes == 12'288);
  CHECK(cost(0, 10'000, 10'000).write_bytes == 0);
  CHECK(cost(12'287, 2, 12'287).write_bytes == 4'096);
  CHECK(cost(0, 0, 12'289).cost_bytes() == 0);
  CHECK(cost(UINT64_MAX, UINT64_MAX, 0).write_bytes == 0);
}

TEST_CASE("a partial overwrite of absent blocks reads them first", "[update_regions]") {
  auto regions = make_regions();
  FileState file;
  const auto reads = [&](std::uint64_t offset_bytes, std::uint64_t length_bytes) {
    return estimate_write(write_op(offset_bytes, length_bytes, 100'000), file, *regions, kColdOracle,
                          kSecondNs)
        .read_bytes;
  };
  CHECK(reads(0, 4'096) == 0);           // whole blocks
  CHECK(reads(4'096, 100) == 4'096);     // the end is cut
  CHECK(reads(8'292, 3'996) == 4'096);   // the start is cut
  CHECK(reads(12'388, 8'192) == 8'192);  // both
  CHECK(reads(12'388, 100) == 0);        // the block is dirty by now, so it is in memory
  CHECK(reads(98'304, 1'696) == 0);      // the last block up to the file's end
  CHECK(reads(102'500, 10) == 0);        // beyond the end there is nothing to read
}

TEST_CASE("direct writes cost their length and mark nothing", "[update_regions]") {
  auto regions = make_regions();
  FileState file;
  IoOp op = write_op(0, 65'536, 0);
  op.is_direct = true;
  CHECK(estimate_write(op, file, *regions, kColdOracle, kSecondNs).write_bytes == 65'536);
  CHECK(regions->is_empty());
}

TEST_CASE("a hole in the middle of a full table forgets a fragment and never invents one", "[regions]") {
  auto regions = make_regions();
  for (unsigned i = 0; i < UpdateRegions::kIntervalsMax; ++i)
    regions->mark(file_id(1), i * 100, i * 100 + 50, kSecondNs);
  CHECK(regions->remove(file_id(1), 310, 320, kSecondNs) == 10);
  CHECK_FALSE(regions->is_dirty(file_id(1), 315, kSecondNs));
  CHECK_FALSE(regions->is_dirty(file_id(1), 305, kSecondNs));  // there was no room for the shortest interval
  CHECK(regions->is_dirty(file_id(1), 330, kSecondNs));
  CHECK(regions->dirty_pages() == UpdateRegions::kIntervalsMax * 50 - 20);
}

TEST_CASE("a hole gives back whole pages, and what was sent is not given back", "[regions]") {
  auto regions = make_regions();
  regions->mark(file_id(1), 0, 100, kSecondNs);
  IoOp op{OpKind::remove, file_id(1), 10 * kPageBytes + 1, 5 * kPageBytes};
  CHECK(estimate_remove(op, *regions, kSecondNs).refund_bytes == 4 * kPageBytes);
  CHECK(regions->is_dirty(file_id(1), 10, kSecondNs));
  CHECK_FALSE(regions->is_dirty(file_id(1), 11, kSecondNs));
  CHECK(regions->is_dirty(file_id(1), 15, kSecondNs));
  op = {OpKind::settle, file_id(1), 50 * kPageBytes + 1, 1};
  note_sent(op, *regions, kSecondNs);
  CHECK_FALSE(regions->is_dirty(file_id(1), 50, kSecondNs));
  CHECK(regions->dirty_pages() == 95);
  op.length_bytes = 0;
  note_sent(op, *regions, kSecondNs);
  CHECK(regions->is_empty());
}

TEST_CASE("a removal gives back the blocks wholly behind the new end", "[update_regions]") {
  auto regions = make_regions();
  FileState file;
  estimate_write(write_op(0, 10 * kPageBytes, 0), file, *regions, kColdOracle, kSecondNs);
  IoOp op{OpKind::truncate, file_id(1), 2 * kPageBytes + 1, 0, 0, false};
  CHECK(estimate_remove(op, *regions, kSecondNs).refund_bytes == 7 * kPageBytes);
  CHECK(estimate_remove(op, *regions, kSecondNs).refund_bytes == 0);
  op.offset_bytes = 0;
  CHECK(estimate_remove(op, *regions, kSecondNs).refund_bytes == 3 * kPageBytes);
  CHECK(regions->is_empty());
}
