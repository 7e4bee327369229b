// SPDX-License-Identifier: MIT
#include "toolbox/base/raw_sys.hpp"

namespace gray::base {

long raw_syscall(long number, long a, long b, long c, long d, long e, long f) {
  return inline_syscall(number, a, b, c, d, e, f);
}

}  // namespace gray::base
