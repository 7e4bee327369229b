// SPDX-License-Identifier: MIT
// cache_hit: measures reading one byte that is in the page cache.
#include <algorithm>

#include "microbench/registry_list.hpp"
#include "microbench/test_file.hpp"

namespace microbench {
namespace {

// 32 MiB, beyond most processors' own caches: whether 4 MiB fit those is chance, by where their pages lie.
constexpr std::uint64_t kWarmPages = 8192;
constexpr std::uint64_t kWarmedTogetherBytes = 4 * 1024 * 1024;
constexpr int kReads = 256;

// A hit is a system call and a copy. A read that takes this long came from a file server or a device.
constexpr double kHitMaxNs = 20'000;

constexpr Output kOutputs[] = {
    {"cache.hit_ns", "ns", "pread_1", "one byte read from a cached page",
     "tools/discnice/cli, libgray/src/filecache", "", false},
};

class CacheHitSession : public Session {
 public:
  using Session::Session;

  void round() override {
    TestFile& file = *context().file;
    // This is done again in each round, because another benchmark may have dropped the pages meanwhile.
    const std::uint64_t pages = std::min(kWarmPages, file.pages());
    for (std::uint64_t offset = 0; offset < pages * kPageBytes; offset += kWarmedTogetherBytes)
      read_all(file.fd(), file.buffer(), std::min(kWarmedTogetherBytes, pages * kPageBytes - offset), offset);
    const gray::timing::Timer& timer = context().timer;
    const std::uint64_t start = timer.now_ns();
    for (int i = 0; i < kReads; ++i) {
      read_all(file.fd(), file.buffer(), 1, file.random()() % pages * kPageBytes);
    }
    const double one_ns = timer.ns_since(start) / kReads;
    if (one_ns > kHitMaxNs) throw NotAvailable("reads do not come from a page cache on this file system");
    add("cache.hit_ns", one_ns);
  }
};

}  // namespace

extern const Benchmark kCacheHit{"cache_hit",
                                 "reads of cached pages",
                                 "Random one-byte reads of pages read just before; a batch is timed as a "
                                 "whole.",
                                 Needs::kTestFile,
                                 Effort::kQuick,
                                 kOutputs,
                                 make_session<CacheHitSession>};

}  // namespace microbench
