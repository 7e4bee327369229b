// SPDX-License-Identifier: MIT
// job_balance: compares what the kernel has charged to all processes of the job together with what the job's members have settled.
//
// Knowledge assumed: the account of a process includes the accounts of the children that it has waited for. So the sum contains all bytes that any
//   process of the tree ever moved.
// Output observed: that sum, and the members' counters.
// Inference drawn: a member that makes calls settles soon. When the sum is above the counters for longer, the difference was moved by a process that
//   had ended before it was seen, or in small amounts without any call. The job pays for the difference. If a member settles the same bytes later,
//   the job gets them back. Counters that fall were overwritten by mistake. Their growth before and after the damage still counts as settled, so the
//   job does not pay for it twice.
// What breaks it: a child that no process waits for, and that ended before it was seen. Programs that are excluded from the limit are in the sum, so
//   nothing is charged when there are such programs. Nothing is charged either when the job does not use the kernel's account.
#pragma once

#include <cstdint>

#include "tools/discnice/pace/growth.hpp"
#include "tools/discnice/protocol/layout.hpp"

namespace discnice::pace {

class JobBalance {
 public:
  /// `whole_job`: the processes are the whole job. `rest`: the processes go on in a job whose other processes have ended. The bytes that were settled earlier
  /// are not bytes of these processes.
  enum class Of : std::uint8_t { whole_job, rest };
  explicit JobBalance(protocol::Segment& segment, Of of = Of::whole_job);

  /// `all` is the sum of the accounts. Returns the bytes to charge to the job, and counts them as settled. A negative result is given back to the
  /// job. `at_its_end` means that no member will settle anything any more.
  enum class When : std::uint8_t { while_it_runs, at_its_end };
  Growth settle(const Growth& all, std::uint64_t now_ns, When when);

 private:
  // One of the two sums over the members, which only grow. A value that is written over the sum by mistake moves the sum up or down once. The sum then grows
  // from there.
  class Settled {
   public:
    void begin(std::uint64_t said);
    /// Returns a lower bound of the settled bytes. To be called at each look.
    std::int64_t follow(std::uint64_t said, std::int64_t moved);

   private:
    std::uint64_t before_last_ = 0;  // the sum at the look before the last look
    std::uint64_t last_ = 0;         // the sum at the last look
    std::uint64_t steady_ = 0;       // the middle of three sums
    std::int64_t bytes_ = 0;
  };
  Growth settled_now(const Growth& moved);

  protocol::Segment& segment_;
  Growth settled_before_;
  Settled settled_reads_;
  Settled settled_writes_;
  Growth charged_;  // by this object
  Growth least_;    // the least that was unsettled since `since_ns_`
  std::uint64_t since_ns_ = 0;
};

}  // namespace discnice::pace
