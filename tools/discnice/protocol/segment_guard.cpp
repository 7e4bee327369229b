// SPDX-License-Identifier: MIT
#include "tools/discnice/protocol/segment_guard.hpp"

#include <atomic>
#include <csignal>

#include <sys/mman.h>
#include <sys/syscall.h>

#include "toolbox/base/raw_sys.hpp"

namespace discnice::protocol {
namespace {

using gray::base::is_raw_error;
using gray::base::raw_syscall;

constexpr std::uint64_t kPageBytes = 4096;  // the least there is; of a larger page the kernel maps all

constexpr unsigned kGuardedMax = 3;  // a job's segment, its ring, the board of disks

struct Guarded {
  std::uint64_t start;
  std::uint64_t bytes;
};

Guarded guarded[kGuardedMax];
std::atomic<unsigned> guarded_count{0};  // 0: every page
std::atomic<std::uint64_t> lost_at{0};   // where memory was lost last

bool map_empty(std::uint64_t address, std::uint64_t bytes) {
  return !is_raw_error(raw_syscall(SYS_mmap, static_cast<long>(address), static_cast<long>(bytes),
                                   PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
}

bool replace(const void* address) {
  const auto at = reinterpret_cast<std::uint64_t>(address);
  const unsigned count = guarded_count.load(std::memory_order_acquire);  // pairs with guard_memory()
  if (count == 0) return map_empty(at & ~(kPageBytes - 1), kPageBytes);
  for (unsigned i = 0; i < count; ++i) {
    if (at >= guarded[i].start && at < guarded[i].start + guarded[i].bytes)
      return map_empty(guarded[i].start, guarded[i].bytes);
  }
  return false;
}

void on_bus_error(int number, siginfo_t* info, void* /*context*/) {
  const bool is_fault = info->si_code > 0;
  if (is_fault && replace(info->si_addr)) {
    lost_at.store(reinterpret_cast<std::uint64_t>(info->si_addr), std::memory_order_relaxed);
    return;
  }
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  sigaction(number, &standard, nullptr);
  if (!is_fault) raise(number);  // a fault comes again by itself
}

void listen() {
  struct sigaction before {};
  if (sigaction(SIGBUS, nullptr, &before) != 0 || before.sa_handler != SIG_DFL) return;
  struct sigaction action {};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  sigaction(SIGBUS, &action, nullptr);
}

}  // namespace

void guard_memory(void* start, std::size_t bytes) {
  const unsigned count = guarded_count.load(std::memory_order_relaxed);
  if (count == kGuardedMax) return;
  guarded[count] = {reinterpret_cast<std::uint64_t>(start), bytes};
  guarded_count.store(count + 1, std::memory_order_release);  // pairs with replace()
  if (count == 0) listen();
}

void guard_all_memory() {
  listen();
}

bool is_lost(const Segment& segment) {
  const auto start = reinterpret_cast<std::uint64_t>(&segment);
  const std::uint64_t at = lost_at.load(std::memory_order_relaxed);
  const bool has_lost_memory = at >= start && at < start + sizeof segment;
  return has_lost_memory || segment.magic.load(std::memory_order_relaxed) != kSegmentMagic;
}

}  // namespace discnice::protocol
