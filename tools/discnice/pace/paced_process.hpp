// SPDX-License-Identifier: MIT
// paced_process: one process of the job, as the pacer sees the process from outside: the bytes that the kernel has charged to it, whether it has the library
// loaded, and which disks it uses.
//
// Knowledge assumed: /proc/PID/io is the account of a process. It includes its ended threads and the children that it has waited for
//   (do_io_accounting() of fs/proc/base.c, wait_task_zombie()). An open /proc/PID/pagemap becomes empty when the process executes another program,
//   because the old memory is gone (pagemap_read() of fs/proc/task_mmu.c).
// Output observed: both files, by descriptors that are kept, and the modes of the descriptors that the process has open.
// Inference drawn: the process itself has moved the growth of its account, minus the bytes of a child that it has just waited for. The parent may
//   wait for a child between the look at the child and the look at the parent. So bytes that the child moved in between count as bytes of the
//   parent. The read bytes are taken to come from the disk of a file that is open for reading, or of the largest mapped file. The written bytes are
//   taken to go to the disk of a file that is open for writing.
// What breaks it: a process that has files on several disks open. All its traffic is counted for one disk.
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

  /// Finds out which engine holds the program that runs in the process now. `library` is the file name of the preloaded library. The call is cheap when the
  /// program is the same as at the last call.
  HeldBy judge(const std::string& library, std::uint64_t now_ns);
  /// Same as judge(), for callers that know why the library does not hold the process.
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
  /// The bytes that the process has moved up to now are not counted.
  void start_here();
  /// Returns the bytes that the process itself has moved since the last call.
  Growth take_growth(std::uint64_t now_ns);
  /// Returns the bytes that the process moved between two looks of the pacer and that are already counted on its disks. Each byte is returned
  /// once.
  Growth take_booked() { return std::exchange(booked_, {}); }
  /// Notes that a child of the process is gone. The process's own account will grow by the whole account of the child. This includes the bytes from
  /// before the first look at the child, and the accounts of the child's children.
  void expect_from_child(const PacedProcess& child);
  /// Returns the bytes that the process has moved, and the bytes of children that its account does not include yet.
  [[nodiscard]] Growth left_to_job() const { return now_ + expected_ - expected_start_; }
  /// Returns the part of a gone child's account by which the process's own account has not grown, as take_growth() found. The process did not wait
  /// for this child. Each byte is returned once.
  Growth take_missing() { return std::exchange(missing_, {}); }
  /// Returns all bytes that the process is known to have moved, and the bytes of the children that it has waited for.
  [[nodiscard]] Growth all() const { return now_; }
  /// For a process that the library holds: returns the bytes that it has moved by other means than a call since the last
  /// time, and that are to be charged now.
  Growth take_unforeseen(std::uint64_t now_ns);

  /// Looks for the disks that the process uses, if the last look is old.
  void find_disks(std::uint64_t now_ns);

  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] pid_t parent() const { return parent_; }
  /// Notes that another process has become the parent of this process.
  void set_parent(pid_t parent) { parent_ = parent; }
  /// Whether the process has a program image. It has none while it executes another program, and after its end.
  [[nodiscard]] bool is_image_there() const;
  /// Whether the process has ended, no matter whether its parent has waited for it.
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
  // The instant at which the process was last let go, or first held. The bytes that it has moved since then are not known yet.
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
  Growth recent_;         // the result of take_growth() since `recent_at_ns_`
  Growth before_recent_;  // the same in the moment before
  std::uint64_t recent_at_ns_ = 0;
  Unforeseen unforeseen_;
  Growth unforeseen_seen_;  // the account at the last take_unforeseen()
  Growth booked_;           // counted on the disks, and not charged yet
  Growth expected_;         // from children that have ended
  Growth expected_start_;   // the part of that which the children had moved before they were looked at
  Growth missing_;
  std::uint64_t disks_at_ns_ = 0;
  protocol::Disk* read_disk_ = nullptr;
  protocol::Disk* write_disk_ = nullptr;
};

}  // namespace discnice::pace
