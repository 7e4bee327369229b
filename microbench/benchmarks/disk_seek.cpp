// SPDX-License-Identifier: MIT
// disk_seek: the time of a read as a function of its distance from the last read. It shows whether the disk has a head.
//
// Root may read the device itself, so that distances cover the whole disk. Other users are limited to the test file, whose blocks are assumed to lie in one stretch.
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <filesystem>
#include <map>

#include <fmt/core.h>

#include "microbench/curve.hpp"
#include "microbench/estimate/disk_shape.hpp"
#include "microbench/registry_list.hpp"
#include "microbench/test_file.hpp"
#include "toolbox/stats/summary.hpp"

namespace microbench {
namespace {

// Reads at shorter distances may be answered from the disk's own read-ahead.
constexpr std::uint64_t kJumpMinBytes = 2 * 1024 * 1024;

// Each distance varies at random by this much. For exactly the same number of bytes the disk turns by the same angle every time, wherever the jump begins, so that all samples
// would be equal. This length is more than a track on any disk.
constexpr std::uint64_t kJitterBytes = 1024 * 1024;

constexpr std::uint64_t kDistanceMinBytes = kJumpMinBytes + kJitterBytes;

// The shortest jumps show how long the head takes to settle, but their times scatter by a whole turn. So there are more of these jumps, in chains in which each
// jump begins at the end of the jump before.
constexpr int kShortChains = 3;

// The ratio of one distance to the next.
constexpr std::uint64_t kDistanceFactor = 2;

constexpr Output kOutputs[] = {
    {"disk.is_rotational", "1", "seeks", "1 if distance costs time as under a moving head",
     "microbench report",
     "what the disk is, by its times: a virtual disk often tells the kernel something else", true},
    {"disk.seek_settle_ns", "ns", "seeks", "the shortest seek, without rotation and transfer",
     "libgray/src/filecache", "", true},
    {"disk.seek_average_ns", "ns", "seeks", "a seek over a third of the stretch, the same way",
     "libgray/src/filecache", "", true},
    {"disk.seek_full_ns", "ns", "seeks", "a seek over all of it", "",
     "the longest way of the head: what two programs pay whose files lie at the two ends", true},
    {"disk.rotation_ns", "ns", "seeks", "one turn; 0 where nothing turns", "libgray/src/filecache", "", true},
    {"disk.seek_span_bytes", "bytes", "seeks", "the stretch the distances lie in", "libgray/src/filecache",
     "", true},
    {"disk.seek_curve", "ns", "seeks", "a read at this distance from the last one", "microbench report", "",
     true, Kind::kCurve},
};

class DiskSeekSession : public Session {
 public:
  explicit DiskSeekSession(const Context& context) : Session(context) {
    open_device();
    if (!device_.is_open() && !context.file->has_direct()) {
      throw NotAvailable("this file system has no reads past the page cache");
    }
    choose_distances();
    if (distances_.size() < 3) throw NotAvailable("the test file is too short to seek in");
  }

  void round() override {
    for (int chain = 0; chain < kShortChains; ++chain) jump_in_a_row();
    for (std::size_t i = std::min(estimate::kSettleDistances, distances_.size()); i < distances_.size();
         ++i) {
      add_jump(distances_[i], time_jump(jittered(distances_[i])));
    }
    add("near_ns", by_distance_[distances_.front()].back());
    add("far_ns", by_distance_[distances_.back()].back());
    add("next_ns", time_next());
  }

  // The disk's turn adds an evenly distributed time, so a fixed number of rounds is better than a criterion on the interval.
  [[nodiscard]] std::size_t rounds_min() const override {
    return context().effort == Effort::kQuick ? 15 : 60;
  }
  [[nodiscard]] std::size_t rounds_max() const override {
    return context().effort == Effort::kFull ? 1000 : 200;
  }

  [[nodiscard]] std::vector<Finding> findings() const override {
    std::vector<Finding> all;
    estimate::SeekFit fit = estimate::fit_seek(samples_, median("next_ns"));
    const std::uint64_t count = samples_.size();
    const bool is_rotational = estimate::is_rotational(fit, median("far_ns"));
    if (!is_rotational) fit = {};  // without a head there are no seeks, and the fit is noise
    all.push_back({"disk.is_rotational", is_rotational ? 1.0 : 0.0, 0, count});
    // The error of the middle of n values spread over a turn is about this, and the error of a fit of several such values is
    // similar.
    const auto per_distance = static_cast<double>(count) / static_cast<double>(distances_.size());
    const double error_ns =
        std::max(fit.rotation_ns, median("far_ns") / 10) / std::max(per_distance, 1.0) * 2;
    all.push_back({"disk.seek_settle_ns", fit.settle_ns, error_ns, count});
    all.push_back({"disk.seek_average_ns", fit.average_ns, error_ns, count});
    all.push_back({"disk.seek_full_ns", fit.full_ns, error_ns, count});
    all.push_back({"disk.rotation_ns", fit.rotation_ns, error_ns, count});
    all.push_back({"disk.seek_span_bytes", static_cast<double>(span_bytes_), 0, 1});
    for (const auto& [distance, times] : by_distance_) {
      const auto summary = gray::stats::summarize(times);
      if (summary)
        all.push_back({point_key("disk.seek_curve", distance, "ns"), summary.value().median,
                       summary.value().median_deviation, times.size()});
    }
    return all;
  }

