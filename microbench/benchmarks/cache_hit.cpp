// SPDX-License-Identifier: MIT
// cache_hit: reading what is in the page cache, one byte and by the KiB.
#include <algorithm>

#include "microbench/registry_list.hpp"
#include "microbench/test_file.hpp"

namespace microbench {
namespace {

// 32 MiB, beyond most processors' own caches: whether 4 MiB fit those is chance, by where their pages lie.
constexpr std::uint64_t kWarmPages = 8192;
constexpr std::uint64_t kWarmedTogetherBytes = 4 * 1024 * 1024;
constexpr std::uint64_t kLongBytes = 65536;
constexpr int kReads = 256;
constexpr int kLongReads = 16;

// A hit is a system call and a copy. A read that takes this long went to a file server or a device.
constexpr double kHitMaxNs = 20'000;

constexpr Output kOutputs[] = {
    {"cache.hit_ns", "ns", "pread_1", "one byte read from a cached page", "tools/discnice/cli", false},
    {"cache.hit_per_kib_ns", "ns", "pread_64k", "each further KiB read from cached pages", "a person", false,
     Kind::kValue, kCalmTime},
};

class CacheHitSession : public Session {
 public:
  using Session::Session;

  void round() override {
    TestFile& file = *context().file;
    // Again in each round: another benchmark may have dropped the pages meanwhile.
    const std::uint64_t pages = std::min(kWarmPages, file.pages());
    for (std::uint64_t offset = 0; offset < pages * kPageBytes; offset += kWarmedTogetherBytes)
      read_all(file.fd(), file.buffer(), std::min(kWarmedTogetherBytes, pages * kPageBytes - offset), offset);
    const gray::timing::Timer& timer = context().timer;
    const std::uint64_t start = timer.ticks();
    for (int i = 0; i < kReads; ++i) {
      read_all(file.fd(), file.buffer(), 1, file.random()() % pages * kPageBytes);
    }
    const double one_ns = timer.ns_since(start) / kReads;
    if (one_ns > kHitMaxNs) throw NotAvailable("reads do not come from a page cache on this file system");
    const std::uint64_t long_start = timer.ticks();
    for (int i = 0; i < kLongReads; ++i) {
      const std::uint64_t place = file.random()() % (pages * kPageBytes / kLongBytes);
      read_all(file.fd(), file.buffer(), kLongBytes, place * kLongBytes);
    }
    const double long_ns = timer.ns_since(long_start) / kLongReads;
    add("cache.hit_ns", one_ns);
    add("cache.hit_per_kib_ns", std::max(long_ns - one_ns, 0.0) / (kLongBytes / 1024.0));
  }
};

}  // namespace

extern const Benchmark kCacheHit{"cache_hit",
                                 "reads of cached pages",
                                 "Random one-byte reads of pages read just before; a batch is timed as a "
                                 "whole. Longer reads give the cost of "
                                 "copying.",
                                 Needs::kTestFile,
                                 Effort::kQuick,
                                 kOutputs,
                                 make_session<CacheHitSession>};

}  // namespace microbench
