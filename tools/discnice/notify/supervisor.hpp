// SPDX-License-Identifier: MIT
// supervisor: holds large calls of programs that the library cannot reach, before they are made.
//
// The pacer (pace/) sees what a process has moved after it has moved it, and no call can be stopped once it is begun. A call of four megabytes at five megabytes a second is most of a
// second's worth at once. The kernel shows us such calls first (large_call.hpp). The data of such a call is brought into the page cache in steps. Each step waits until it is
// paid and until the policy gives the job a turn. Then the kernel makes the call (waiting_call.hpp). Small calls are the pacer's.
//
// Knowledge assumed: a page that was read a moment ago is still there when the call asks for it. The kernel books what is read to the thread that reads, so to ours.
// Output observed: the call's words; whether the file's pages are resident, where the kernel tells; our own thread's account.
// Inference drawn: what a call would move, before it does.
// A write is let go when the one before has had its time at the rate; the pacer has it paid, by what the kernel has booked.
// What breaks it: memory so short that the pages go before the call comes. Then it reads them once more, and the pacer has it paid.
//
// One thread takes calls, and lets calls that need no disk go on at once. Another thread moves data in steps. Both are threads of the launcher, or of the process that looks
// after programs that go on after the command has ended (cli/staying.hpp).
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
  /// Takes ownership of the listener. Throws std::system_error if no thread can be started; then the watch's guard lets all calls go on.
  Supervisor(protocol::Segment& segment, int listener_fd, std::unique_ptr<Watch> watch,
             pace::Exchange& exchange);
  /// Stops handling calls. From then on the guard lets them go on, unless another process handles them.
  ~Supervisor();
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  /// To be called from time to time, because the guard may have been killed.
  void look_after_guard();

  /// Stops handling calls and lets waiting ones go on. Returns the listener for the process that handles calls from now on. The descriptor still belongs to this object.
  int stop();
  /// To be called when another process handles the calls, so that the guard is not needed any more.
  void hand_over();

 private:
  // A write that was let go on, and the thread that made it. The growth of the account then shows its cost.
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
  std::atomic<bool> has_account_{true};  // of the thread that moves

  std::mutex mutex_;
  std::condition_variable wake_;
  bool is_ending_ = false;           // under the mutex
  std::deque<WaitingCall> waiting_;  // under the mutex

  // These belong to the thread that moves data.
  std::uint64_t due_ns_ = 0;        // until then what was read is not paid
  std::uint64_t write_due_ns_ = 0;  // until then what was written takes at the rate; the pacer has it paid
  std::uint64_t grant_sequence_ = 0;
  std::map<pid_t, LetGo> let_go_;  // by thread
  processes::KernelAccount seen_;
  std::unique_ptr<processes::KernelAccountFile> account_;

  std::thread taker_;
  std::thread mover_;
};

}  // namespace discnice::notify
