// SPDX-License-Identifier: MIT
// write_sender: has the kernel send data to the disk in steps, for programs under a rate that the library cannot reach. transfer/smooth_writes does
// that for programs that the library can reach.
//
// Knowledge assumed: the kernel's flusher sends a file's dirty data all at once, up to half a minute later. sync_file_range() with
//   SYNC_FILE_RANGE_WRITE alone starts that now (transfer/smooth_writes.hpp). /proc/PID/fd/N opens the file that a process has open as descriptor
//   N, even when the file was renamed or removed.
// Output observed: which files a process has open for writing, when its account has grown by a step.
// Inference drawn: the data that the process has written lies in these files. When this data is sent now, it reaches the disk at the job's rate.
// What breaks it: a file that was closed meanwhile is left to the kernel. A file with a lease, and data written to maps, are also left to the
//   kernel. A program that watches a file for being opened (inotify) sees that it was opened. Without a rate nothing is sent. With restic under
//   `nice`, data that was sent early made a foreground program wait longer.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <set>
#include <thread>

#include <sys/types.h>

#include "tools/discnice/contract/grant.hpp"
#include "tools/discnice/protocol/layout.hpp"

namespace discnice::pace {

/// Returns how many bytes a process writes before they are sent; 0 means that all data is left to the kernel.
/// `disk` is null when the disk is not known.
std::uint64_t due_bytes(const Grant& grant, const protocol::Disk* disk);

/// One thread makes all calls. The sender has a thread of its own, which starts with the first request.
class WriteSender {
 public:
  explicit WriteSender(protocol::Segment& segment) : segment_(segment) {}
  /// Waits for the data that is being sent.
  ~WriteSender();
  WriteSender(const WriteSender&) = delete;
  WriteSender& operator=(const WriteSender&) = delete;

  /// Asks for the process's written data to be sent. Never waits.
  void ask(pid_t pid);
  /// Whether sending was requested for this process, and is not done yet.
  [[nodiscard]] bool is_busy_with(pid_t pid);

 private:
  void run();
  void send_files_of(pid_t pid);

  protocol::Segment& segment_;
  std::mutex mutex_;
  std::condition_variable asked_for_;
  std::set<pid_t> asked_;  // protected by the mutex, like the fields below
  bool is_ending_ = false;
  std::thread thread_;
};

}  // namespace discnice::pace
