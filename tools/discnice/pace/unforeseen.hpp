// SPDX-License-Identifier: MIT
// unforeseen: what a process moves that the library holds, and that it makes no call for: page faults, a ring that a kernel thread empties.
//
// Knowledge assumed: the library settles at the first call of a process that comes a tick of the coarse clock after the last settlement. It predicts how many bytes a call will
// move before it makes the call. For a call that looks for names or removes files it predicts no reads. Such a call may last for as long as a slow disk seeks. A
//   process's account grows by that of a child when it waits for it (wait_task_zombie()).
// Output observed: the process's account, its page faults and those of its children, and its member's words: when it settled last and what it has found by then, and what it has foreseen since.
// Inference drawn: the account has grown by more than was foreseen, and the last settlement is some ticks old. If there were page faults meanwhile, no call has
//   moved these bytes. Without page faults that is so only when the last settlement is older than a long call lasts. The pacer then charges the bytes. They count as
//   foreseen from then on, so that the library does not charge them once more when the process makes its next call. What a child had moved is none of them.
// What breaks it: a call that moves much more than was foreseen and lasts for long. It is charged before its end and not after it; the sum is right.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "tools/discnice/pace/growth.hpp"
#include "tools/discnice/processes/process_facts.hpp"
#include "tools/discnice/protocol/layout.hpp"

namespace discnice::pace {

class Unforeseen {
 public:
  using ReadFaults = std::function<std::optional<processes::PageFaults>()>;

  /// The account has grown by `growth` since the last call. Returns what is to be charged now. `read_faults` tells the process's page faults, and is asked only when there is
  /// something to charge.
  Growth take(protocol::Member& member, const Growth& growth, std::uint64_t now_ns,
              const ReadFaults& read_faults);

 private:
  // Several settlements may share a tick of the coarse clock. What one of them has found shows in its sums.
  struct Settlement {
    std::uint64_t at_ns = 0;
    std::uint64_t read_bytes = 0;
    std::uint64_t write_bytes = 0;
    bool operator==(const Settlement&) const = default;
  };
  static Settlement last_of(const protocol::Member& member);

  bool may_be_of_child(const std::optional<processes::PageFaults>& faults);

  Settlement settled_;
  Growth since_settled_;
  Growth charged_;                                // of that
  std::optional<std::uint64_t> faults_at_first_;  // its own, when they were first read since then
  std::optional<processes::PageFaults> faults_;   // when they were last read
  bool has_child_ended_ = false;                  // as that showed
};

}  // namespace discnice::pace
