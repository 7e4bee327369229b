// SPDX-License-Identifier: MIT
// readahead_rules_test: checks that the rules of each kernel are found by reads alone.
//
// How: discnice's emulator of the kernel's read-ahead replaces the kernels of all releases. So the two programs check each other's idea of the rules.
// Left out: the kernels themselves, which script/kernels boots.
#include "microbench/estimate/readahead_rules.hpp"

#include <memory>

#include "tests/support/catch.hpp"
#include "tests/unit/discnice/simulated_file.hpp"

using namespace microbench::estimate;
using discnice::kPageBytes;

namespace {

constexpr std::uint64_t kPages = 40'000;

class EmulatedKernel : public RulesSubject {
 public:
  explicit EmulatedKernel(const discnice::predictor::ReadaheadLimits& limits) : limits_(limits) {
    start_over();
  }

  void start_over() override {
    file_ = std::make_unique<discnice::test::SimulatedFile>(kPages * kPageBytes);
    open_anew();
  }
  void open_anew() override { reader_ = std::make_unique<discnice::test::Reader>(*file_, limits_); }
  void read_page(std::uint64_t page) override { read(page, 1); }
  void read(std::uint64_t first, std::uint64_t count) override {
    reader_->read(first * kPageBytes, count * kPageBytes);
  }
  void bring_in(std::uint64_t first, std::uint64_t count) override { file_->set(first, first + count); }
  std::uint64_t resident(std::uint64_t first, std::uint64_t count) override {
    return file_->count(first, count);
  }
  [[nodiscard]] std::uint64_t pages() const override { return kPages; }

 private:
  discnice::predictor::ReadaheadLimits limits_;
  std::unique_ptr<discnice::test::SimulatedFile> file_;
  std::unique_ptr<discnice::test::Reader> reader_;
};

}  // namespace

TEST_CASE("the rules of each release are found, whatever the window and the folios", "[microbench]") {
  for (const int release : {5010, 5015, 6001, 6006, 6012, 6016, 6018}) {
    for (const std::uint64_t window_pages_max : {16U, 32U, 128U, 2048U}) {
      for (const std::uint32_t folio_order_max : {0U, 9U}) {
        const auto rules = gray::base::rules_of_release(release);
        EmulatedKernel kernel({window_pages_max, 2 * window_pages_max, folio_order_max, rules});
        const ReadaheadRulesFound found = observe_readahead_rules(kernel, window_pages_max);
        INFO("release " << release << ", window " << window_pages_max << ", folios " << folio_order_max);
        CHECK(found.are_told);
        CHECK(found.rules == rules);
      }
    }
  }
}

TEST_CASE(
    "where the device takes no request beyond the window, whether the next may shrink is nobody's concern",
    "[microbench]") {
  EmulatedKernel kernel({32, 32, 0, gray::base::rules_of_release(6001)});
  CHECK(observe_readahead_rules(kernel, 32).rules == gray::base::rules_of_release(6001));
}

TEST_CASE("a window too small, or none, tells nothing", "[microbench]") {
  EmulatedKernel kernel({4, 4, 0, 0});
  CHECK_FALSE(observe_readahead_rules(kernel, 4).are_told);
  CHECK_FALSE(observe_readahead_rules(kernel, 0).are_told);
}
