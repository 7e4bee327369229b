// SPDX-License-Identifier: MIT
// system_call: measures a call into the kernel and back, without any work there.
#include <sys/syscall.h>
#include <unistd.h>

#include "microbench/registry_list.hpp"

namespace microbench {
namespace {

constexpr int kCalls = 2000;

constexpr Output kOutputs[] = {
    {"syscall.null_ns", "ns", "getppid", "a system call that does nothing", "",
     "what any call costs before it does anything: larger reads spare no more than this each; the floor of "
     "cache.hit_ns",
     false, Kind::kValue, kCalmTime},
};

class SystemCallSession : public Session {
 public:
  using Session::Session;
  void round() override {
    const std::uint64_t start = context().timer.now_ns();
    for (int i = 0; i < kCalls; ++i) syscall(SYS_getppid);
    add("syscall.null_ns", context().timer.ns_since(start) / kCalls);
  }
};

}  // namespace

extern const Benchmark kSystemCall{"system_call",
                                   "a system call",
                                   "getppid by its number, so that libc can answer nothing from memory.",
                                   Needs::kNothing,
                                   Effort::kQuick,
                                   kOutputs,
                                   make_session<SystemCallSession>};

}  // namespace microbench
