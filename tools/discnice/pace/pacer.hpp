// SPDX-License-Identifier: MIT
// pacer: holds from outside every process that the library cannot reach: static programs, Go, and all programs that make system calls directly.
//
// Each process runs for a slice. Then the kernel's account (paced_process.hpp) shows how many bytes it has moved. These are charged to the job's budget, which it shares with the
// processes that the library holds. The process is stopped (brake.hpp) until its bytes are paid, and until the policy gives the job a turn. So its calls, its page faults and the
// work of kernel threads for it are all held, and cached data costs nothing. A slice is so short that few bytes are moved in it.
//
// Assumes: the account grows when a request goes to the disk, and not when it ends (task_io_account_read() of block/blk-core.c).
// What breaks it: a program that asks for much in one call. The kernel finishes a call before a thread stands: a program that reads 5 MB at once moves 5 MB at once, and stands for
//   them afterwards. The average over some such calls is right. If the kernel reports large calls before they are made, notify/ makes them in steps.
//   A program that serves a file system (FUSE) does not stand while others are in the job: they may wait for it. Its bytes are still charged to the job.
//
// Runs in a thread of the launcher: it may then stop the launcher's descendants also where the kernel allows no other tracing (Yama), and ends with it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <sys/types.h>

#include "tools/discnice/pace/brake.hpp"
#include "tools/discnice/pace/growth.hpp"
#include "tools/discnice/pace/job_balance.hpp"
#include "tools/discnice/pace/paced_process.hpp"
#include "tools/discnice/pace/tree.hpp"
#include "tools/discnice/pace/write_sender.hpp"
#include "tools/discnice/protocol/layout.hpp"

namespace discnice::pace {

/// A process that the pacer holds, or could not hold.
struct Finding {
  pid_t pid;
  std::string name;  // of its program
  std::string
      reason;  // why the library does not hold it; of one that nobody holds, why the pacer does not either
  bool is_held;
};

class Pacer {
 public:
  Pacer(protocol::Segment& segment, Paced paced);
  /// Lets all processes go on.
  ~Pacer();
  Pacer(const Pacer&) = delete;
  Pacer& operator=(const Pacer&) = delete;

  /// Charges the bytes that were moved since the last look, and ends. To be called before the program is waited for.
  void finish();

  /// Whether every process of the beginning was looked at.
  [[nodiscard]] bool has_looked() const { return has_looked_.load(std::memory_order_relaxed); }

  /// Whether any process was stopped at the last looks.
  [[nodiscard]] bool is_anybody_standing() const {
    return is_anybody_standing_.load(std::memory_order_relaxed);
  }

  /// Whether any process is left.
  [[nodiscard]] bool has_anybody() const { return has_anybody_.load(std::memory_order_relaxed); }

  /// For use after finish(): the processes that go on after the first program has ended. Processes that are left alone, or that no engine can hold, are not among them. Processes
  /// that the library holds come last: they may still execute a program that the library cannot reach.
  [[nodiscard]] const std::vector<pid_t>& staying() const { return staying_; }
  /// How many of these processes the library does not hold, or are not judged yet.
  [[nodiscard]] std::size_t staying_without_library() const { return staying_without_library_; }
  /// The bytes that these processes have moved so far, and those of processes that ended after their parents. They are in no other account.
  [[nodiscard]] const Growth& moved_by_orphans() const { return moved_by_orphans_; }

  /// For use after finish(): how long it takes from now until the bytes that were moved from outside are paid at the rate. Bytes that no process was seen to move are left out:
  /// if an account is lost, for example with a PID namespace that ends, their sum may be too high.
  [[nodiscard]] std::uint64_t unpaid_ns(std::uint64_t now_ns) const;
  /// For use after finish(): whether a process had a signal to end while it was stopped.
  [[nodiscard]] bool was_anybody_told_to_end() const { return was_anybody_told_to_end_; }

  /// The bytes that the kernel has booked to all of them, as far as they were seen.
  [[nodiscard]] Growth all();

  /// The processes found since the last call. A process may be found again when it executes another program.
  std::vector<Finding> take_findings();

 private:
  void run();
  void note_who_stays();
  [[nodiscard]] bool is_anybody_executing() const;
  [[nodiscard]] bool is_anybody_new(std::uint64_t now_ns) const;
  void note_look_cost(std::uint64_t cost_ns, std::uint64_t now_ns);
  void look_at_all(std::uint64_t now_ns);
  void charge_the_rest(std::uint64_t now_ns);
  void forget(std::size_t place);
  void wait_for_orphans(std::uint64_t now_ns);
  void judge(PacedProcess& process);
  void charge(PacedProcess& process, const Growth& unbooked, std::uint64_t now_ns);
  void charge_unforeseen(PacedProcess& process, std::uint64_t now_ns);
  void book(PacedProcess& process, std::int64_t read_bytes, std::int64_t write_bytes, std::uint64_t now_ns);
  void have_sent(PacedProcess& process, std::uint64_t now_ns);
  std::uint64_t less_unwritten(std::uint64_t write_bytes);
  void settle_job(std::uint64_t now_ns, JobBalance::When when);
  void hold_or_let_go(PacedProcess& process, std::uint64_t now_ns);
  [[nodiscard]] std::uint64_t held_until(PacedProcess& process, std::uint64_t now_ns);
  [[nodiscard]] bool serves_others(const PacedProcess& process) const;
  void stop(PacedProcess& process, std::uint64_t now_ns);
  static void book_standing(PacedProcess& process, std::uint64_t now_ns);
  void let_go(PacedProcess& process, std::uint64_t now_ns);
  void note(const PacedProcess& process, bool is_held);
  [[nodiscard]] std::uint64_t next_look_ns(std::uint64_t now_ns) const;
  bool is_over_at(std::uint64_t instant_ns);

  protocol::Segment& segment_;
  Paced paced_;
  Brake brake_;
  JobBalance balance_;
  Tree tree_;
  WriteSender sender_;
  Growth gone_;                       // of processes that nobody has waited for
  std::int64_t unwritten_bytes_ = 0;  // paid for, and removed before they were written
  std::uint64_t settled_at_ns_ = 0;
  std::uint64_t job_due_ns_ = 0;  // until then what nobody was seen to move is not paid
  PacedProcesses processes_;
  std::uint64_t looks_paid_ns_ = 0;  // until then no look is to be made, or soon after
  std::uint64_t look_cost_ns_ = 0;   // of the last one
  bool has_left_alone_ = false;
  bool was_anybody_told_to_end_ = false;
  std::uint64_t grant_sequence_ = 0;
  std::vector<pid_t> staying_;
  std::size_t staying_without_library_ = 0;
  Growth moved_by_orphans_;
  std::uint64_t unseen_bytes_ = 0;  // that orphans had moved who ended before they were seen
  std::uint64_t paid_at_ns_ = 0;
  bool is_over_ = false;  // under the mutex
  std::mutex mutex_;
  std::condition_variable end_;
  std::vector<Finding> findings_;
  Growth all_;  // under the mutex
  std::atomic<bool> has_anybody_{true};
  std::atomic<bool> has_looked_{false};
  std::atomic<bool> is_anybody_standing_{false};
  std::thread thread_;
};

}  // namespace discnice::pace
