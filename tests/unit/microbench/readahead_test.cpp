// SPDX-License-Identifier: MIT
// readahead_test: checks that the read-ahead of a kernel with known rules is found exactly.
//
// How: a small model of Linux's rules for one reader (initial window, marker, growth, random reads) replaces the kernel.
// Left out: large folios and the asynchronous arrival of pages; the system test covers them.
#include "microbench/estimate/readahead.hpp"

#include <algorithm>
#include <set>

#include "tests/support/catch.hpp"

using namespace microbench::estimate;

namespace {

class ModelKernel : public ReadaheadSubject {
 public:
  ModelKernel(std::uint64_t pages, std::uint64_t max) : pages_(pages), max_(max) {}

  void start_over() override {
    cached_.clear();
    marker_ = kNone;
    start_ = size_ = 0;
    last_ = kNone;
  }

  void read_page(std::uint64_t page) override {
    if (cached_.count(page) == 0) {
      miss(page);
    } else if (page == marker_) {
      start_ += size_;
      size_ = size_ < max_ / 16 ? 4 * size_ : (size_ <= max_ / 2 ? 2 * size_ : max_);
      marker_ = start_;
      fetch(start_, size_);
    }
    last_ = page;
  }

  std::uint64_t resident(std::uint64_t first, std::uint64_t count) override {
    std::uint64_t sum = 0;
    for (std::uint64_t page = first; page < first + count; ++page) sum += cached_.count(page);
    return sum;
  }

  [[nodiscard]] std::uint64_t pages() const override { return pages_; }

 private:
  static constexpr std::uint64_t kNone = ~0ULL;

  void miss(std::uint64_t page) {
    const bool is_next = last_ != kNone && page == last_ + 1;
    if (max_ == 0 || (page != 0 && !is_next)) return fetch(page, 1);
    start_ = page;
    size_ = 1 <= max_ / 32 ? 4 : (1 <= max_ / 4 ? 2 : max_);
    marker_ = size_ > 1 ? start_ + 1 : start_ + size_ / 2;
    fetch(start_, size_);
  }

  void fetch(std::uint64_t first, std::uint64_t count) {
    for (std::uint64_t page = first; page < std::min(first + count, pages_); ++page) cached_.insert(page);
  }

  std::uint64_t pages_;
  std::uint64_t max_;
  std::set<std::uint64_t> cached_;
  std::uint64_t marker_ = kNone;
  std::uint64_t start_ = 0;
  std::uint64_t size_ = 0;
  std::uint64_t last_ = kNone;
};

}  // namespace

TEST_CASE("the largest window is found exactly, whatever it is", "[microbench]") {
  for (const std::uint64_t max : {4UL, 8UL, 32UL, 128UL, 512UL, 2048UL}) {
    ModelKernel kernel(16384, max);
    const Readahead found = observe_readahead(kernel);
    INFO("window of " << max << " pages");
    CHECK(found.is_max_known);
    CHECK(found.max_pages == max);
    CHECK(found.initial_pages == (max < 32 ? 2 : 4));
    CHECK(found.restart_pages == found.initial_pages);
    CHECK(found.random_pages == 1);
    CHECK_FALSE(found.is_reset_by_seek);
  }
}

TEST_CASE("a kernel that reads nothing ahead is found out", "[microbench]") {
  ModelKernel kernel(4096, 0);
  const Readahead found = observe_readahead(kernel);
  CHECK(found.is_max_known);
  CHECK(found.max_pages == 0);
  CHECK(found.initial_pages == 1);
  CHECK(found.restart_pages == 0);
}

TEST_CASE("a window that has no room to repeat in the file is not claimed", "[microbench]") {
  ModelKernel kernel(2048, 2048);
  CHECK_FALSE(observe_readahead(kernel).is_max_known);
}
