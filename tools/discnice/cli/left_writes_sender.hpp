// SPDX-License-Identifier: MIT
// left_writes_sender: sends to the disk what a job's small files left to the kernel when they were closed, beside the program.
//
// Knowledge assumed: syncfs() writes all dirty data of a file system, neighbours in one request, and its journal as well. If a program sent
//   its files one by one, each would be a request and a wait (fs/sync.c, mm/page-writeback.c). /proc/meminfo counts how much is dirty, of
//   all file systems and users together.
// Output observed: that count.
// Inference drawn: while the count is small, little of other people's data is sent early, and the kernel would have sent that within half a
//   minute.
// What breaks it: a file of somebody else that would have been removed within that time is written after all. While much is dirty nothing is sent here, and
//   each process sends its own small files (transfer/smooth_writes.hpp).
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
  /// Tells them that they may not. Waits for what is being sent.
  ~LeftWritesSender();
  LeftWritesSender(const LeftWritesSender&) = delete;
  LeftWritesSender& operator=(const LeftWritesSender&) = delete;

  /// To be called now and then: from the first asking on a thread of its own answers.
  void look();

 private:
  void run();
  std::optional<std::uint64_t> next_asked();
  bool send(std::uint64_t mount_id);
  std::uint64_t left_bytes_max(const protocol::Disk* disk) const;
  protocol::Disk* disk_of(int fd, std::uint64_t mount_id);
  void book_sync(protocol::Disk* disk);

  protocol::Segment& segment_;
  protocol::Board* board_ = nullptr;
  std::atomic<bool> is_ending_{false};
  std::thread thread_;
};

}  // namespace discnice::cli
