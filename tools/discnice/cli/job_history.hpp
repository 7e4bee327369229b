// SPDX-License-Identifier: MIT
// job_history: sums up the recording of a job over time and for each file, for a page. It runs no model: the recording contains the
// predicted bytes, the counted bytes and the waits.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tools/discnice/protocol/layout.hpp"
#include "tools/discnice/protocol/ring.hpp"

namespace discnice::cli {

/// The disk bytes that the models predicted, and the disk bytes that the kernel counted.
struct DiskBytes {
  std::uint64_t predicted_read = 0;
  std::uint64_t predicted_write = 0;
  std::uint64_t refunded = 0;  // of the predicted writes
  std::uint64_t kernel_read = 0;
  std::uint64_t kernel_write = 0;
  DiskBytes& operator+=(const DiskBytes& other);
  [[nodiscard]] std::uint64_t kernel() const { return kernel_read + kernel_write; }
};

/// The bytes that the job moved, and the time that it waited, in one span of time.
struct HistorySpan {
  DiskBytes bytes;
  std::uint64_t waited_ns = 0;  // the sum over all threads
};

struct FileHistory {
  std::string name;  // empty: not in the recording
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t calls = 0;
  DiskBytes bytes;
};

struct ClassHistory {
  std::uint64_t calls = 0;
  std::uint64_t moved_bytes = 0;  // the sum of the calls' results
  DiskBytes bytes;
};

struct JobHistory {
  std::string command_line;  // empty: not in the recording
  std::uint64_t duration_ns = 0;
  std::uint64_t span_ns = 0;
  std::vector<HistorySpan> spans;  // consecutive, from the beginning of the job on
  std::uint64_t waited_ns = 0;
  std::uint64_t processes = 0;
  std::uint64_t largest_bytes = 0;  // the most that one call moved to or from the disk
  ClassHistory classes[protocol::kCallClassCount];
  std::vector<FileHistory> files;  // the file that moved most comes first
  std::optional<protocol::EndRecord> end;

  [[nodiscard]] DiskBytes all() const;
};

/// Takes the checked records of a file in their order. The memory grows with the number of files, not with the number of calls.
class HistoryMaker {
 public:
  void take(const protocol::TakenRecord& record);
  [[nodiscard]] JobHistory result() const;

 private:
  using FileKey = std::pair<std::uint64_t, std::uint64_t>;  // device, inode
  // A call whose outcome has not come yet.
  struct Call {
    FileKey file;
    std::uint64_t asked_ns = 0;
  };

  void take_process(const protocol::ProcessRecord& record);
  void take_operation(const protocol::OperationRecord& record);
  void take_outcome(const protocol::OutcomeRecord& record);
  FileHistory& file_of(const FileKey& key);
  void see(std::uint64_t time_ns);
  HistorySpan& span_at(std::uint64_t time_ns);
  void add_wait(std::uint64_t start_ns, std::uint64_t waited_ns);

  JobHistory history_;
  std::uint64_t first_ns_ = 0;
  std::uint64_t last_ns_ = 0;
  std::uint64_t span_ns_ = 0;
  std::vector<HistorySpan> spans_;
  std::map<std::uint64_t, Call> calls_;  // by the number of the call
  std::map<FileKey, FileHistory> files_;
  std::set<std::uint32_t> running_;  // the numbers of the running processes
};

}  // namespace discnice::cli
