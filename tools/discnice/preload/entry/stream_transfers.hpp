// SPDX-License-Identifier: MIT
// stream_transfers: what a call on a FILE makes libc read from the file, or has made it write there.
//
// Knowledge assumed: glibc's stdio (libio/fileops.c). A read that the buffer cannot serve takes whole buffers straight from the file as far as
//   it is that long, and else fills the buffer once; what is written collects in the buffer and leaves it in order, from where the descriptor
//   stands. <stdio_ext.h> tells which way a stream goes, how long its buffer is and what waits in it.
// Output observed: the buffer before the call; the descriptor's place after it.
// Inference drawn: of reads, before the call, the bytes and the place they will come from, which is what the predictor wants to know; of
//   writes, after it, what has left the buffer, the last of it when the stream is closed.
// What breaks it: streams that other threads use at the same time, or whose descriptor is used beside them. The kernel's account
//   corrects what was missed.
#pragma once

#include <cstdint>
#include <cstdio>

#include "tools/discnice/job/job.hpp"
#include "tools/discnice/observe/verification.hpp"
#include "tools/discnice/transfer/transfer_call.hpp"

namespace discnice::guest {

/// How much of `wanted_bytes` the stream's buffer cannot serve. Without a look at the descriptor: some loads.
std::uint64_t bytes_missing(FILE* stream, std::uint64_t wanted_bytes);

/// The same for a call that reads up to `delimiter`, at most `limit_bytes`: 1 when the buffer does not hold all of the line.
std::uint64_t line_bytes_missing(FILE* stream, int delimiter, std::uint64_t limit_bytes);

/// One read of a stream that goes to the file: predicted and paid for before, settled after.
class StreamRead {
 public:
  /// `missing_bytes`: at least one.
  StreamRead(Job& job, FILE* stream, std::uint64_t missing_bytes);

  /// What the program got.
  void done(std::uint64_t bytes);

 private:
  void begin(Transfer& transfer, int fd, std::int64_t place, std::uint64_t bytes);

  Job& job_;
  throttle::SignalHold signals_;
  Transfer direct_{};  // whole buffers, straight to where the program wants them
  Transfer fill_{};    // one buffer's worth for the rest; of a trusted read, all of it
  bool is_charged_ = false;
  bool is_trusted_ = false;
  std::uint64_t start_ns_ = 0;  // of a trusted read
};

/// What was known before a call on a stream.
struct StreamBefore {
  std::uint64_t pending_bytes = 0;  // what waited to be written
  ThreadAccount account{};          // the thread's, while that is measured
};

/// What has left the stream's buffer since the last time is charged now and owed by the next call.
void note_stream_written(Job& job, FILE* stream, const StreamBefore& before);

/// The same before a call that moves the descriptor or closes it: what left the buffer unseen, and what waits in it and will leave it in that call.
void note_stream_flushed(Job& job, FILE* stream);

/// The stream's descriptor stands elsewhere now, or was opened just now.
void note_stream_moved(Job& job, FILE* stream);

/// A stream that is about to be closed: what libc writes in that call can be sent to the disk only after it, by a descriptor of ours, which is there
/// meanwhile where something is to be sent. That may wait as a write does. errno is kept.
class ClosingStream {
 public:
  /// Before the call. What the stream's own descriptor meant must not be forgotten yet.
  ClosingStream(Job* job, FILE* stream);
  ~ClosingStream();
  ClosingStream(const ClosingStream&) = delete;
  ClosingStream& operator=(const ClosingStream&) = delete;

 private:
  Job* job_;
  int fd_ = -1;
  std::uint64_t unsent_bytes_ = 0;
};

}  // namespace discnice::guest
