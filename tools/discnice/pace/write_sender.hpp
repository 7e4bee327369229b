// SPDX-License-Identifier: MIT
// write_sender: has the kernel send to the disk in steps what programs write under a rate that the library cannot reach, as transfer/smooth_writes does for those
// that it can.
//
// Knowledge assumed: the kernel's flusher sends a file's dirty data all at once, up to half a minute later. sync_file_range() with SYNC_FILE_RANGE_WRITE alone starts the sending
// now (transfer/smooth_writes.hpp). /proc/PID/fd/N opens the file that a process has open there, whatever its name is by now.
// Output observed: which files a process has open to be written, when its account has grown by a step.
// Inference drawn: what it has written since lies in these files. Sent now, it reaches the disk at the job's rate.
// What breaks it: a file that was closed meanwhile is left to the kernel. So are files with a lease, and data that is written to memory maps. A program that watches a file for
// opens (inotify) sees this open. Without a rate nothing is sent: beside restic under `nice` what is sent early made a foreground wait for longer.
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

/// How many bytes a process writes before they are sent; 0: all are left to the kernel. A null disk is an unknown disk.
std::uint64_t due_bytes(const Grant& grant, const protocol::Disk* disk);

/// One thread must make all calls. Another thread sends the data; it starts at the first request.
class WriteSender {
 public:
  explicit WriteSender(protocol::Segment& segment) : segment_(segment) {}
  /// Waits until the present sending has ended.
  ~WriteSender();
  WriteSender(const WriteSender&) = delete;
  WriteSender& operator=(const WriteSender&) = delete;

  /// Requests that the data that the process wrote is sent. Never waits.
  void ask(pid_t pid);
  /// Whether such a request was made and is not done yet.
  [[nodiscard]] bool is_busy_with(pid_t pid);

 private:
  void run();
  void send_files_of(pid_t pid);

  protocol::Segment& segment_;
  std::mutex mutex_;
  std::condition_variable asked_for_;
  std::set<pid_t> asked_;  // under the mutex, as what follows
  bool is_ending_ = false;
  std::thread thread_;
};

}  // namespace discnice::pace
