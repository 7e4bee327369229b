// SPDX-License-Identifier: MIT
// unlimited: every operation may go at once. It is the policy of a job that is only measured.
#include "tools/discnice/policy/unlimited.hpp"

namespace discnice::policy {
namespace {

Decision admit(State state, const Grant& /*grant*/, std::uint64_t /*cost_bytes*/, std::uint64_t /*now_ns*/) {
  return {state, {0}};
}

State correct(State state, const Grant& /*grant*/, std::int64_t /*correction_bytes*/,
              std::uint64_t /*now_ns*/) {
  return state;
}

}  // namespace

constinit const Policy kUnlimited = {
    "unlimited", "never wait; only count what the job reads and writes", false, admit, correct, nullptr};

}  // namespace discnice::policy
