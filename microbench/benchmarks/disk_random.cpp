// SPDX-License-Identifier: MIT
// disk_random: the time to read a page at a random place, and the ratio of this time to the time of a page in sequence.
#include "microbench/estimate/spread.hpp"
#include "microbench/registry_list.hpp"
#include "microbench/test_file.hpp"
#include "toolbox/stats/summary.hpp"

namespace microbench {
namespace {

// On a shared disk the first reads after long reads, or after other work, take up to twice as long. These reads are not counted.
constexpr int kFirstReads = 2;
constexpr int kReads = 16;
constexpr std::uint64_t kStreamBytes = 1024 * 1024;
constexpr std::uint64_t kTimedRequests = 2;

constexpr Output kOutputs[] = {
    {"disk.random_read_ns", "ns", "direct_4k",
     "a page at a random place of the test file, past the page cache",
     "tools/discnice/cli, libgray/src/filecache", "", true},
    {"disk.random_over_sequential", "1", "direct_4k",
     "how many times longer a page takes in random than in sequence", "libgray/src/filecache", "", true},
};

class DiskRandomSession : public Session {
 public:
  explicit DiskRandomSession(const Context& context) : Session(context) {
    if (!context.file->has_direct()) throw NotAvailable("this file system has no reads past the page cache");
  }

  void round() override {
    TestFile& file = *context().file;
    const gray::timing::Timer& timer = context().timer;
    for (int i = 0; i < kFirstReads + kReads; ++i) {
      const std::uint64_t start = timer.now_ns();
      read_all(file.direct_fd(), file.buffer(), kPageBytes, file.random_offset(kPageBytes));
      const double ns = timer.ns_since(start);
      if (i >= kFirstReads) add("disk.random_read_ns", ns);
    }
    const std::uint64_t offset = file.random_offset((1 + kTimedRequests) * kStreamBytes);
    read_all(file.direct_fd(), file.buffer(), kStreamBytes, offset);
    for (std::uint64_t i = 1; i <= kTimedRequests; ++i) {
      const std::uint64_t start = timer.now_ns();
      read_all(file.direct_fd(), file.buffer(), kStreamBytes, offset + i * kStreamBytes);
      page_ns_.push_back(timer.ns_since(start) * static_cast<double>(kPageBytes) / kStreamBytes);
    }
  }

  [[nodiscard]] std::vector<Finding> findings() const override {
    std::vector<Finding> all = Session::findings();
    const auto page = gray::stats::summarize(page_ns_);
    if (!page || page.value().median <= 0) return all;
    const double ratio = median("disk.random_read_ns") / page.value().median;
    const double share = estimate::spread_of(page_ns_) / page.value().median + estimate::kSpreadShareMin;
    all.push_back({"disk.random_over_sequential", ratio, ratio * share, page_ns_.size()});
    return all;
  }

 private:
  std::vector<double> page_ns_;
};

}  // namespace

extern const Benchmark kDiskRandom{"disk_random",
                                   "random reads",
                                   "Single pages past the page cache (O_DIRECT), one at a time, each timed "
                                   "alone; in the same round a sequential read "
                                   "to compare with.",
                                   Needs::kTestFile,
                                   Effort::kQuick,
                                   kOutputs,
                                   make_session<DiskRandomSession>};

}  // namespace microbench