 private:
  // Short distances double from one to the next; long distances, where the head may run at full speed, have equal steps.
  void choose_distances() {
    std::uint64_t distance = kDistanceMinBytes;
    for (; distance <= span_bytes_ / 3; distance *= kDistanceFactor) distances_.push_back(distance);
    for (const std::uint64_t tenths : {4U, 5U, 6U, 7U, 8U, 9U}) {
      const std::uint64_t far = span_bytes_ / 10 * tenths / kPageBytes * kPageBytes;
      if (far >= kDistanceMinBytes && far + kJitterBytes + kPageBytes <= span_bytes_)
        distances_.push_back(far);
    }
  }

  void open_device() {
    struct stat info {};
    span_bytes_ = context().file->bytes();
    if (fstat(context().file->fd(), &info) != 0) return;
    // Only the name is read here: all properties of the disk come from its times.
    const std::string link = fmt::format("/sys/dev/block/{}:{}", major(info.st_dev), minor(info.st_dev));
    std::error_code error;
    const std::string name = std::filesystem::read_symlink(link, error).filename();
    if (name.empty()) return;
    device_ = gray::base::ScopedFd::open(("/dev/" + name).c_str(), O_RDONLY | O_DIRECT);
    std::uint64_t bytes = 0;
    if (device_.is_open() && ioctl(device_.get(), BLKGETSIZE64, &bytes) == 0 && bytes > span_bytes_) {
      span_bytes_ = bytes / kPageBytes * kPageBytes;
    } else {
      device_.reset();
    }
  }

  double time_read(std::uint64_t offset) {
    const int fd = device_.is_open() ? device_.get() : context().file->direct_fd();
    const std::uint64_t start = context().timer.now_ns();
    read_all(fd, context().file->buffer(), kPageBytes, offset);
    return context().timer.ns_since(start);
  }

  void add_jump(std::uint64_t distance, double ns) {
    by_distance_[distance].push_back(ns);
    samples_.push_back({static_cast<double>(distance) / static_cast<double>(span_bytes_), ns});
  }

  std::uint64_t jittered(std::uint64_t distance) {
    const std::uint64_t pages = 2 * kJitterBytes / kPageBytes + 1;
    return distance - kJitterBytes + context().file->random()() % pages * kPageBytes;
  }

  void jump_in_a_row() {
    std::uint64_t place = context().file->random()() % (span_bytes_ / kPageBytes) * kPageBytes;
    (void)time_read(place);
    const std::size_t count = std::min(estimate::kSettleDistances, distances_.size());
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t distance = jittered(distances_[i]);
      bool is_up = context().file->random()() % 2 == 0;
      if (place < distance) is_up = true;
      if (place + distance + kPageBytes > span_bytes_) is_up = false;
      if (!is_up && place < distance) return;  // no room on either side: a new chain begins elsewhere
      place = is_up ? place + distance : place - distance;
      add_jump(distances_[i], time_read(place));
    }
  }

  double time_jump(std::uint64_t distance) {
    const std::uint64_t places = (span_bytes_ - distance) / kPageBytes;
    const std::uint64_t low = context().file->random()() % places * kPageBytes;
    const bool is_up = context().file->random()() % 2 == 0;
    (void)time_read(is_up ? low : low + distance);
    return time_read(is_up ? low + distance : low);
  }

  // Reads the page after the last page: a transfer without positioning.
  double time_next() {
    const std::uint64_t offset = context().file->random()() % (span_bytes_ / kPageBytes - 1) * kPageBytes;
    (void)time_read(offset);
    return time_read(offset + kPageBytes);
  }

  gray::base::ScopedFd device_;
  std::uint64_t span_bytes_ = 0;
  std::vector<std::uint64_t> distances_;
  std::map<std::uint64_t, std::vector<double>> by_distance_;
  std::vector<estimate::SeekSample> samples_;
};

}  // namespace

extern const Benchmark kDiskSeek{"disk_seek",
                                 "seek time by distance",
                                 "A page read at a known distance from the page read before, up and down, "
                                 "from random places; over the whole device "
                                 "where it may be read, else within the test file.",
                                 Needs::kTestFile,
                                 Effort::kQuick,
                                 kOutputs,
                                 make_session<DiskSeekSession>};

}  // namespace microbench
