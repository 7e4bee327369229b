// SPDX-License-Identifier: MIT
#include "tools/discnice/throttle/throttle.hpp"

#include <cerrno>
#include <csignal>
#include <ctime>

#include <sys/syscall.h>

#include "toolbox/base/clock.hpp"
#include "toolbox/base/raw_sys.hpp"

namespace discnice::throttle {
namespace {

using gray::base::raw_syscall;
using gray::base::word;

constexpr std::uint64_t kNanosecondsPerSecond = 1'000'000'000;

}  // namespace

WaitEnd wait(const Verdict& verdict, const Sleeper& sleeper) {
  std::uint64_t now_ns = sleeper.now_ns(sleeper.context);
  while (now_ns < verdict.start_at_ns) {
    const std::uint64_t slice_end_ns = now_ns + kSliceNs;
    const std::uint64_t until_ns = slice_end_ns < verdict.start_at_ns ? slice_end_ns : verdict.start_at_ns;
    const int status = sleeper.sleep_until(sleeper.context, until_ns);
    now_ns = sleeper.now_ns(sleeper.context);
    if (status == -EINTR) {
      if (sleeper.may_yield_to_signal(sleeper.context)) return WaitEnd::interrupted;
    } else if (status != 0) {
      return WaitEnd::refused;
    }
    if (sleeper.is_revoked(sleeper.context)) return WaitEnd::revoked;
  }
  return WaitEnd::due;
}

SignalHold::~SignalHold() {
  if (is_holding_)
    raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, word(&program_mask_), 0, sizeof program_mask_);
}

void SignalHold::begin() {
  if (is_holding_) return;
  constexpr int kFaults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};
  SignalMask held = ~SignalMask{0};
  for (const int fault : kFaults) held &= ~signal_bit(fault);
  is_holding_ = !gray::base::is_raw_error(
      raw_syscall(SYS_rt_sigprocmask, SIG_BLOCK, word(&held), word(&program_mask_), sizeof program_mask_));
}

int sleep_until(std::uint64_t instant_ns, const SignalMask& program_mask) {
  const std::uint64_t now_ns = gray::base::monotonic_ns();
  const std::uint64_t left_ns = instant_ns > now_ns ? instant_ns - now_ns : 0;
  const timespec left{static_cast<time_t>(left_ns / kNanosecondsPerSecond),
                      static_cast<long>(left_ns % kNanosecondsPerSecond)};
  const long result = raw_syscall(SYS_ppoll, 0, 0, word(&left), word(&program_mask), sizeof program_mask);
  return result < 0 ? static_cast<int>(result) : 0;
}

}  // namespace discnice::throttle
