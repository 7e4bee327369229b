// SPDX-License-Identifier: MIT
// paced_process: one process of the job, as the pacer sees it from outside: the bytes that the kernel has booked to it, whether the library is in it, and its disks.
//
// Knowledge assumed: /proc/PID/io is the account of a process, with those of the threads that have ended and of the children that it has waited for
//   (do_io_accounting() of fs/proc/base.c, wait_task_zombie()). /proc/PID/pagemap, once open, shows nothing any more when the process has executed
//   another program: its memory is gone (pagemap_read() of fs/proc/task_mmu.c).
// Output observed: both, by descriptors that are kept, and the modes of the descriptors that the process has open.
// Inference drawn: what the account has grown by, less what a child had that is waited for now, the process has moved itself. A child may be waited for between the
//   looks at it and at its parent, so the growth of the last moments counts as well. The bytes that a process read came from the disk of a file that it has open for reading, or
//   of its largest mapped file. The bytes that it wrote go to the disk of a file that it has open for writing.
// What breaks it: a process that has files on several disks open. The traffic is taken to be that of the first one.
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
  nobody,      // it must not be stopped, or its account must not be read
  left_alone,  // as whoever started the job wants it
};

class PacedProcess {
 public:
  /// A process of the job. `library`, the file name of the preloaded library, is used to judge whether the library is in it.
  PacedProcess(protocol::Segment& segment, pid_t pid, pid_t parent);
  ~PacedProcess();
  PacedProcess(const PacedProcess&) = delete;
  PacedProcess& operator=(const PacedProcess&) = delete;

  /// Finds out which engine holds the program that runs in the process now. Cheap if the program is the same as at the last call.
  HeldBy judge(const std::string& library, std::uint64_t now_ns);
  /// As judge(), for a caller that knows why the library does not hold the program.
  void hold_from_outside(std::string reason);
  /// Marks the process as one that no engine can hold, with the reason.
  void give_up(std::string reason);

  /// Reads the account. False if there is none that may be read.
  bool look();
  /// Whether the process has ended and its parent has waited for it.
  [[nodiscard]] bool is_gone() const;
  /// The growth of the account since the first look.
  [[nodiscard]] std::uint64_t age_ns(std::uint64_t now_ns) const {
    return now_ns > first_judged_at_ns_ ? now_ns - first_judged_at_ns_ : 0;
  }
  /// Ignores the bytes that it has moved so far.
  void start_here();
  /// The bytes that it has moved itself since the last call.
  Growth take_growth(std::uint64_t now_ns);
  /// The bytes that it moved, and that were booked to its disks, between two looks of the pacer. Each byte is returned once.
  Growth take_booked() { return std::exchange(booked_, {}); }
  /// To be called when a child of it has ended. Its own account will grow by the child's account, including the bytes before the first look at the child, and by the accounts of
  /// the child's children.
  void expect_from_child(const PacedProcess& child);
  /// The bytes that it has moved, with those of children that its account does not include yet.
  [[nodiscard]] Growth left_to_job() const { return now_ + expected_ - expected_start_; }
  /// The part of these bytes that its account does not include, as take_growth() found: no process has waited for the child. Each byte is returned once.
  Growth take_missing() { return std::exchange(missing_, {}); }
  /// All bytes that it was seen to move, with those of children that were waited for.
  [[nodiscard]] Growth all() const { return now_; }
  /// For a process that the library holds: the bytes that it has moved since the last call without a call of its own. They must be charged now.
  Growth take_unforeseen(std::uint64_t now_ns);

  /// Looks for the disks that it works on, if the last look is old.
  void find_disks(std::uint64_t now_ns);

  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] pid_t parent() const { return parent_; }
  /// Notes that another process is its parent now.
  void set_parent(pid_t parent) { parent_ = parent; }
  /// Whether it runs a program. False while it executes another program, and after it has ended.
  [[nodiscard]] bool is_image_there() const;
  /// Whether it has ended, even if its parent has not waited for it.
  [[nodiscard]] bool has_ended() const;
  [[nodiscard]] HeldBy held_by() const { return held_by_; }
  [[nodiscard]] const std::string& reason() const { return reason_; }
  /// The job, with this process as its member.
  [[nodiscard]] guest::Job& job() { return job_; }
  [[nodiscard]] protocol::Disk* read_disk() const { return read_disk_; }
  [[nodiscard]] protocol::Disk* write_disk() const { return write_disk_; }

  // Written by the pacer.
  std::uint64_t look_at_ns = 0;        // when to look at it next
  std::uint64_t due_ns = 0;            // until then what it moved is not paid
  std::uint64_t stopped_at_ns = 0;     // 0: it runs
  std::uint64_t stood_until_ns = 0;    // booked as waiting
  std::uint64_t let_run_until_ns = 0;  // it is told to end: until then it is not stopped
  std::uint64_t unturned_bytes = 0;    // moved, and no turn was asked for them yet
  std::uint64_t unsent_bytes = 0;      // written, and nobody was asked to send them yet
  std::uint64_t moved_at_ns = 0;       // when it was last charged for anything
  // The time at which it was last let go on, or first held. What it does after that is not known yet.
  std::uint64_t runs_since_ns = 0;
  std::uint64_t grown_at_ns = 0;      // when its account had last grown
  protocol::Disk* turn_at = nullptr;  // where those bytes have had their turn, and wait for the other disk's

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
  std::string parents_image_;  // while it may run on its parent's memory
  std::uint64_t first_judged_at_ns_ = 0;
  HeldBy held_by_ = HeldBy::unknown;
  std::string reason_;
  guest::Job job_{};
  Growth seen_;  // of the account, at the last take_growth()
  Growth now_;   // of the account, since `start_`
  Growth start_;
  Growth recent_;         // what take_growth() found since `recent_at_ns_`
  Growth before_recent_;  // and in the moment before
  std::uint64_t recent_at_ns_ = 0;
  Unforeseen unforeseen_;
  Growth unforeseen_seen_;  // of the account, at the last take_unforeseen()
  Growth booked_;           // and not charged yet
  Growth expected_;         // from children that are gone
  Growth expected_start_;   // of that, what they had before they were looked at
  Growth missing_;
  std::uint64_t disks_at_ns_ = 0;
  protocol::Disk* read_disk_ = nullptr;
  protocol::Disk* write_disk_ = nullptr;
};

}  // namespace discnice::pace
