// SPDX-License-Identifier: MIT
// left_writes_sender: sends to the disk what a job's small files left to the kernel when they were closed, beside the program.
//
// Knowledge assumed: syncfs() writes all dirty data of a file system, neighbours in one request, and its journal as well. If a program sent
//   its files one by one, each would be a request and a wait (fs/sync.c, mm/page-writeback.c). /proc/meminfo counts how much is dirty, of
//   all file systems and users together. What is dirty the kernel itself sends after vm.dirty_expire_centisecs, half a minute as a rule.
// Output observed: that count, before and after each sending; that age.
// Inference drawn: what is dirty after a sending lies on other file systems. What has come on top since is the job's, or somebody else's on its file
//   system. While that is little, little of other people's data is sent early. Where it is more, and before the first sending, it is not known whose it
//   is: then up to a second's worth is sent, once in that age.
// What breaks it: a file of somebody else that would have been removed before that age is written after all. While too much is dirty nothing is sent
//   here, and each process sends its own small files (transfer/smooth_writes.hpp).
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
  bool may_send(std::uint64_t mount_id, const protocol::Disk& disk);
  protocol::Disk* disk_of(int fd, std::uint64_t mount_id);
  void book_sync(protocol::Disk& disk);

  protocol::Segment& segment_;
  protocol::Board* board_ = nullptr;
  // After the last sending, which was to that mount.
  std::optional<std::uint64_t> sent_mount_id_;
  std::uint64_t elsewhere_bytes_ = 0;
  std::optional<std::uint64_t> unknown_sent_at_ns_;
  std::atomic<bool> is_ending_{false};
  std::thread thread_;
};

}  // namespace discnice::cli
