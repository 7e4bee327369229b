// SPDX-License-Identifier: MIT
// write_steps_test: how many bytes are sent at once, and how many are left to the kernel.
#include "tools/discnice/policy/write_steps.hpp"

#include "tests/support/catch.hpp"

using namespace discnice::policy;

TEST_CASE("a step is what the disk writes in a hundredth of a second, within bounds", "[write_steps]") {
  CHECK(write_step_bytes(0) == kWriteStepBytes);
  CHECK(write_step_bytes(150'000'000) == 1'500'000);
  CHECK(write_step_bytes(1'000'000) == kWriteStepBytesMin);
  CHECK(write_step_bytes(UINT64_MAX) == kWriteStepBytesMax);
}

TEST_CASE("more is left the longer nobody else uses the disk, and no more than half a second's worth",
          "[write_steps]") {
  constexpr std::uint64_t kStepBytes = 1'000'000;
  CHECK(left_bytes_max(kStepBytes, 0) == kLeftStepsMin * kStepBytes);
  CHECK(left_bytes_max(kStepBytes, kLeftStepsMin * kQuietPerLeftStepNs) == kLeftStepsMin * kStepBytes);
  CHECK(left_bytes_max(kStepBytes, 10 * kQuietPerLeftStepNs) == 10 * kStepBytes);
  CHECK(left_bytes_max(kStepBytes, UINT64_MAX) == kLeftStepsMax * kStepBytes);
}

TEST_CASE("a step is a tenth of a second of a rate, and no more than the disk's where the job gives way",
          "[write_steps]") {
  discnice::Grant grant;
  CHECK(step_bytes(grant, false, 0) == kWriteStepBytes);
  CHECK(step_bytes(grant, true, 300'000'000) == 3'000'000);
  grant.rate_bytes_per_s = 50'000'000;
  CHECK(step_bytes(grant, false, 300'000'000) == 5'000'000);
  CHECK(step_bytes(grant, true, 300'000'000) == 3'000'000);
  grant.write_rate_bytes_per_s = 10'000'000;
  CHECK(write_rate(grant) == 10'000'000);
  CHECK(step_bytes(grant, true, 300'000'000) == 1'000'000);
  grant.rate_bytes_per_s = 1'000;
  CHECK(step_bytes(grant, false, 0) == kWriteStepBytesMin);
}
