// SPDX-License-Identifier: MIT
// memory_reclaim: the time that the kernel needs to give up a clean page of the page cache, and to fetch a page from swap.
//
// Knowledge assumed: MADV_PAGEOUT runs the kernel's reclaim over a range of memory, without privilege and without pressure on other processes. Observed: its time, which pages
// are gone afterwards (mincore, cachestat), and which touches were major faults. Inferred: the cost for each page. A page that was just written to swap stays in memory as well
// until it is reclaimed once more. So the page is read, which keeps its place in swap, and is then paged out again. What breaks it: kernels before 5.4; swap in
// memory (zram), whose pages come back nearly as fast as from memory.
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <vector>

#include "microbench/mapping.hpp"
#include "microbench/registry_list.hpp"
#include "microbench/test_file.hpp"

namespace microbench {
namespace {

constexpr int kPageOut = 21;  // MADV_PAGEOUT, which older headers lack
constexpr std::size_t kPages = 1024;

// The time for the disk to write the pages that were paged out.
constexpr int kPutOutTries = 20;
constexpr useconds_t kPutOutPauseUs = 5000;

constexpr Output kReclaimOutputs[] = {
    {"memory.reclaim_page_ns", "ns", "pageout", "giving up one clean page of the page cache",
     "libgray/src/memory, microbench report", "", false, Kind::kValue, kCalmestTime},
};

constexpr Output kSwapOutputs[] = {
    {"memory.swap_in_ns", "ns", "pageout", "a touch of a page that is in swap",
     "libgray/src/memory, microbench report", "", false},
    {"memory.swap_out_page_ns", "ns", "pageout", "writing one page to swap, of many together",
     "libgray/src/memory", "", false},
};

class ReclaimSession : public Session {
 public:
  explicit ReclaimSession(const Context& context) : Session(context) {
    if (!context.file->knows_residency())
      throw NotAvailable("the kernel does not tell which pages are in memory");
  }

  void round() override {
    TestFile& file = *context().file;
    read_all(file.fd(), file.buffer(), kPages * kPageBytes, 0);
    const Mapping view(kPages * kPageBytes, 0, file.fd());
    char sum = 0;
    for (std::size_t i = 0; i < kPages; ++i) {
      sum = static_cast<char>(sum ^ *static_cast<volatile char*>(view.data() + i * kPageBytes));
    }
    const std::uint64_t start = context().timer.now_ns();
    const bool is_known = view.advise(kPageOut);
    const double ns = context().timer.ns_since(start);
    const std::uint64_t gone = kPages - file.resident(0, kPages).value_or(kPages);
    if (!is_known || gone < kPages / 2) throw NotAvailable("this kernel does not reclaim on request");
    add("memory.reclaim_page_ns", ns / static_cast<double>(gone));
  }
};

long major_faults() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_majflt;
}

bool has_swap() {
  std::ifstream swaps("/proc/swaps");
  std::string line;
  int lines = 0;
  while (std::getline(swaps, line)) ++lines;
  return lines > 1;  // the first line holds the headings
}

class SwapSession : public Session {
 public:
  explicit SwapSession(const Context& context) : Session(context) {
    if (!has_swap()) throw NotAvailable("this host has no swap");
  }

  void round() override {
    const Mapping memory(kPages * kPageBytes);
    [[maybe_unused]] const bool is_small = memory.advise(MADV_NOHUGEPAGE);
    for (std::size_t i = 0; i < memory.bytes(); ++i)
      memory.data()[i] = static_cast<char>(i * 2654435761U >> 7U);
    const gray::timing::Timer& timer = context().timer;
    const std::uint64_t start = timer.now_ns();
    const bool is_known = memory.advise(kPageOut);
    const double out_ns = timer.ns_since(start);
    for (int i = 0; i < kPutOutTries && is_known && count_gone(memory) < kPages / 2; ++i)
      put_out_again(memory);
    std::size_t faults = 0;
    for (std::size_t i = 0; i < kPages; ++i) {
      const long before = major_faults();
      const std::uint64_t touch = timer.now_ns();
      *static_cast<volatile char*>(memory.data() + i * kPageBytes) = 1;
      const double ns = timer.ns_since(touch);
      if (major_faults() == before) continue;
      add("memory.swap_in_ns", ns);
      ++faults;
    }
    if (!is_known || faults == 0)
      throw NotAvailable("pages put out are still in the swap cache: nothing had to come from swap");
    add("memory.swap_out_page_ns", out_ns / static_cast<double>(kPages));
  }

 private:
  // The number of pages that are neither mapped nor in the swap cache.
  static std::size_t count_gone(const Mapping& memory) {
    std::vector<unsigned char> is_there(kPages, 1);
    if (mincore(memory.data(), memory.bytes(), is_there.data()) != 0) return 0;
    return static_cast<std::size_t>(
        std::count_if(is_there.begin(), is_there.end(), [](unsigned char byte) { return (byte & 1U) == 0; }));
  }

  static void put_out_again(const Mapping& memory) {
    usleep(kPutOutPauseUs);
    for (std::size_t i = 0; i < kPages; ++i)
      (void)*static_cast<const volatile char*>(memory.data() + i * kPageBytes);
    [[maybe_unused]] const bool is_known = memory.advise(kPageOut);
  }
};

}  // namespace

extern const Benchmark kMemoryReclaim{
    "memory_reclaim",
    "the reclaim of clean pages",
    "The kernel is asked to reclaim a mapping of cached pages, and counts afterwards say how many went.",
    Needs::kTestFile,
    Effort::kDefault,
    kReclaimOutputs,
    make_session<ReclaimSession>};

extern const Benchmark kMemorySwap{
    "memory_swap",
    "swap",
    "The kernel is asked to put a few MiB of this program out; touches that were major faults are timed.",
    Needs::kNothing,
    Effort::kDefault,
    kSwapOutputs,
    make_session<SwapSession>};

}  // namespace microbench
