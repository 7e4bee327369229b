// SPDX-License-Identifier: MIT
// writeback: the age and the amount at which the kernel starts to write dirty data to the disk, and the slowdown of other programs' reads while
// it writes.
//
// Knowledge assumed: the kernel writes a file back when its oldest change is old enough, or when there is more dirty data than a limit. Above a second limit it pauses the
// writing process. Observed: the count of dirty pages of this program's own files (cachestat), the time of each write, and the time of other reads while data is written back.
// Inferred: the age at which the count falls, the amount at which young data is written back, and the amount at which a write has to wait. The settings in /proc are not read.
// What breaks it: another program that syncs, a small memory cgroup, kernels before 6.5.
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>
#include <thread>
#include <utility>

#include "microbench/registry_list.hpp"
#include "microbench/test_file.hpp"
#include "toolbox/base/clock.hpp"
#include "toolbox/stats/outliers.hpp"
#include "toolbox/stats/sign_test.hpp"
#include "toolbox/stats/summary.hpp"

namespace microbench {
namespace {

constexpr long kCachestatNumber = 451;
constexpr std::uint64_t kAgedBytes = 4 * 1024 * 1024;
constexpr std::uint64_t kPieceBytes = 4 * 1024 * 1024;
constexpr std::uint64_t kFlushedBytes = 128 * 1024 * 1024;

// The length of one slice of a wait. Other benchmarks run between the slices.
constexpr useconds_t kSliceUs = 50'000;

// The kernel looks for old data every few seconds, so an age is known only this precisely.
constexpr double kAgeSpreadNs = 2.5e9;

// By default no host keeps dirty data longer than this.
constexpr std::uint64_t kAgeMaxNs = UINT64_C(45'000'000'000);

// The search for the limits uses no more than this part of memory and of the free disk space, and has a time limit.
constexpr std::uint64_t kMemoryDivisor = 4;
constexpr std::uint64_t kSearchMaxNs = UINT64_C(15'000'000'000);

// The kernel made a write wait if the write takes this many times longer than others, and at least kPauseMinNs.
constexpr double kPauseFactor = 5;
constexpr double kChanceMax = 0.05;
constexpr double kPauseMinNs = 10e6;

constexpr Output kOutputs[] = {
    {"writeback.age_ns", "ns", "dirty_count", "how old dirty data grows before it flows", "",
     "for how long what is written lies in memory only: so much work a power cut takes at most where nothing "
     "is forced",
     true},
    {"writeback.background_bytes", "bytes", "dirty_count", "how much dirty data there may be before it flows",
     "", "how much a program may write before the disk gets busy: a file removed before costs nothing", true},
    {"writeback.pause_bytes", "bytes", "write_times",
     "how much a program has written when its writes are made to wait", "",
     "from where on a program that writes waits for the disk: a burst below it goes at the speed of memory",
     true},
    {"writeback.read_slowdown", "1", "random_reads",
     "how many times longer a random read takes while data flows", "",
     "what others feel while written data flows: whether a copy in the background needs discnice --policy "
     "idle",
     true},
};

struct Counts {
  std::uint64_t cached, dirty, writeback, evicted, recently_evicted;
};

std::optional<Counts> counts_of(int fd) {
  const std::uint64_t range[2] = {0, 0};  // to the end of the file
  Counts counts{};
  if (syscall(kCachestatNumber, fd, range, &counts, 0U) != 0) return std::nullopt;
  return counts;
}

class WritebackSession : public Session {
 public:
  explicit WritebackSession(const Context& context) : Session(context) {
    if (!context.file->is_writable()) throw NotAvailable("the file is not ours: it is only read");
    if (context.effort != Effort::kFull) throw NotAvailable("it takes most of a minute: --full");
    aged_ = make_nameless(context.file->directory(), 0);
    write_all(aged_.get(), context.file->buffer(), kAgedBytes, 0);
    aged_start_ns_ = gray::base::monotonic_ns();
    const auto counts = counts_of(aged_.get());
    if (!counts || counts->dirty == 0)
      throw NotAvailable("this kernel does not tell which pages of a file are dirty");
    aged_pages_ = counts->dirty;
  }

  void round() override {
    if (slices_++ == 0) {
      measure_slowdown();
      return;
    }
    usleep(kSliceUs);
    const auto counts = counts_of(aged_.get());
    const std::uint64_t age_ns = gray::base::monotonic_ns() - aged_start_ns_;
    if (counts && counts->dirty < aged_pages_ / 2) age_ns_ = static_cast<double>(age_ns);
    is_finished_ = age_ns_ > 0 || age_ns > kAgeMaxNs;
    // The limits are searched last, because above the limit all dirty data is written back, whether it is old or young.
    if (is_finished_) find_limits();
  }

  [[nodiscard]] std::size_t rounds_max() const override { return is_finished_ ? 0 : SIZE_MAX; }

  [[nodiscard]] std::vector<Finding> findings() const override {
    std::vector<Finding> all;
    if (age_ns_ > 0) all.push_back({"writeback.age_ns", age_ns_, kAgeSpreadNs, 1});
    if (background_bytes_ > 0)
      all.push_back({"writeback.background_bytes", background_bytes_, background_bytes_ / 10, 1});
    if (pause_bytes_ > 0) all.push_back({"writeback.pause_bytes", pause_bytes_, pause_bytes_ / 5, 1});
    if (slowdown_ > 0) all.push_back({"writeback.read_slowdown", slowdown_, slowdown_ / 3, slowed_reads_});
    if (all.empty()) throw NotAvailable("no dirty data flowed in the time given");
    return all;
  }

 private:
  double time_random_read() {
    TestFile& file = *context().file;
    const std::uint64_t start = context().timer.now_ns();
    read_all(file.direct_fd(), file.buffer(), kPageBytes, file.random_offset(kPageBytes));
    return context().timer.ns_since(start);
  }

  void measure_slowdown() {
    if (!context().file->has_direct()) return;
    const gray::base::ScopedFd file = make_nameless(context().file->directory(), 0);
    for (std::uint64_t done = 0; done < kFlushedBytes; done += kPieceBytes) {
      write_all(file.get(), context().file->buffer(), kPieceBytes, done);
    }
    std::vector<double> idle_ns;
    std::vector<double> busy_ns;
    for (int i = 0; i < 50; ++i) idle_ns.push_back(time_random_read());
    std::atomic<bool> is_flowing{true};
    std::thread flusher([&] {
      fdatasync(file.get());
      is_flowing = false;
    });
    while (is_flowing) busy_ns.push_back(time_random_read());
    flusher.join();
    compare(calm_of(idle_ns), std::move(busy_ns));
  }

  // The times without the times of delayed reads: a read that was delayed while no data was written back was delayed by another
  // program.
  static std::vector<double> calm_of(const std::vector<double>& times_ns) {
    const auto outliers = gray::stats::find_outliers(times_ns);
    if (!outliers) return times_ns;
    std::vector<double> calm;
    for (std::size_t i = 0; i < times_ns.size(); ++i)
      if (std::fabs(outliers.value().scores[i]) <= gray::stats::kOutlierScore) calm.push_back(times_ns[i]);
    return calm;
  }

  // A difference that chance alone would cause with a probability of 5 % or more does not count as a slowdown.
  void compare(std::vector<double> idle_ns, std::vector<double> busy_ns) {
    const auto idle = gray::stats::summarize(idle_ns);
    const auto busy = gray::stats::summarize(busy_ns);
    if (!idle || !busy) return;
    slowed_reads_ = busy_ns.size();
    slowdown_ = busy.value().mean / idle.value().mean;
    const std::size_t pairs = std::min(idle_ns.size(), busy_ns.size());
    idle_ns.resize(pairs);
    busy_ns.resize(pairs);
    const auto test = gray::stats::paired_sign_test(idle_ns, busy_ns);
    if (test && test.value().p_value > kChanceMax) slowdown_ = 1;
  }

  [[nodiscard]] static std::uint64_t search_bytes_max() {
    struct sysinfo info {};
    if (sysinfo(&info) != 0) return 0;
    return static_cast<std::uint64_t>(info.freeram) * info.mem_unit / kMemoryDivisor;
  }

  // Writes until young data is written back, and until a write has to wait.
  void find_limits() {
    const gray::base::ScopedFd file = make_nameless(context().file->directory(), 0);
    const std::uint64_t start_ns = gray::base::monotonic_ns();
    std::vector<double> times;
    for (std::uint64_t done = 0; done < search_bytes_max(); done += kPieceBytes) {
      const std::uint64_t start = context().timer.now_ns();
      try {
        write_all(file.get(), context().file->buffer(), kPieceBytes, done);
      } catch (const NotAvailable&) {
        return;  // the disk is full: the limits found so far count
      }
      times.push_back(context().timer.ns_since(start));
      const auto counts = counts_of(file.get());
      const auto written = static_cast<double>(done + kPieceBytes);
      const bool flows = counts && (counts->writeback > 0 || counts->dirty * kPageBytes + kPieceBytes < done);
      if (background_bytes_ == 0 && flows) background_bytes_ = written;
      const double usual_ns = gray::stats::summarize(times).value().median;
      if (times.back() > kPauseMinNs && times.back() > kPauseFactor * usual_ns && background_bytes_ > 0) {
        pause_bytes_ = written;
        return;
      }
      if (gray::base::monotonic_ns() - start_ns > kSearchMaxNs) return;
    }
  }

  gray::base::ScopedFd aged_;
  std::uint64_t aged_start_ns_ = 0;
  std::uint64_t aged_pages_ = 0;
  std::uint64_t slices_ = 0;
  std::uint64_t slowed_reads_ = 0;
  double age_ns_ = 0;
  double background_bytes_ = 0;
  double pause_bytes_ = 0;
  double slowdown_ = 0;
  bool is_finished_ = false;
};

}  // namespace

extern const Benchmark kWriteback{"writeback",
                                  "write-back",
                                  "The kernel's count of dirty pages of our own files, watched while they "
                                  "age and while they grow; reads timed while "
                                  "a file is flushed.",
                                  Needs::kTestFile,
                                  Effort::kFull,
                                  kOutputs,
                                  make_session<WritebackSession>};

}  // namespace microbench
