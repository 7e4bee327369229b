// SPDX-License-Identifier: MIT
// fair_coin: how likely a fair coin shows a number of heads. These probabilities are the sums of a paired sign test, computed exactly and without a
// library.
//
// This file is for code inside the program that loads the library. The test itself, on samples that are kept, is in
// toolbox/stats/sign_test.
#pragma once

namespace gray::base {

/// Up to this number of throws the answer is exact. A larger number is answered as if there were this many throws with the same share of heads.
inline constexpr unsigned kThrowsMax = 64;

/// The probability that `throws` of a fair coin show `heads` heads or more. It is 1 for no heads, and 0 for more heads than throws.
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
