// SPDX-License-Identifier: MIT
// stream_transfers: the bytes that libc will read from the file, or has written to it, because of a call on a FILE.
//
// Knowledge assumed: glibc's stdio (libio/fileops.c). A long read that the buffer cannot serve takes whole buffers straight from the file, and then
//   fills the buffer once for the rest. Written bytes collect in the buffer and leave it in order, from the descriptor's position on. <stdio_ext.h>
//   tells in which direction a stream goes, how long its buffer is and what waits in the buffer.
// Output observed: the buffer before the call; the descriptor's position after the call.
// Inference drawn: for reads, before the call, the bytes and their place in the file, which the predictor needs; for writes, after the call, the
//   bytes that have left the buffer, and the last of them when the stream is closed.
// What breaks it: streams that other threads use at the same time, or whose descriptor is used directly. The kernel's account corrects the missed
//   bytes.
#pragma once

#include <cstdint>
#include <cstdio>

#include "tools/discnice/job/job.hpp"
#include "tools/discnice/observe/verification.hpp"
#include "tools/discnice/transfer/transfer_call.hpp"

namespace discnice::guest {

/// How many of `wanted_bytes` the stream's buffer cannot serve. It does not look at the descriptor, and costs some loads.
std::uint64_t bytes_missing(FILE* stream, std::uint64_t wanted_bytes);

/// Same as bytes_missing(), for a call that reads up to `delimiter`, at most `limit_bytes`. The result is 1 when the buffer does not hold the whole
/// line.
std::uint64_t line_bytes_missing(FILE* stream, int delimiter, std::uint64_t limit_bytes);

/// One read of a stream that reads the file. It is predicted and paid for before the call, and settled after it.
class StreamRead {
 public:
  /// `missing_bytes` is at least one.
  StreamRead(Job& job, FILE* stream, std::uint64_t missing_bytes);

  /// The bytes that the program got.
  void done(std::uint64_t bytes);

 private:
  void begin(Transfer& transfer, int fd, std::int64_t place, std::uint64_t bytes);

  Job& job_;
  throttle::SignalHold signals_;
  Transfer direct_{};  // whole buffers, read directly to the program's memory
  Transfer fill_{};    // one buffer for the rest; for a trusted read, all of it
  bool is_charged_ = false;
  bool is_trusted_ = false;
  std::uint64_t start_ns_ = 0;  // the start of a trusted read
};

/// The state of a stream before a call.
struct StreamBefore {
  std::uint64_t pending_bytes = 0;  // the bytes that waited to be written
  ThreadAccount account{};          // the thread's, while that is measured
};

/// Charges the bytes that have left the stream's buffer since the last time. The next call waits for them.
void note_stream_written(Job& job, FILE* stream, const StreamBefore& before);

/// To be called before a call that moves the descriptor or closes it. This function charges the bytes that left the buffer unnoticed, and the bytes in the buffer, which leave it
/// in that call.
void note_stream_flushed(Job& job, FILE* stream);

/// Notes that the stream's descriptor has another position now, or was just opened.
void note_stream_moved(Job& job, FILE* stream);

/// A stream that is about to be closed. The data that libc writes in fclose() can be sent to the disk only after the call, by a descriptor of the
/// library. The library opens that descriptor only when something has to be sent. May wait like a write. Keeps errno.
class ClosingStream {
 public:
  /// Call this before the real call, while the stream's own descriptor is still known.
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
