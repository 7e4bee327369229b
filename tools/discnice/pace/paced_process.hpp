// SPDX-License-Identifier: MIT
// paced_process: one process of the job, as the pacer sees it from outside: what the kernel has charged to it, whether the library is in it, and which disks it uses.
//
// Knowledge assumed: /proc/PID/io is the account of a process. It includes its ended threads and the children that it has waited for
//   (do_io_accounting() of fs/proc/base.c, wait_task_zombie()). An open /proc/PID/pagemap becomes empty when the process executes another program,
//   because the old memory is gone (pagemap_read() of fs/proc/task_mmu.c).
// Output observed: both files, by descriptors that are kept, and the modes of the descriptors that the process has open.
// Inference drawn: the growth of the account, minus that of a child that was just waited for, was moved by the process itself. A child may be waited
//   for between the looks at it and at its parent, so the growth of the last moments counts as well. The read bytes are taken to come from the disk
//   of a file that is open for reading, or of the largest mapped file. The written bytes are taken to go to the disk of a file that is open for
//   writing.
// What breaks it: a process that has files on several disks open. All its traffic is taken to be that of one disk.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <sys/types.h>

#include "tools/discnice/job/job.hpp"
#include "tools/discnice/pace/growth.hpp"
#include "tools/discnice/pace/unforeseen.hpp"
#include "tools/discnice/processes/kernel_account.hpp"
#include "tools/discnice/protocol/layout.hpp"

namespace discnice::pace {

/// Which engine holds a process to the job's limit.
enum class HeldBy : std::uint8_t {
  unknown,  // its program is just being loaded
  library,
  pacer,
  nobody,      // it cannot be stopped, or its account cannot be read
  left_alone,  // the user who started the job wants that
};

class PacedProcess {
 public:
  /// A process of the job.
  PacedProcess(protocol::Segment& segment, pid_t pid, pid_t parent);
  ~PacedProcess();
  PacedProcess(const PacedProcess&) = delete;
  PacedProcess& operator=(const PacedProcess&) = delete;

  /// Finds out who holds the program that runs in the process now. `library` is the file name of the preloaded library. Cheap when the program is the same as at the last call.
  HeldBy judge(const std::string& library, std::uint64_t now_ns);
  /// The same as judge(), when it is known why the library does not hold the process.
  void hold_from_outside(std::string reason);
  /// Notes that neither the library nor the pacer can hold the process, and why.
  void give_up(std::string reason);

  /// Reads the account. Returns false when this process cannot read it.
  bool look();
  /// Whether the process has ended and was waited for.
  [[nodiscard]] bool is_gone() const;
  /// The time since the process was first looked at.
  [[nodiscard]] std::uint64_t age_ns(std::uint64_t now_ns) const {
    return now_ns > first_judged_at_ns_ ? now_ns - first_judged_at_ns_ : 0;
  }
  /// What the process has moved so far does not count.
  void start_here();
  /// What the process itself has moved since the last call.
  Growth take_growth(std::uint64_t now_ns);
  /// What the process was found to have moved between two looks of the pacer and is already counted on its disks. Each byte is returned once.
  Growth take_booked() { return std::exchange(booked_, {}); }
  /// A child of the process is gone. The process's own account will grow by the child's account: also by what that held before the child was looked
  /// at, and by the accounts of the child's children.
  void expect_from_child(const PacedProcess& child);
  /// What the process has moved, with the children that its account does not show yet.
  [[nodiscard]] Growth left_to_job() const { return now_ + expected_ - expected_start_; }
  /// The part of a gone child's account by which the process's own account has not grown, as take_growth() found, because the process did not wait
  /// for the child. Each byte is returned once.
  Growth take_missing() { return std::exchange(missing_, {}); }
  /// Everything that the process is known to have moved, with the children that it has waited for.
  [[nodiscard]] Growth all() const { return now_; }
  /// For a process that the library holds: what it has moved since the last call without making a call, to be charged now.
  Growth take_unforeseen(std::uint64_t now_ns);

  /// Looks for the disks that the process uses, if the last look is old.
  void find_disks(std::uint64_t now_ns);

  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] pid_t parent() const { return parent_; }
  /// Another process has become its parent.
  void set_parent(pid_t parent) { parent_ = parent; }
  /// Whether the process has a program image. It has none while it executes another program, and after its end.
  [[nodiscard]] bool is_image_there() const;
  /// Whether the process has ended, waited for or not.
  [[nodiscard]] bool has_ended() const;
  [[nodiscard]] HeldBy held_by() const { return held_by_; }
  [[nodiscard]] const std::string& reason() const { return reason_; }
  /// The job, with this process as its member.
  [[nodiscard]] guest::Job& job() { return job_; }
  [[nodiscard]] protocol::Disk* read_disk() const { return read_disk_; }
  [[nodiscard]] protocol::Disk* write_disk() const { return write_disk_; }

  // The pacer writes these fields.
  std::uint64_t look_at_ns = 0;        // when to look at the process next
  std::uint64_t due_ns = 0;            // until then the moved bytes are not paid
  std::uint64_t stopped_at_ns = 0;     // 0: the process runs
  std::uint64_t stood_until_ns = 0;    // up to here the stop is counted as waiting
  std::uint64_t let_run_until_ns = 0;  // a signal tells the process to end: until then it is not stopped
  std::uint64_t unturned_bytes = 0;    // moved bytes for which no turn was asked yet
  std::uint64_t unsent_bytes = 0;      // written bytes that no sender was asked to send yet
  std::uint64_t moved_at_ns = 0;       // when the process was last charged
  // When the process was last let go, or first held. What it does from then on is not known yet.
  std::uint64_t runs_since_ns = 0;
  std::uint64_t grown_at_ns = 0;  // when the process's account last grew
  protocol::Disk* turn_at =
      nullptr;  // the disk at which the bytes have had their turn, while they wait for the other disk's

 private:
  bool has_still_that_image(std::uint64_t now_ns);
  void take_image(std::uint64_t now_ns);
  void forget_start_of(const Growth& child);
  void begin();
  void watch();
  void book_now();
  void end();

  protocol::Segment& segment_;
  pid_t pid_;
  pid_t parent_;
  processes::KernelAccountFile account_;
  int image_fd_ = -1;
  std::string parents_image_;  // while the process may run on its parent's memory
  std::uint64_t first_judged_at_ns_ = 0;
  HeldBy held_by_ = HeldBy::unknown;
  std::string reason_;
  guest::Job job_{};
  Growth seen_;  // the account at the last take_growth()
  Growth now_;   // the account since `start_`
  Growth start_;
  Growth recent_;         // what take_growth() has found since `recent_at_ns_`
  Growth before_recent_;  // the same in the moment before
  std::uint64_t recent_at_ns_ = 0;
  Unforeseen unforeseen_;
  Growth unforeseen_seen_;  // the account at the last take_unforeseen()
  Growth booked_;           // counted on the disks, and not charged yet
  Growth expected_;         // from children that are gone
  Growth expected_start_;   // the part of that which the children had moved before they were looked at
  Growth missing_;
  std::uint64_t disks_at_ns_ = 0;
  protocol::Disk* read_disk_ = nullptr;
  protocol::Disk* write_disk_ = nullptr;
};

}  // namespace discnice::pace
