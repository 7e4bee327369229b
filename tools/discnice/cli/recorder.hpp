// SPDX-License-Identifier: MIT
// recorder: drains a job's ring while the program runs. It writes the operations into a file and gives all other records to a listener.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tools/discnice/cli/output_file.hpp"
#include "tools/discnice/processes/kernel_account.hpp"
#include "tools/discnice/protocol/ring.hpp"

namespace discnice::cli {

/// The result of a recording.
struct Recorded {
  std::uint64_t records = 0;
  std::uint64_t lost = 0;
  bool is_broken = false;  // somebody has damaged the ring: later records are not in the recording
  int write_error = 0;     // errno of the first write that failed; the file is cut short there
};

/// Runs a thread of its own between start() and finish(). That thread has all signals blocked, except SIGBUS.
class Recorder {
 public:
  /// Takes the records of private types (protocol::kPrivateTypes and above). Is called in the recorder's thread.
  using Listener = std::function<void(const protocol::TakenRecord&)>;

  Recorder() = default;
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// Opens the file. The old content of the file stays until there is a recording to write. Returns 0 or a negative errno. When no file is
  /// open, operations are dropped.
  int open_file(const std::string& path);

  /// Makes the ring of the job and begins to drain it. `command_line` is for the readers of the recording. Returns 0 or a negative errno.
  int start(const protocol::SegmentName& name, const protocol::RecordFileHeader& header,
            const std::string& command_line, Listener listener);

  /// Drains the remaining records and completes the file. To be called when the program has ended.
  Recorded finish(const std::optional<processes::KernelAccount>& account);

  /// Ends the thread without completing the file. To be called when the program could not be started.
  void abandon();

 private:
  void stop();
  void write_command(const std::string& command_line);
  void run();
  // Returns how many records were taken.
  std::uint64_t drain();
  bool is_hole_dead();
  void take_in(const protocol::TakenRecord& record);
  void buffer(const void* data, std::size_t bytes);
  void write_out();

  protocol::Ring* ring_ = nullptr;
  std::optional<protocol::Drainer> drainer_;
  OutputFile file_;
  Listener listener_;
  Recorded result_;
  std::vector<unsigned char> buffer_;
  std::uint64_t hole_since_ns_ = 0;  // 0: there is no hole at the drainer's place
  std::uint64_t unsound_ = 0;
  unsigned slots_to_skip_ = 0;  // the other slots of a record whose writer counts as dead
  bool is_last_look_ = false;   // the members are no longer waited for
  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool is_ending_ = false;  // protected by mutex_
};

}  // namespace discnice::cli
