// SPDX-License-Identifier: MIT
// cache_roc: one-byte reads of pages that are known to be cached or not cached, and the threshold time that tells the two apart.
//
// Knowledge assumed: a miss waits for the device. A hit does not wait. Observed: the time of each read, and whether the kernel (cachestat, mincore) says before
// and after the read that the page is cached. Inferred: the threshold with the fewest errors, and the share of errors that remains. What breaks it: a device
// nearly as fast as memory; a host that takes the processor away.
#include <algorithm>
#include <numeric>

#include "microbench/curve.hpp"
#include "microbench/estimate/threshold.hpp"
#include "microbench/registry_list.hpp"
#include "microbench/test_file.hpp"

namespace microbench {
namespace {

// Half of the probes are hits, half are misses, in random order, so that the processor's caches favour neither kind.
constexpr std::size_t kProbes = 32;

// A threshold that errs in more than this share of the cases is useless.
constexpr double kErrorShareMax = 0.5;

constexpr Output kOutputs[] = {
    {"disk.miss_ns", "ns", "pread_1", "one byte read from a page that is not cached",
     "tools/discnice/cli, libgray/src/filecache", "", true},
    {"cache.threshold_ns", "ns", "roc", "a read that takes longer was a miss",
     "libgray/src/filecache, tools/discnice/cli", "", true},
    {"cache.false_miss_share", "1", "roc", "of the hits, how many take longer than the threshold", "",
     "how far the threshold can be trusted: near 0 here and below, or the two kinds overlap", true},
    {"cache.false_hit_share", "1", "roc", "of the misses, how many do not", "",
     "how far the threshold can be trusted: beyond a hundredth cached and uncached reads look alike", true},
    {"cache.hit_histogram", "count", "roc", "how long hits took", "microbench report", "", true,
     Kind::kCurve},
    {"cache.miss_histogram", "count", "roc", "how long misses took", "microbench report", "", true,
     Kind::kCurve},
};

class CacheRocSession : public Session {
 public:
  using Session::Session;

  void round() override {
    TestFile& file = *context().file;
    file.evict();
    std::vector<std::uint64_t> pages;
    while (pages.size() < kProbes) {
      // Probed pages are not neighbours, so that reading one page does not fetch another probed page.
      const std::uint64_t page = file.random_page() / 4 * 4 + 1;
      if (page < file.pages() && std::find(pages.begin(), pages.end(), page) == pages.end())
        pages.push_back(page);
    }
    for (std::size_t i = 0; i < kProbes / 2; ++i)
      read_all(file.fd(), file.buffer(), 1, pages[i] * kPageBytes);
    std::vector<std::size_t> order(kProbes);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), file.random());
    for (const std::size_t i : order) probe(pages[i], i < kProbes / 2);
  }

  // Quick misses and slow hits, between which the threshold lies, are rare, so many rounds are needed.
  [[nodiscard]] std::size_t rounds_min() const override { return 40; }

  [[nodiscard]] std::vector<Finding> findings() const override {
    if (hits_ns_.empty() || misses_ns_.empty())
      throw NotAvailable("no page could be dropped from the page cache");
    const estimate::Threshold best = estimate::best_threshold(hits_ns_, misses_ns_);
    if (best.false_hit_share + best.false_miss_share > kErrorShareMax) {
      throw NotAvailable("hits and misses take the same time here");
    }
    std::vector<Finding> all = Session::findings();
    const std::uint64_t samples = hits_ns_.size() + misses_ns_.size();
    all.push_back({"cache.threshold_ns", best.threshold_ns, best.threshold_ns / 2, samples});
    all.push_back({"cache.false_miss_share", best.false_miss_share, error_of(best.false_miss_share, hits_ns_),
                   hits_ns_.size()});
    all.push_back({"cache.false_hit_share", best.false_hit_share, error_of(best.false_hit_share, misses_ns_),
                   misses_ns_.size()});
    add_histogram("cache.hit_histogram", hits_ns_, all);
    add_histogram("cache.miss_histogram", misses_ns_, all);
    return all;
  }

 private:
  // Two standard errors of a share, plus the change that one additional or missing sample would make.
  static double error_of(double share, const std::vector<double>& samples) {
    const auto n = static_cast<double>(samples.size());
    return 2 * std::sqrt(share * (1 - share) / n) + 1 / n;
  }

  static void add_histogram(const char* curve, const std::vector<double>& times, std::vector<Finding>& all) {
    for (const estimate::Bin& bin : estimate::histogram(times)) {
      all.push_back({point_key(curve, bin.low_ns, "count"), bin.count, std::nullopt, times.size()});
    }
  }

  void probe(std::uint64_t page, bool is_warmed) {
    TestFile& file = *context().file;
    const gray::timing::Timer& timer = context().timer;
    const auto before = file.resident(page, 1);
    const std::uint64_t start = timer.now_ns();
    read_all(file.fd(), file.buffer(), 1, page * kPageBytes);
    const double time_ns = std::max(timer.ns_since(start) - timer.cost_ns(), 0.0);
    const auto after = file.resident(page, 1);
    // When the kernel tells whether the page was cached, its answer is used. A page that was fetched or dropped in the meantime is not used
    // as a sample.
    const bool is_hit = before ? *before == 1 : is_warmed;
    if (after && *after != 1) return;
    if (is_hit != is_warmed) return;
    (is_hit ? hits_ns_ : misses_ns_).push_back(time_ns);
    if (!is_hit) add("disk.miss_ns", time_ns);
  }

  std::vector<double> hits_ns_;
  std::vector<double> misses_ns_;
};

}  // namespace

extern const Benchmark kCacheRoc{"cache_roc",
                                 "hits and misses apart",
                                 "Single reads of warm and dropped pages in random order; the kernel's own "
                                 "word on each page (cachestat or mincore), "
                                 "before and after, says what it was.",
                                 Needs::kTestFile,
                                 Effort::kQuick,
                                 kOutputs,
                                 make_session<CacheRocSession>};

}  // namespace microbench
