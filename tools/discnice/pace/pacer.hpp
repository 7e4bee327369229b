// SPDX-License-Identifier: MIT
// pacer: holds processes to the job's limit from outside, for programs that the library cannot reach: static programs, Go, and other programs that
// make their system calls themselves.
//
// Each process runs for a slice. Then the kernel's account (paced_process.hpp) shows how many bytes the process has moved. These bytes are charged to the job's budget, which
// the processes that the library holds use, too. The process is stopped (brake.hpp) until these bytes are paid, and until the policy gives the job
// a turn. So its calls, its page faults and the work of kernel threads for it are all held, and reading cached data is free. A slice is so short
// that the process moves little in it.
//
// Assumes: the account grows when a request goes to the disk, and not when the request ends (task_io_account_read() of block/blk-core.c).
// What breaks it: a program that moves many bytes by one call. The kernel finishes a call before a thread stops. So a program that reads 5 MB in
// one
//   call moves 5 MB without a stop, and is stopped afterwards. The average rate over several such calls is right. Where the kernel shows large
//   calls before they are made, notify/ makes them in steps. A program that serves a file system (FUSE) is not stopped while other processes are
//   in the job, because they may wait for it. The bytes that it moves are still charged to the job.
//
// It runs in a thread of the launcher. So it may stop the launcher's descendants even where the kernel allows no other tracing (Yama), and it ends with the launcher.
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
  std::string name;    // the name of its program
  std::string reason;  // why the library does not hold it; if the pacer does not hold it either, why not
  bool is_held;
};

class Pacer {
 public:
  Pacer(protocol::Segment& segment, Paced paced);
  /// Lets all processes go.
  ~Pacer();
  Pacer(const Pacer&) = delete;
  Pacer& operator=(const Pacer&) = delete;

  /// Charges the bytes that were moved since the last look, and ends. To be called before the program is waited for.
  void finish();

  /// Whether all processes that existed at the beginning were looked at.
  [[nodiscard]] bool has_looked() const { return has_looked_.load(std::memory_order_relaxed); }

  /// Whether any process was stopped at the last looks.
  [[nodiscard]] bool is_anybody_standing() const {
    return is_anybody_standing_.load(std::memory_order_relaxed);
  }

  /// Whether any process is left.
  [[nodiscard]] bool has_anybody() const { return has_anybody_.load(std::memory_order_relaxed); }

  /// After finish(): the processes that go on although the first program has ended, without those that are left alone or that cannot be held.
  /// Processes that the library holds come last, because they may still execute a program that the library cannot reach.
  [[nodiscard]] const std::vector<pid_t>& staying() const { return staying_; }
  /// How many of the processes that go on are not held by the library, or possibly not held.
  [[nodiscard]] std::size_t staying_without_library() const { return staying_without_library_; }
  /// The bytes that these processes have moved up to now, and the bytes of processes that ended after their parents. No other account
  /// contains these bytes.
  [[nodiscard]] const Growth& moved_by_orphans() const { return moved_by_orphans_; }

  /// After finish(): how long it takes from now until the bytes of the processes that were held from outside are paid at the rate. Bytes that no
  /// process was seen to move are left out. Their sum may be too high when an account is lost, for example with a PID namespace that ends.
  [[nodiscard]] std::uint64_t unpaid_ns(std::uint64_t now_ns) const;
  /// After finish(): whether a signal told a process to end while the process was stopped.
  [[nodiscard]] bool was_anybody_told_to_end() const { return was_anybody_told_to_end_; }

  /// The bytes that the kernel has charged to all processes, as far as the pacer has seen them.
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
  Growth gone_;                       // of processes that no process has waited for
  std::int64_t unwritten_bytes_ = 0;  // paid for, and removed before they were written
  std::uint64_t settled_at_ns_ = 0;
  std::uint64_t job_due_ns_ = 0;  // until then the bytes that no process was seen to move are not paid
  PacedProcesses processes_;
  std::uint64_t looks_paid_ns_ = 0;  // until then no look is to be made, or only soon after
  std::uint64_t look_cost_ns_ = 0;   // the cost of the last look
  bool has_left_alone_ = false;
  bool was_anybody_told_to_end_ = false;
  std::uint64_t grant_sequence_ = 0;
  std::vector<pid_t> staying_;
  std::size_t staying_without_library_ = 0;
  Growth moved_by_orphans_;
  std::uint64_t unseen_bytes_ = 0;  // moved by orphans that ended before they were seen
  std::uint64_t paid_at_ns_ = 0;
  bool is_over_ = false;  // protected by the mutex
  std::mutex mutex_;
  std::condition_variable end_;
  std::vector<Finding> findings_;
  Growth all_;  // protected by the mutex
  std::atomic<bool> has_anybody_{true};
  std::atomic<bool> has_looked_{false};
  std::atomic<bool> is_anybody_standing_{false};
  std::thread thread_;
};

}  // namespace discnice::pace
