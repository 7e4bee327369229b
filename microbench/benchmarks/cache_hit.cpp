// SPDX-License-Identifier: MIT
// cache_hit: the time to read one byte of a file in the page cache.
#include <algorithm>

#include "microbench/registry_list.hpp"
#include "microbench/test_file.hpp"

namespace microbench {
namespace {

// 32 MiB, larger than most processor caches. Whether 4 MiB fit into a processor cache depends by chance on the pages' addresses.
constexpr std::uint64_t kWarmPages = 8192;
constexpr std::uint64_t kWarmedTogetherBytes = 4 * 1024 * 1024;
constexpr int kReads = 256;

// A hit is a system call and a copy. A read that takes longer than this was answered by a file server or a device.
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
    // The pages are read again in each round, because another benchmark may have dropped them.
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
