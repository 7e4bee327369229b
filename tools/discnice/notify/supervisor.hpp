// SPDX-License-Identifier: MIT
// supervisor: holds large calls of programs that the library cannot reach, before they are made.
//
// The pacer (pace/) sees what a process has moved after it has moved it, and no call can be stopped once it is begun. A call of four megabytes at five megabytes a second is most of a
// second's worth at once. The kernel shows us such calls first (large_call.hpp). What one would bring from the disk comes in steps, each when it is paid and the policy gives the job
// a turn, into the page cache; then the kernel makes the call (waiting_call.hpp). Small calls are the pacer's.
//
// Knowledge assumed: a page that was read a moment ago is still there when the call asks for it. The kernel books what is read to the thread that reads, so to ours.
// Output observed: the call's words; whether the file's pages are resident, where the kernel tells; our own thread's account.
// Inference drawn: what a call would move, before it does.
// What breaks it: memory so short that the pages go before the call comes. Then it reads them once more, and the pacer has it paid.
//
// One thread takes calls and lets those go at once that need no disk; another one moves in steps. Both are the launcher's, or of who looks after those that go on when
// the command has ended (cli/staying.hpp).
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include <sys/types.h>

#include "tools/discnice/contract/grant.hpp"
#include "tools/discnice/job/job.hpp"
#include "tools/discnice/notify/callers.hpp"
#include "tools/discnice/notify/guard.hpp"
#include "tools/discnice/notify/listener.hpp"
#include "tools/discnice/notify/waiting_call.hpp"
#include "tools/discnice/pace/paid_ahead.hpp"
#include "tools/discnice/processes/kernel_account.hpp"
#include "tools/discnice/protocol/layout.hpp"

namespace discnice::notify {

class Supervisor {
 public:
  /// Takes over the listener. Throws std::system_error when no thread is to be had; then the guard lets all calls go.
  Supervisor(protocol::Segment& segment, const Shown& shown, std::string preloaded_name,
             pace::PaidAhead& ahead);
  /// Stops looking. Whoever goes on the guard lets go from then on, unless somebody else looks.
  ~Supervisor();
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  /// Stops looking; what waits goes. Returns how the calls are shown, for who is to look from now on. The descriptor stays ours.
  Shown stop();
  /// Somebody else looks: the guard is not needed any more.
  void hand_over();

 private:
  void take_calls();
  bool begin(const seccomp_notif& shown, const LargeCall& call, std::uint64_t now_ns);
  bool may_go_at_once(const Grant& grant, std::uint64_t now_ns);
  static bool find_read(WaitingCall& waiting);
  bool find_copy(WaitingCall& waiting, const Caller& caller);
  protocol::Disk* disk_of(int fd, std::int64_t* size_bytes);

  enum class Turn : std::uint8_t { more_to_come, done };
  void move_all();
  Turn serve(WaitingCall& waiting);
  bool wait_until_due(const WaitingCall& waiting, std::uint64_t step_bytes);
  bool is_wanted(const WaitingCall& waiting);
  bool is_over();
  void charge(std::uint64_t read_bytes, std::uint64_t write_bytes);
  void book_step(const WaitingCall& waiting);

  protocol::Segment& segment_;
  bool is_killable_;
  Listener listener_;
  Guard guard_;
  Callers callers_;
  pace::PaidAhead& ahead_;
  guest::Job job_{};
  int stop_fd_;

  std::mutex mutex_;
  std::condition_variable wake_;
  bool is_ending_ = false;           // under the mutex
  bool is_moving_ = false;           // under the mutex
  std::deque<WaitingCall> waiting_;  // under the mutex

  // Of the thread that moves; while it has nothing to move, of the other one.
  std::uint64_t due_ns_ = 0;
  std::uint64_t grant_sequence_ = 0;
  processes::KernelAccount seen_;
  std::unique_ptr<processes::KernelAccountFile> account_;

  std::thread taker_;
  std::thread mover_;
};

}  // namespace discnice::notify
