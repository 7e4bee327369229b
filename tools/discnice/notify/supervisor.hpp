// SPDX-License-Identifier: MIT
// supervisor: holds large calls of programs that the library cannot reach, before the kernel makes these calls.
//
// The pacer (pace/) sees the bytes of a process only after the process has moved them, and a call that has begun cannot be stopped. When the rate is five
// megabytes a second, a call of four megabytes uses most of the bytes of a second. So the kernel shows such calls before it makes them (large_call.hpp). The
// data that a call would read from the disk is brought into the page cache in steps, each when it is paid and the policy gives the job a turn. Then the kernel
// makes the call (waiting_call.hpp). Small calls are left to the pacer.
//
// Knowledge assumed: a page that was read a moment ago is still cached when the call asks for it. The kernel charges a read to the thread that makes it, so the
//   steps are charged to this program's thread.
// Output observed: the call's words; whether the file's pages are resident, where the kernel tells; the account of this program's thread.
// Inference drawn: the bytes that a call would move, before the kernel makes it. A write may continue after the time that the
// bytes of the write before it take at the rate. The pacer charges the written bytes, by the kernel's account.
// What breaks it: memory so short that the pages are evicted before the call comes. Then the call reads the pages again, and the pacer charges
// these reads.
//
// One thread takes the calls, and lets calls that need no disk go at once. Another thread makes the steps. Both belong to the launcher, or to the process that
// looks after the programs that go on when the command has ended (cli/staying.hpp).
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include <sys/types.h>

#include "tools/discnice/contract/grant.hpp"
#include "tools/discnice/job/job.hpp"
#include "tools/discnice/notify/callers.hpp"
#include "tools/discnice/notify/listener.hpp"
#include "tools/discnice/notify/waiting_call.hpp"
#include "tools/discnice/notify/watch.hpp"
#include "tools/discnice/pace/exchange.hpp"
#include "tools/discnice/processes/kernel_account.hpp"
#include "tools/discnice/protocol/layout.hpp"

namespace discnice::notify {

class Supervisor {
 public:
  /// Takes over the listener. Throws std::system_error when no thread can be started. The watch's guard lets all calls go then.
  Supervisor(protocol::Segment& segment, int listener_fd, std::unique_ptr<Watch> watch,
             pace::Exchange& exchange);
  /// Stops supervising. From then on the guard lets all calls go, unless another process supervises them.
  ~Supervisor();
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  /// To be called now and then, because the guard may have been killed.
  void look_after_guard();

  /// Stops supervising, and lets waiting calls go. Returns the listener, for the process that supervises from now on. The descriptor stays
  /// open in this process.
  int stop();
  /// Another process supervises the calls, so the guard is no longer needed.
  void hand_over();

 private:
  // A write that was let go. When its thread makes the next such call, the growth of the account since then shows what the write has cost.
  struct LetGo {
    std::uint64_t bytes;
    std::uint64_t account_bytes;
  };

  void take_calls();
  bool begin(const seccomp_notif& shown, const LargeCall& call, std::uint64_t now_ns);
  static bool find_read(WaitingCall& waiting, gray::base::ScopedFd file, const CalledFile& called);

  enum class Turn : std::uint8_t { more_to_come, done };
  void move_all();
  Turn serve(WaitingCall& waiting);
  bool wait_until_due(const WaitingCall& waiting, std::uint64_t step_bytes);
  bool is_wanted(const WaitingCall& waiting);
  bool is_over();
  void finish_call(WaitingCall& waiting);
  void note_write(const WaitingCall& waiting);
  void return_unwritten(const WaitingCall& waiting);
  void book_step(const WaitingCall& waiting);

  protocol::Segment& segment_;
  std::unique_ptr<Watch> watch_;
  Listener listener_;
  guest::Job job_{};
  Callers callers_;
  pace::Exchange& exchange_;
  int stop_fd_;
  std::atomic<bool> has_account_{true};  // the account of the thread that makes the steps

  std::mutex mutex_;
  std::condition_variable wake_;
  bool is_ending_ = false;           // protected by the mutex
  std::deque<WaitingCall> waiting_;  // protected by the mutex

  // Used by the thread that makes the steps.
  std::uint64_t due_ns_ = 0;        // until then the read bytes are not paid
  std::uint64_t write_due_ns_ = 0;  // until then the written bytes take at the rate; the pacer charges them
  std::uint64_t grant_sequence_ = 0;
  std::map<pid_t, LetGo> let_go_;  // key: the thread
  processes::KernelAccount seen_;
  std::unique_ptr<processes::KernelAccountFile> account_;

  std::thread taker_;
  std::thread mover_;
};

}  // namespace discnice::notify
