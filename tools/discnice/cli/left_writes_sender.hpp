// SPDX-License-Identifier: MIT
// left_writes_sender: sends to the disk what a job's small files left to the kernel when they were closed. It works beside the program.
//
// Knowledge assumed: syncfs() writes all dirty data of a file system and its journal, and puts neighbouring data into one request. If a program sent
//   its files one by one, each file would cost a request and a wait (fs/sync.c, mm/page-writeback.c). /proc/meminfo counts the dirty data of all file
//   systems and users together. The kernel itself sends dirty data after vm.dirty_expire_centisecs, as a rule half a minute.
// Output observed: the count of dirty data before and after each syncfs(); vm.dirty_expire_centisecs.
// Inference drawn: data that is dirty after a syncfs() lies on other file systems. Data that becomes dirty after a syncfs() belongs to the job, or
//   to other users of the job's file system. While there is little such data, little data of other users is sent early. When there is more such
//   data, and before the first syncfs(), its owner is unknown. Then at most as much as the disk writes in a second is sent, once in the time of
//   vm.dirty_expire_centisecs.
// What breaks it: a file of another program that would have been removed within that time is written after all. While too much is dirty, nothing is
//   sent here, and each process sends its own small files (transfer/smooth_writes.hpp).
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <thread>

#include "tools/discnice/protocol/board.hpp"
#include "tools/discnice/protocol/layout.hpp"

namespace discnice::cli {

class LeftWritesSender {
 public:
  /// Tells the job's processes that they may ask.
  explicit LeftWritesSender(protocol::Segment& segment);
  /// Tells the job's processes that they may no longer ask. Waits until the data that is being sent has reached the disk.
  ~LeftWritesSender();
  LeftWritesSender(const LeftWritesSender&) = delete;
  LeftWritesSender& operator=(const LeftWritesSender&) = delete;

  /// To be called now and then. The first request starts a thread, which answers that request and all later requests.
  void look();

 private:
  void run();
  std::optional<std::uint64_t> next_asked();
  bool send(std::uint64_t mount_id);
  bool may_send(std::uint64_t mount_id, const protocol::Disk& disk);
  protocol::Disk* disk_of(int fd, std::uint64_t mount_id);
  void book_sync(protocol::Disk& disk);

  protocol::Segment& segment_;
  protocol::Board* board_ = nullptr;
  // The mount of the last syncfs(), and the number of bytes that were still dirty after it.
  std::optional<std::uint64_t> sent_mount_id_;
  std::uint64_t elsewhere_bytes_ = 0;
  std::optional<std::uint64_t> unknown_sent_at_ns_;
  std::atomic<bool> is_ending_{false};
  std::thread thread_;
};

}  // namespace discnice::cli
