// SPDX-License-Identifier: MIT
// stream_transfers: finds out which bytes a call on a FILE makes libc read from the file, or has made libc write to it.
//
// Knowledge assumed: glibc's stdio (libio/fileops.c). A read that the buffer cannot serve takes whole buffers directly from the file, and fills the buffer once for the rest.
// Written data collects in the buffer and leaves it in order, to the position of the descriptor. <stdio_ext.h> tells which way a stream goes, how long its buffer is and what
// waits in it.
// Output observed: the buffer before the call; the descriptor's place after it.
// Inference drawn: for reads, before the call: how many bytes will be read and from which place; the predictor needs both. For writes, after the call: which bytes have left the
// buffer; the last ones leave when the stream is closed.
// What breaks it: streams that other threads use at the same time, or whose descriptor is used beside them. The kernel's account
//   corrects what was missed.
#pragma once

#include <cstdint>
#include <cstdio>

#include "tools/discnice/job/job.hpp"
#include "tools/discnice/observe/verification.hpp"
#include "tools/discnice/transfer/transfer_call.hpp"

namespace discnice::guest {

/// How many of `wanted_bytes` the stream's buffer cannot serve. Does not look at the descriptor; takes a few loads.
std::uint64_t bytes_missing(FILE* stream, std::uint64_t wanted_bytes);

/// The same for a call that reads up to `delimiter`, at most `limit_bytes`: 1 if the buffer does not hold the whole line.
std::uint64_t line_bytes_missing(FILE* stream, int delimiter, std::uint64_t limit_bytes);

/// One read of a stream that needs the file. It is predicted and paid for before the call, and settled after it.
class StreamRead {
 public:
  /// `missing_bytes`: at least one.
  StreamRead(Job& job, FILE* stream, std::uint64_t missing_bytes);

  /// How many bytes the program got.
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

/// Charges now the bytes that have left the stream's buffer since the last time. The next call pays for them.
void note_stream_written(Job& job, FILE* stream, const StreamBefore& before);

/// The same, before a call that moves or closes the descriptor. Charges the bytes that left the buffer unseen, and those that wait in it and will leave it in that call.
void note_stream_flushed(Job& job, FILE* stream);

/// Notes that the stream's descriptor has another position now, or was opened just now.
void note_stream_moved(Job& job, FILE* stream);

/// A stream that is about to be closed. The data that libc writes in that call can be sent to the disk only after it. So a descriptor of the library is open during the call, if
/// there is data to send. This may wait as a write does. errno is kept.
class ClosingStream {
 public:
  /// To be called before the call. The facts about the stream's own descriptor must not be forgotten yet.
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
