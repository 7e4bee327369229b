// SPDX-License-Identifier: MIT
// unforeseen: the bytes that a process with the library moves without making a call: by page faults, or by an io_uring ring that a kernel
// thread empties.
//
// Knowledge assumed: a member settles at its first call that comes at least a tick of the coarse clock after its last settlement. The library
//   predicts the bytes that a call will move before it makes the call. For a call that searches for names or removes files it predicts no reading,
//   and such a call may last as long as a slow disk seeks. When a process waits for a child, the child's account is added to the account of the
//   process (wait_task_zombie()).
// Output observed: the process's account; the page faults of the process and of its children; the member's fields in the segment: the time of the
//   last settlement, the bytes that were settled by then, and the bytes that were predicted since then.
// Inference drawn: suppose that the account has grown by more than was predicted, and that the last settlement is some ticks old. If there were page
//   faults meanwhile, no call has moved these bytes. If there were no page faults, a call may have moved these bytes, unless the last settlement was
//   longer ago than the longest call lasts. The pacer then charges the bytes. From then on they count as predicted, so that the library does not
//   charge them again when the process makes its next call. Bytes that a child had moved are not charged here.
// What breaks it: a call that moves much more than was predicted and lasts long. The bytes of such a call are charged before the call ends. The
//   sum is still right.
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

  /// `growth` is the growth of the account since the last call. Returns the bytes to charge now. `read_faults` returns the process's page faults,
  /// and is called only when there is something to charge.
  Growth take(protocol::Member& member, const Growth& growth, std::uint64_t now_ns,
              const ReadFaults& read_faults);

 private:
  // Several settlements may fall into one tick of the coarse clock. Their sums distinguish them.
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
  Growth charged_;                                // charged since the last settlement
  std::optional<std::uint64_t> faults_at_first_;  // its own page faults, when they were first read since then
  std::optional<processes::PageFaults> faults_;   // the page faults when they were last read
  bool has_child_ended_ = false;                  // as the last two readings showed
};

}  // namespace discnice::pace
