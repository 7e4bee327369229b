// SPDX-License-Identifier: MIT
// disk_unit: read bandwidth against the size of the request at random places, and the long sequential rate.
#include <algorithm>

#include "microbench/curve.hpp"
#include "microbench/estimate/disk_shape.hpp"
#include "microbench/registry_list.hpp"
#include "microbench/test_file.hpp"
#include "toolbox/stats/summary.hpp"

namespace microbench {
namespace {

constexpr std::uint64_t kUnitMinBytes = 4096;
constexpr std::uint64_t kUnitMaxBytes = TestFile::kRequestBytesMax;
// Longer requests than this take most of the time of a round, and their times vary less. So a request that is n times longer is made only in every n-th round, with n at most
// kRoundsApartMax.
constexpr std::uint64_t kEveryRoundBytes = 2 * 1024 * 1024;
constexpr std::uint64_t kRoundsApartMax = 4;

constexpr std::uint64_t kStreamBytes = 1024 * 1024;
constexpr int kStreamReads = 4;

constexpr Output kOutputs[] = {
    {"disk.sequential_bytes_per_s", "bytes/s", "direct_1m",
     "rate of the middle request of a long sequential read", "tools/gbp, libgray/src/filecache", "", true},
    {"disk.access_unit_bytes", "bytes", "direct",
     "smallest request, by doubling, near the rate of a long read, at random places",
     "libgray/src/filecache, tools/gbp", "", true},
    {"disk.unit_curve", "bytes/s", "direct", "rate of requests of this size at random places",
     "microbench report", "", true, Kind::kCurve},
};

class DiskUnitSession : public Session {
 public:
  using Session::Session;

  void round() override {
    for (std::uint64_t unit = kUnitMinBytes; unit <= std::min(kUnitMaxBytes, context().file->bytes() / 4);
         unit *= 2) {
      if (rounds_ % std::clamp<std::uint64_t>(unit / kEveryRoundBytes, 1, kRoundsApartMax) != 0) continue;
      const double ns = time_read(unit, context().file->random_offset(unit));
      add(point_key("disk.unit_curve", unit, "bytes/s"), static_cast<double>(unit) * 1e9 / ns);
    }
    read_stream();
    ++rounds_;
  }

  [[nodiscard]] std::size_t rounds_max() const override { return 500; }

  [[nodiscard]] std::vector<Finding> findings() const override {
    std::vector<Finding> all = Session::findings();
    std::vector<estimate::RatePoint> points;
    for (const Finding& finding : all) {
      const auto point = parse_point(finding.key);
      // Uses the lower quartile of the rates: on a shared disk the faster samples rise for some minutes when other users are idle.
      if (point)
        points.push_back({point->x, gray::stats::quantile(values(finding.key), kQuarter).value_or(0)});
    }
    // The peak is the rate of long sequential reads. On a shared disk the largest random requests are faster by half for some minutes. If their rate were used
    // as the peak, the unit would differ from run to run.
    const double peak = gray::stats::quantile(values("disk.sequential_bytes_per_s"), kQuarter).value_or(0);
    const auto unit = static_cast<double>(estimate::access_unit_bytes(points, peak));
    // The curve is flat there, so a small change in bandwidth moves the unit by one step of sizes.
    all.push_back({"disk.access_unit_bytes", unit, unit, values("disk.sequential_bytes_per_s").size()});
    return all;
  }

 private:
  std::uint64_t rounds_ = 0;

  double time_read(std::uint64_t bytes, std::uint64_t offset) {
    TestFile& file = *context().file;
    const std::uint64_t start = context().timer.now_ns();
    read_all(file.direct_fd(), file.buffer(), bytes, offset);
    return context().timer.ns_since(start);
  }

  void read_stream() {
    TestFile& file = *context().file;
    if (!file.has_direct()) file.evict();
    const std::uint64_t offset = file.random_offset((kStreamReads + 1) * kStreamBytes);
    (void)time_read(kStreamBytes, offset);  // moves the head to the place
    // Each read is a separate sample, because a read that was delayed by requests of another program does not measure the disk.
    for (int i = 1; i <= kStreamReads; ++i) {
      const double ns = time_read(kStreamBytes, offset + static_cast<std::uint64_t>(i) * kStreamBytes);
      add("disk.sequential_bytes_per_s", static_cast<double>(kStreamBytes) * 1e9 / ns);
    }
  }
};

}  // namespace

extern const Benchmark kDiskUnit{"disk_unit",
                                 "disk bandwidth by request size",
                                 "Reads past the page cache (O_DIRECT) of every size in turn, at random "
                                 "places of the test file; the sequential rate "
                                 "from requests of one MiB after the first.",
                                 Needs::kTestFile,
                                 Effort::kQuick,
                                 kOutputs,
                                 make_session<DiskUnitSession>};

}  // namespace microbench
