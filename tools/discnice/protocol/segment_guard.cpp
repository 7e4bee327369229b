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
using gray::base::word;

constexpr std::uint64_t kPageBytes =
    4096;  // the smallest page there is; of a larger page the kernel maps all

constexpr unsigned kGuardedMax = 3;  // a job's segment, its ring, the board of disks

struct Guarded {
  std::uint64_t start;
  std::uint64_t bytes;
};

Guarded guarded[kGuardedMax];
std::atomic<unsigned> guarded_count{0};  // 0: every page
std::atomic<bool> is_let_go{false};
std::atomic<std::uint64_t> lost_at{0};  // the address at which memory was last lost

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

// The kernel's struct sigaction on the machines that raw_syscall() supports.
struct KernelAction {
  void (*handler)(int, siginfo_t*, void*);  // null: the default
  unsigned long flags;
  void (*restorer)();
  std::uint64_t mask;
};

// The code to which a signal handler returns on x86-64. Debuggers recognise exactly these instructions.
#if defined(__x86_64__)
constexpr unsigned long kRestorerFlag = 0x04000000;
extern "C" __attribute__((visibility("hidden"))) void discnice_end_of_handler();
asm(R"(
  .pushsection .text.discnice_end_of_handler, "ax", @progbits
  .globl discnice_end_of_handler
  .hidden discnice_end_of_handler
  .type discnice_end_of_handler, @function
discnice_end_of_handler:
  movq $15, %rax
  syscall
  .size discnice_end_of_handler, . - discnice_end_of_handler
  .popsection
)");
#else
constexpr unsigned long kRestorerFlag = 0;
constexpr void (*discnice_end_of_handler)() = nullptr;
#endif

bool set_action(int number, const KernelAction& action, KernelAction* before = nullptr) {
  return !is_raw_error(
      raw_syscall(SYS_rt_sigaction, number, word(&action), word(before), sizeof action.mask));
}

void on_bus_error(int number, siginfo_t* info, void* /*context*/) {
  const bool is_fault = info->si_code > 0;
  if (is_fault && replace(info->si_addr)) {
    lost_at.store(reinterpret_cast<std::uint64_t>(info->si_addr), std::memory_order_relaxed);
    return;
  }
  set_action(number, KernelAction{});
  if (!is_fault) raise(number);  // a fault comes again without help
}

// This code does not use libc's function, because that function would have to be looked up in every program that is started. The handler is installed
// first, and removed if the program had another handler. This case is rare, and no other thread runs yet that could need the other handler.
void listen() {
  const KernelAction action{on_bus_error, SA_SIGINFO | SA_ONSTACK | SA_RESTART | kRestorerFlag,
                            discnice_end_of_handler, 0};
  KernelAction before{};
  if (set_action(SIGBUS, action, &before) && before.handler != nullptr) set_action(SIGBUS, before);
}

}  // namespace

void guard_memory(void* start, std::size_t bytes) {
  const unsigned count = guarded_count.load(std::memory_order_relaxed);
  if (count == kGuardedMax) return;
  guarded[count] = {reinterpret_cast<std::uint64_t>(start), bytes};
  guarded_count.store(count + 1);  // pairs with replace() and let_go_of_memory()
  if (is_let_go.load()) map_empty(guarded[count].start, bytes);
  if (count == 0) listen();
}

// Lies apart from the code that runs when a program starts (preload/process/start_order.ld).
__attribute__((section("seldom_text"))) void let_go_of_memory() {
  is_let_go.store(true);
  const unsigned count = guarded_count.load();
  for (unsigned i = 0; i < count; ++i) map_empty(guarded[i].start, guarded[i].bytes);
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
