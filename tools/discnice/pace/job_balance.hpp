// SPDX-License-Identifier: MIT
// job_balance: compares what the kernel has charged to all processes of the job together with what the job's members have settled.
//
// Knowledge assumed: an account includes those of the children that were waited for. So the sum misses nothing that any process of the tree ever moved.
// Output observed: that sum, and the members' counters.
// Inference drawn: a member that makes calls settles soon. When the sum is above the counters for longer than that, the difference was moved by a
//   process that had ended before it was seen, or little by little without any call. The job pays for it. If a member settles it later, the job gets
//   it back. Counters that fall were overwritten by mistake. Their growth before and after that counts as settled all the same, so the job does not
//   pay for it twice.
// What breaks it: a child that no process waits for, and that ended before it was seen. Programs that the job leaves alone are in the sum, so nothing
//   is charged then. Nothing is charged either when the job does not use the kernel's account.
#pragma once

#include <cstdint>

#include "tools/discnice/pace/growth.hpp"
#include "tools/discnice/protocol/layout.hpp"

namespace discnice::pace {

class JobBalance {
 public:
  /// `whole_job`: the processes are the whole job. `rest`: the processes go on in a job whose other processes have ended, and what was settled before does not concern them.
  enum class Of : std::uint8_t { whole_job, rest };
  explicit JobBalance(protocol::Segment& segment, Of of = Of::whole_job);

  /// `all` is the sum of the accounts. Returns what the job is to be charged for, and counts it as settled. A negative result is given back to the
  /// job. With `at_its_end` no member settles anything any more.
  enum class When : std::uint8_t { while_it_runs, at_its_end };
  Growth settle(const Growth& all, std::uint64_t now_ns, When when);

 private:
  // One of the two sums over the members, which only grow. A value that is written over it by mistake moves it up or down once; it goes on growing from there.
  class Settled {
   public:
    void begin(std::uint64_t said);
    /// How much of what was moved is settled at least. To be called at each look.
    std::int64_t follow(std::uint64_t said, std::int64_t moved);

   private:
    std::uint64_t before_last_ = 0;  // the sum at the last look but one
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
