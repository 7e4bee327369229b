// SPDX-License-Identifier: MIT
// disk_queue: random reads by several threads at once, to find how much the disk gains from a longer queue.
#include <atomic>
#include <cstdlib>
#include <thread>

#include "microbench/curve.hpp"
#include "microbench/estimate/disk_shape.hpp"
#include "microbench/estimate/spread.hpp"
#include "microbench/registry_list.hpp"
#include "microbench/test_file.hpp"

namespace microbench {
namespace {

constexpr std::uint64_t kDepths[] = {1, 2, 4, 8, 16, 32};
constexpr std::uint64_t kReads = 96;

// The spread of a quotient of two rates, of which each has the least spread.
constexpr double kGainSpreadShare = 2 * estimate::kSpreadShareMin;

constexpr Output kOutputs[] = {
    {"disk.queue_depth", "1", "threads", "the shortest queue near the best rate of random reads", "",
     "with how many readers at once a program that reads many files is quickest, as xargs -P", true},
    {"disk.queue_gain", "1", "threads", "how many times more random reads a second a long queue gives", "",
     "what a program that reads many files gains by asking for several at once", true},
    {"disk.queue_curve", "1/s", "threads", "random reads a second with so many at once", "microbench report",
     "", true, Kind::kCurve},
};

struct FreeBuffer {
  void operator()(void* p) const { std::free(p); }
};

class DiskQueueSession : public Session {
 public:
  explicit DiskQueueSession(const Context& context) : Session(context) {
    if (!context.file->has_direct()) throw NotAvailable("this file system has no reads past the page cache");
  }

  // Each round measures one depth, in turn: on a slow disk all depths together would take seconds.
  void round() override {
    const std::uint64_t depth = kDepths[next_++ % std::size(kDepths)];
    add(point_key("disk.queue_curve", depth, "1/s"), reads_per_s(depth));
  }

  [[nodiscard]] std::size_t rounds_min() const override { return 5 * std::size(kDepths); }

  [[nodiscard]] std::vector<Finding> findings() const override {
    std::vector<Finding> all = Session::findings();
    if (all.size() < std::size(kDepths))
      throw NotAvailable("the disk is too slow for the time given: --full");
    std::vector<estimate::RatePoint> points;
    double best = 0;
    double alone = 0;
    for (const Finding& finding : all) {
      const auto point = parse_point(finding.key);
      points.push_back({point->x, finding.value});
      best = std::max(best, finding.value);
      if (point->x == 1) alone = finding.value;
    }
    // The rate rises little from one depth to the next, so a small change of a rate can choose the neighbouring depth.
    const auto depth = static_cast<double>(estimate::access_unit_bytes(points));
    all.push_back({"disk.queue_depth", depth, depth, next_});
    if (alone > 0) all.push_back({"disk.queue_gain", best / alone, best / alone * kGainSpreadShare, next_});
    return all;
  }

 private:
  double reads_per_s(std::uint64_t depth) {
    TestFile& file = *context().file;
    std::vector<std::uint64_t> offsets;
    for (std::uint64_t i = 0; i < kReads; ++i) offsets.push_back(file.random_offset(kPageBytes));
    std::atomic<std::uint64_t> next{0};
    std::atomic<std::uint64_t> waiting{0};
    std::atomic<bool> is_started{false};
    std::atomic<bool> has_failed{false};
    std::vector<std::thread> threads;
    for (std::uint64_t i = 0; i < depth; ++i) {
      threads.emplace_back([&] {
        const std::unique_ptr<void, FreeBuffer> buffer(std::aligned_alloc(kPageBytes, kPageBytes));
        ++waiting;
        is_started.wait(false);
        for (std::uint64_t mine = next++; mine < kReads; mine = next++) {
          const auto offset = static_cast<off_t>(offsets[mine]);
          if (!buffer || pread(file.direct_fd(), buffer.get(), kPageBytes, offset) <= 0) has_failed = true;
        }
      });
    }
    while (waiting < depth) std::this_thread::yield();
    const std::uint64_t start = context().timer.now_ns();
    is_started = true;
    is_started.notify_all();
    for (std::thread& thread : threads) thread.join();
    const double ns = context().timer.ns_since(start);
    if (has_failed) throw NotAvailable("cannot read the test file");
    return kReads * 1e9 / ns;
  }

  std::size_t next_ = 0;
};

}  // namespace

extern const Benchmark kDiskQueue{
    "disk_queue",
    "many reads at once",
    "The same number of random reads past the page cache, shared by one thread, two, four and so on.",
    Needs::kTestFile,
    Effort::kQuick,
    kOutputs,
    make_session<DiskQueueSession>};

}  // namespace microbench
