// SPDX-License-Identifier: MIT
#include "tools/discnice/shim/segment_guard.hpp"

#include <csignal>

#include <sys/mman.h>
#include <sys/syscall.h>

#include "toolbox/base/raw_sys.hpp"

namespace discnice::shim {
namespace {

using gray::base::is_raw_error;
using gray::base::raw_syscall;
using gray::base::word;

protocol::Segment* guarded;

bool is_inside(const void* address) {
  const char* start = reinterpret_cast<const char*>(guarded);
  const char* at = static_cast<const char*>(address);
  return at >= start && at < start + sizeof(protocol::Segment);
}

bool replace_segment() {
  return !is_raw_error(raw_syscall(SYS_mmap, word(guarded), sizeof(protocol::Segment), PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
}

void on_bus_error(int number, siginfo_t* info, void* /*context*/) {
  const bool is_fault = info->si_code > 0;
  if (is_fault && is_inside(info->si_addr) && replace_segment()) return;
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  sigaction(number, &standard, nullptr);
  if (!is_fault) raise(number);  // a fault comes again by itself
}

}  // namespace

void guard_segment(protocol::Segment& segment) {
  guarded = &segment;
  struct sigaction before {};
  if (sigaction(SIGBUS, nullptr, &before) != 0 || before.sa_handler != SIG_DFL) return;
  struct sigaction action {};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  sigaction(SIGBUS, &action, nullptr);
}

}  // namespace discnice::shim
