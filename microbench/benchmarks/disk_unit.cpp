// SPDX-License-Identifier: MIT
// disk_unit: read bandwidth against the size of the request at random places, and the long sequential rate.
#include <cmath>
#include <map>

#include "microbench/curve.hpp"
#include "microbench/estimate/disk_shape.hpp"
#include "microbench/registry_list.hpp"
#include "microbench/test_file.hpp"

namespace microbench {
namespace {

constexpr std::uint64_t kUnitMinBytes = 4096;
constexpr std::uint64_t kUnitMaxBytes = TestFile::kRequestBytesMax;
constexpr std::uint64_t kStreamBytes = 1024 * 1024;
constexpr int kStreamReads = 8;

constexpr Output kOutputs[] = {
    {"disk.sequential_bytes_per_s", "bytes/s", "direct_1m",
     "rate of the middle request of a long sequential read", "libgray/src/filecache, tools/discnice/policy",
     true},
    {"disk.access_unit_bytes", "bytes", "direct", "smallest request near the best rate, at random places",
     "libgray/src/filecache, tools/gbp", true},
    {"disk.unit_curve", "bytes/s", "direct", "rate of requests of this size at random places",
     "microbench report", true, Kind::kCurve},
};

class DiskUnitSession : public Session {
 public:
  using Session::Session;

  void round() override {
    for (std::uint64_t unit = kUnitMinBytes; unit <= std::min(kUnitMaxBytes, context().file->bytes() / 4);
         unit *= 2) {
      const double ns = time_read(unit, context().file->random_offset(unit));
      add(point_key("disk.unit_curve", unit, "bytes/s"), static_cast<double>(unit) * 1e9 / ns);
    }
    read_stream();
  }

  [[nodiscard]] std::size_t rounds_max() const override { return 200; }

  [[nodiscard]] std::vector<Finding> findings() const override {
    std::vector<Finding> all = Session::findings();
    std::vector<estimate::RatePoint> points;
    for (const Finding& finding : all) {
      const auto point = parse_point(finding.key);
      if (point) points.push_back({point->x, finding.value});
    }
    const double unit =
        std::round(estimate::crossing_unit_bytes(points) / static_cast<double>(kPageBytes)) * kPageBytes;
    // The curve is flat there: a little more or less of bandwidth is a step of sizes.
    all.push_back({"disk.access_unit_bytes", unit, unit, values("disk.sequential_bytes_per_s").size()});
    return all;
  }

 private:
  double time_read(std::uint64_t bytes, std::uint64_t offset) {
    TestFile& file = *context().file;
    const std::uint64_t start = context().timer.ticks();
    read_all(file.direct_fd(), file.buffer(), bytes, offset);
    return context().timer.ns_since(start);
  }

  void read_stream() {
    TestFile& file = *context().file;
    if (!file.has_direct()) file.evict();
    const std::uint64_t offset = file.random_offset((kStreamReads + 1) * kStreamBytes);
    (void)time_read(kStreamBytes, offset);  // to get there
    // Each for itself: one that is held up by somebody else's requests says nothing of the disk.
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
