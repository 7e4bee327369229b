// SPDX-License-Identifier: MIT
// stream_buffer_test: which output calls only copy into the buffer of a stream, compared with glibc's behaviour on real streams.
#include "tools/discnice/preload/entry/stream_buffer.hpp"

#include <array>
#include <cstdio>
#include <string>

#include "tests/support/catch.hpp"

namespace discnice::guest {
namespace {

constexpr std::size_t kBufferBytes = 256;  // glibc writes shorter buffers in a way of their own

// A stream to /dev/null with a buffer of this many bytes.
class Sink {
 public:
  explicit Sink(int mode, const char* way = "w") : stream_(std::fopen("/dev/null", way)) {
    REQUIRE(stream_ != nullptr);
    REQUIRE(std::setvbuf(stream_, mode == _IONBF ? nullptr : buffer_.data(), mode, buffer_.size()) == 0);
  }
  ~Sink() { std::fclose(stream_); }
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;

  FILE* get() { return stream_; }

 private:
  std::array<char, kBufferBytes> buffer_{};
  FILE* stream_;
};

TEST_CASE("A put of nothing does nothing, whatever the stream", "[stream_buffer]") {
  Sink sink(_IONBF);
  CHECK(has_room(sink.get(), 0));
  CHECK(has_room(nullptr, 0));
}

#if defined(__GLIBC__)

TEST_CASE("A full buffer has no room, one with room copies without a write", "[stream_buffer]") {
  Sink sink(_IOFBF);
  CHECK_FALSE(has_room(sink.get(), 1));  // the buffer does not exist before the first output
  REQUIRE(std::fputc('x', sink.get()) == 'x');
  CHECK(has_room(sink.get(), 1));
  CHECK(has_room(sink.get(), kBufferBytes - 1));
  CHECK_FALSE(has_room(sink.get(), kBufferBytes));
  CHECK_FALSE(has_room(sink.get(), kUnknownBytes));

  const StreamMark before(sink.get());
  const std::string rest(kBufferBytes - 1, 'y');
  REQUIRE(std::fwrite(rest.data(), 1, rest.size(), sink.get()) == rest.size());
  CHECK(StreamMark(sink.get()).has_only_copied(before));
  CHECK(StreamMark(sink.get()).pending_bytes() == kBufferBytes);
  CHECK_FALSE(has_room(sink.get(), 1));
}

TEST_CASE("The rest of what was written by way of the file may stand where the last stood",
          "[stream_buffer]") {
  Sink sink(_IOFBF);
  const std::string head(10, 'h');
  REQUIRE(std::fwrite(head.data(), 1, head.size(), sink.get()) == head.size());
  const std::string block(kBufferBytes, 'b');
  CHECK_FALSE(has_room(sink.get(), block.size()));
  const StreamMark before(sink.get());
  REQUIRE(std::fwrite(block.data(), 1, block.size(), sink.get()) == block.size());
  CHECK(StreamMark(sink.get()).pending_bytes() == before.pending_bytes());
  // Otherwise no write of such a program would be seen.
  CHECK_FALSE(StreamMark(sink.get()).has_only_copied(before));
}

TEST_CASE("A stream that writes each line, or at once, has no room", "[stream_buffer]") {
  for (const int mode : {_IOLBF, _IONBF}) {
    Sink sink(mode);
    REQUIRE(std::fputs("line\n", sink.get()) >= 0);
    CHECK_FALSE(has_room(sink.get(), 1));
    REQUIRE(std::fputs("begun", sink.get()) >= 0);
    CHECK_FALSE(has_room(sink.get(), 1));
  }
}

TEST_CASE("A stream that was read has no room for a put", "[stream_buffer]") {
  FILE* stream = std::tmpfile();
  REQUIRE(stream != nullptr);
  REQUIRE(std::fputs("text to read", stream) >= 0);
  std::rewind(stream);
  REQUIRE(std::fgetc(stream) == 't');
  CHECK_FALSE(has_room(stream, 1));
  std::fclose(stream);
}

#endif

}  // namespace
}  // namespace discnice::guest
