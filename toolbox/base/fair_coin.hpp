// SPDX-License-Identifier: MIT
// fair_coin: the probability that a fair coin gives a result at least as uneven as a given one. These are the exact sums of a paired sign test, computed without a library.
//
// For code inside a host process. Samples that are kept, and the test itself: toolbox/stats/sign_test.
#pragma once

namespace gray::base {

/// Up to this number of throws the answer is exact. For more throws the answer is that for this number of throws with the same share of heads.
inline constexpr unsigned kThrowsMax = 64;

/// The probability that `throws` throws of a fair coin show `heads` or more heads: 1 for no heads, 0 for more heads than throws.
constexpr double heads_or_more(unsigned heads, unsigned throws) {
  if (heads > throws) return 0;
  if (throws > kThrowsMax) {
    heads = static_cast<unsigned>(static_cast<double>(heads) / throws * kThrowsMax);
    throws = kThrowsMax;
  }
  double term = 1;  // throws over k, times a half to the power of throws
  for (unsigned i = 0; i < throws; ++i) term /= 2;
  double sum = 0;
  for (unsigned k = throws;; --k) {
    if (k < heads) break;
    sum += term;
    if (k == 0) break;
    term = term * k / (throws - k + 1);
  }
  return sum;
}

}  // namespace gray::base
