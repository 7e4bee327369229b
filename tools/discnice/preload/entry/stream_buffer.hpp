// SPDX-License-Identifier: MIT
// stream_buffer: tells whether a call on a FILE used only the stream's buffer.
//
// Knowledge assumed: glibc shows a stream's buffer to its own inlined getc_unlocked() and putc_unlocked(), so the places of the pointers are part of
//   its interface (bits/types/struct_FILE.h). A call that only copies moves the pointer forward. A call that fills or empties the buffer sets the
//   pointer back, or moves the buffer's end.
// Output observed: the pointers before and after the call, or the room before the call.
// Inference drawn: when the pointer moved forward in the same buffer, or the buffer had room for all bytes, the file was not touched. A line-buffered
//   stream and a stream without a buffer show no room (the end of their buffer is its beginning).
// What breaks it: a call that empties the buffer and fills it further than before looks like a copy. Then one of the next calls looks at the account.
//   When the pointers cannot be seen (another libc), every call counts as a call that touched the file.
#pragma once

#include <cstdint>
#include <cstdio>

namespace discnice::guest {

/// Stands for the number of bytes when the call itself finds out how many bytes it puts into a stream.
inline constexpr std::uint64_t kUnknownBytes = UINT64_MAX;

#if defined(__GLIBC__)

/// True when a call that puts `bytes` into the stream only copies them to its buffer.
inline bool has_room(FILE* stream, std::uint64_t bytes) {
  if (bytes == 0) return true;
  return stream != nullptr && stream->_IO_write_ptr < stream->_IO_write_end &&
         bytes <= static_cast<std::uint64_t>(stream->_IO_write_end - stream->_IO_write_ptr);
}

/// The state of a stream's buffer at one moment.
class StreamMark {
 public:
  explicit StreamMark(FILE* stream) {
    if (stream == nullptr) return;
    read_at_ = stream->_IO_read_ptr;
    read_end_ = stream->_IO_read_end;
    write_at_ = stream->_IO_write_ptr;
    write_start_ = stream->_IO_write_base;
  }

  /// True when everything that has happened to the stream since `before` took place in its buffer.
  bool has_only_copied(const StreamMark& before) const {
    return (read_at_ > before.read_at_ && read_end_ == before.read_end_) ||
           (write_at_ > before.write_at_ && write_start_ == before.write_start_);
  }

  /// The bytes that waited in the buffer to be written.
  std::uint64_t pending_bytes() const {
    return write_at_ > write_start_ ? static_cast<std::uint64_t>(write_at_ - write_start_) : 0;
  }

 private:
  const char* read_at_ = nullptr;
  const char* read_end_ = nullptr;
  const char* write_at_ = nullptr;
  const char* write_start_ = nullptr;
};

#else

inline bool has_room(FILE* /*stream*/, std::uint64_t bytes) {
  return bytes == 0;
}

class StreamMark {
 public:
  explicit StreamMark(FILE* /*stream*/) {}
  bool has_only_copied(const StreamMark& /*before*/) const { return false; }
  std::uint64_t pending_bytes() const { return 0; }
};

#endif

}  // namespace discnice::guest
