// SPDX-License-Identifier: MIT
// job_balance: compares the bytes that the kernel has booked to all processes of the job with the bytes that its members have settled.
//
// Knowledge assumed: an account has those of the children that were waited for. So nothing that any process of the tree ever moved is missing in the sum.
// Output observed: that sum, and the members' counters.
// Inference drawn: the sum may be above the counters for longer than a member that makes calls leaves anything unsettled. Then the difference was moved by a
//   process that had ended before it was seen, or little by little without any call. The job pays for it. Should a member settle it later, the job gets it back.
//   Counters that fall were written over by mistake. Their growth before and after that still counts as settled, so the job does not pay for it twice.
// What breaks it: a child that nobody waits for, and that ended before it was seen. Programs that the job leaves alone are in the sum; it says nothing then, nor
//   where the job does not go by the kernel's account.
#pragma once

#include <cstdint>

#include "tools/discnice/pace/growth.hpp"
#include "tools/discnice/protocol/layout.hpp"

namespace discnice::pace {

class JobBalance {
 public:
  /// Whether the processes belong to the job from its start, or go on in a job whose other processes have ended. In the second case earlier settlements do not concern them.
  enum class Of : std::uint8_t { whole_job, rest };
  explicit JobBalance(protocol::Segment& segment, Of of = Of::whole_job);

  /// `all` is the sum of the accounts. Returns how many bytes the job must be charged for, and counts these bytes as settled. A result below zero is given back to the job. After
  /// `at_its_end` nobody settles anything.
  enum class When : std::uint8_t { while_it_runs, at_its_end };
  Growth settle(const Growth& all, std::uint64_t now_ns, When when);

 private:
  // How much of one sum over the members is settled. Such a sum only grows. If a member overwrites the sum by mistake, the sum jumps up or down once and then grows from there.
  class Settled {
   public:
    void begin(std::uint64_t said);
    /// Returns how many bytes are surely settled, out of all bytes that were moved. To be called at each look.
    std::int64_t follow(std::uint64_t said, std::int64_t moved);

   private:
    std::uint64_t before_last_ = 0;  // said at the last look but one
    std::uint64_t last_ = 0;         // and at the last one
    std::uint64_t steady_ = 0;       // the middle one of three
    std::int64_t bytes_ = 0;
  };
  Growth settled_now(const Growth& moved);

  protocol::Segment& segment_;
  Growth settled_before_;
  Settled settled_reads_;
  Settled settled_writes_;
  Growth charged_;  // by us
  Growth least_;    // that was unsettled since `since_ns_`
  std::uint64_t since_ns_ = 0;
};

}  // namespace discnice::pace
