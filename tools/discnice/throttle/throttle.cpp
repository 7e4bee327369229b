// SPDX-License-Identifier: MIT
#include "tools/discnice/throttle/throttle.hpp"

#include <cerrno>
#include <ctime>

#include <sys/syscall.h>

#include "toolbox/base/clock.hpp"
#include "toolbox/base/raw_sys.hpp"

namespace discnice::throttle {

WaitReport wait(const Verdict& verdict, const Sleeper& sleeper) {
  const std::uint64_t start_ns = sleeper.now_ns(sleeper.context);
  std::uint64_t now_ns = start_ns;
  const auto report = [&](WaitEnd end) { return WaitReport{now_ns - start_ns, end}; };
  while (now_ns < verdict.start_at_ns) {
    const std::uint64_t slice_end_ns = now_ns + kSliceNs;
    const std::uint64_t until_ns = slice_end_ns < verdict.start_at_ns ? slice_end_ns : verdict.start_at_ns;
    const int status = sleeper.sleep_until(sleeper.context, until_ns);
    now_ns = sleeper.now_ns(sleeper.context);
    if (status == -EINTR) {
      if (sleeper.may_yield_to_signal(sleeper.context)) return report(WaitEnd::interrupted);
    } else if (status != 0) {
      return report(WaitEnd::refused);
    }
    if (sleeper.is_revoked(sleeper.context)) return report(WaitEnd::revoked);
  }
  return report(WaitEnd::due);
}

std::uint64_t real_now_ns(void* /*context*/) {
  return gray::base::monotonic_ns();
}

int real_sleep_until(void* /*context*/, std::uint64_t instant_ns) {
  const timespec until{static_cast<time_t>(instant_ns / 1'000'000'000U),
                       static_cast<long>(instant_ns % 1'000'000'000U)};
  return static_cast<int>(gray::base::raw_syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME,
                                                  gray::base::word(&until), 0));
}

}  // namespace discnice::throttle
