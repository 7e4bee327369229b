// SPDX-License-Identifier: MIT
// fetched_pages_test: a page cache that is asked once before a read is as good for the model as a page cache that fills during the read.
//
// How: random reads of two simulated files. One file fills while the model works. The other file gives the answers from before the read, as the kernel does to a program that
// asks before the call, and is filled when the read has ended. Then the pages are compared, run by run. Left out: oracles that probe, because for them the fetched pages change
// nothing.
#include "tools/discnice/predictor/fetched_pages.hpp"

#include <random>
#include <utility>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/unit/discnice/simulated_file.hpp"
#include "toolbox/base/units.hpp"

using namespace discnice;
using namespace discnice::predictor;
using discnice::test::kNowNs;
using discnice::test::Reader;
using discnice::test::SimulatedFile;
using gray::base::kKiB;
using gray::base::kMiB;

namespace {

// A file that shows fetched pages only when the read has ended.
class LateFile {
 public:
  LateFile(std::uint64_t size_bytes, const ReadaheadLimits& limits) : file_(size_bytes) {
    state_.limits = limits;
  }

  std::uint64_t read(std::uint64_t offset_bytes, std::uint64_t length_bytes) {
    ResidencyOracle oracle;
    oracle.context = this;
    oracle.count_resident = [](void* context, std::uint64_t first_page, std::uint64_t page_count) {
      return static_cast<LateFile*>(context)->file_.count(first_page, page_count);
    };
    oracle.note_fetch = [](void* context, std::uint64_t first_page, std::uint64_t page_count) {
      static_cast<LateFile*>(context)->fetched_.emplace_back(first_page, first_page + page_count);
    };
    IoOp op;
    op.offset_bytes = offset_bytes;
    op.length_bytes = length_bytes;
    op.file_size_bytes = file_.size_bytes();
    const std::uint64_t bytes = estimate_read(op, state_, file_.shape(), oracle, kNowNs).read_bytes;
    for (const auto& [first, end] : fetched_) file_.set(first, end);
    fetched_.clear();
    return bytes;
  }

 private:
  SimulatedFile file_;
  FileState state_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> fetched_;
};

}  // namespace

TEST_CASE("a cache that is asked before a read foretells as much as one that fills during the read",
          "[readahead]") {
  constexpr std::uint64_t kFileBytes = 16 * kMiB;
  constexpr ReadaheadLimits kLimits[] = {
      {32, 320, 0}, {32, 320, kFolioOrderMax}, {2048, 1024, kFolioOrderMax}};
  for (const ReadaheadLimits& limits : kLimits) {
    for (unsigned seed = 1; seed <= 30; ++seed) {
      std::mt19937 dice(seed);
      SimulatedFile file(kFileBytes);
      Reader reader(file, limits);
      LateFile late(kFileBytes, limits);
      std::uint64_t offset = 0;
      for (int call = 0; call < 60; ++call) {
        constexpr std::uint64_t kLengths[] = {4 * kKiB, 100'000, kMiB};
        const std::uint64_t length = kLengths[dice() % 3];
        if (dice() % 4 == 0 || offset >= kFileBytes) offset = dice() % kFileBytes;
        INFO("window " << limits.window_pages_max << ", seed " << seed << ", call " << call);
        REQUIRE(late.read(offset, length) == reader.read(offset, length));
        offset += length;
      }
    }
  }
}

TEST_CASE("pages that came in count as resident once, whatever their order", "[readahead]") {
  SimulatedFile file(100 * kPageBytes);
  file.set(10, 20);
  const ResidencyOracle before = file.counting();
  FetchedPages fetched(before);
  const auto count = [&](std::uint64_t first, std::uint64_t pages) {
    return fetched.oracle().count_resident(fetched.oracle().context, first, pages);
  };
  CHECK(count(0, 100) == 10);
  fetched.add(40, 50);
  fetched.add(15, 25);
  fetched.add(60, 70);
  CHECK(count(0, 100) == 35);
  CHECK(count(22, 20) == 5);
  fetched.add(45, 65);  // joins two runs
  CHECK(count(0, 100) == 45);
  fetched.add(0, 100);
  CHECK(count(0, 100) == 100);
  CHECK(file.count(0, 100) == 10);
}

TEST_CASE("of more runs than there is room for the later ones are left to the answer before the read",
          "[readahead]") {
  SimulatedFile file(1000 * kPageBytes);
  const ResidencyOracle before = file.counting();
  FetchedPages fetched(before);
  for (std::uint64_t page = 0; page < 1000; page += 2) fetched.add(page, page + 1);
  const std::uint64_t kept = fetched.oracle().count_resident(fetched.oracle().context, 0, 1000);
  CHECK(kept > 0);
  CHECK(kept < 500);
  fetched.add(0, 3);  // there is room within a run
  CHECK(fetched.oracle().count_resident(fetched.oracle().context, 0, 3) == 3);
}
