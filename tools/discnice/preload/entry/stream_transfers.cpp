// SPDX-License-Identifier: MIT
#include "tools/discnice/preload/entry/stream_transfers.hpp"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <stdio_ext.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "toolbox/base/clock.hpp"
#include "toolbox/base/raw_sys.hpp"
#include "tools/discnice/descriptor/file_locks.hpp"
#include "tools/discnice/descriptor/file_position.hpp"
#include "tools/discnice/descriptor/open_files.hpp"
#include "tools/discnice/observe/recording.hpp"
#include "tools/discnice/transfer/metadata.hpp"
#include "tools/discnice/transfer/smooth_writes.hpp"
#include "tools/discnice/transfer/transfer.hpp"
#include "tools/discnice/transfer/transfer_call.hpp"

namespace discnice::guest {
namespace {

using gray::base::is_raw_error;
using gray::base::monotonic_ns;
using gray::base::raw_syscall;

constexpr std::uint64_t kBufferBytes =
    4096;  // for a stream that has no buffer yet: a block of most file systems

std::uint64_t buffer_bytes(FILE* stream) {
  const std::uint64_t bytes = __fbufsize(stream);
  return bytes != 0 ? bytes : kBufferBytes;
}

struct Waiting {
  const char* start;
  std::uint64_t bytes;
};

// The number of bytes in the buffer that a reader has not taken yet.
Waiting waiting_in(FILE* stream) {
#if defined(__GLIBC__)
  if (stream->_IO_read_ptr < stream->_IO_read_end)
    return {stream->_IO_read_ptr, static_cast<std::uint64_t>(stream->_IO_read_end - stream->_IO_read_ptr)};
#else
  static_cast<void>(stream);
#endif
  return {nullptr, 0};
}

// The descriptor of a stream whose file is charged, else -1. Keeps errno.
int charged_descriptor(Job& job, FILE* stream) {
  const int errno_before = errno;
  const int fd = fileno_unlocked(stream);
  errno = errno_before;
  if (fd < 0 || charged_file(job, fd) == nullptr) return -1;
  note_shared(fd);  // libc moves the descriptor unseen
  return fd;
}

// The position of a descriptor. Returns false when it has none.
bool find_place(int fd, std::uint64_t* place_bytes) {
  if (fd < 0) return false;
  const long place = raw_syscall(SYS_lseek, fd, 0, SEEK_CUR);
  *place_bytes = static_cast<std::uint64_t>(place);
  return !is_raw_error(place);
}

// How far the stream's position is behind the descriptor's position, because of bytes that were read ahead into the buffer. libc goes back by
// that many bytes before it writes (_IO_new_do_write()). A stream that appends does not go back.
std::uint64_t bytes_behind(FILE* stream) {
#if defined(__GLIBC__)
  constexpr int kIsAppending = 0x1000;  // _IO_IS_APPENDING
  if ((stream->_flags & kIsAppending) != 0) return 0;
  const char* at =
      __fwriting(stream) != 0 && __fpending(stream) != 0 ? stream->_IO_write_base : stream->_IO_read_ptr;
  return at < stream->_IO_read_end ? static_cast<std::uint64_t>(stream->_IO_read_end - at) : 0;
#else
  static_cast<void>(stream);
  return 0;
#endif
}

// The offset at which the next write of the stream begins. Returns false when the stream has no position.
bool find_stream_place(FILE* stream, int fd, std::uint64_t* place_bytes) {
  if (!find_place(fd, place_bytes)) return false;
  const std::uint64_t behind = bytes_behind(stream);
  *place_bytes -= behind < *place_bytes ? behind : *place_bytes;
  return true;
}

// OpenFile::stream_place is one more than the place, so that 0 means "not known".
void store_place(int fd, std::uint64_t place_bytes) {
  if (OpenFile* file = known_open_file(fd); file != nullptr)
    file->stream_place.store(place_bytes + 1, std::memory_order_relaxed);
}

// The place from which on written bytes are new. The position of a stream that was already open when the library joined the job may be behind bytes
// that others wrote. Of such a stream only the bytes that waited in the buffer are new.
std::uint64_t news_start(int fd, std::uint64_t end_bytes, std::uint64_t pending_bytes) {
  const OpenFile* file = known_open_file(fd);
  const std::uint64_t known = file == nullptr ? 0 : file->stream_place.load(std::memory_order_relaxed);
  if (known != 0 && known - 1 <= end_bytes) return known - 1;
  return end_bytes > pending_bytes ? end_bytes - pending_bytes : 0;
}

// Charges a write that libc makes or has made. It is a transfer without a wait of its own.
void charge_write(Job& job, int fd, std::uint64_t from_bytes, std::uint64_t bytes,
                  const ThreadAccount* before) {
  throttle::SignalHold signals;
  Transfer transfer{OpKind::write, fd, static_cast<std::int64_t>(from_bytes), bytes};
  transfer.signals = &signals;
  transfer.may_wait = false;
  if (!find_file(job, transfer) || !before_transfer(job, transfer) || before == nullptr) return;
  transfer.account_before = *before;
  after_transfer(job, transfer, static_cast<ssize_t>(bytes));
}

}  // namespace

std::uint64_t bytes_missing(FILE* stream, std::uint64_t wanted_bytes) {
  if (stream == nullptr) return 0;
  const std::uint64_t waiting = waiting_in(stream).bytes;
  return wanted_bytes <= waiting || __fwriting(stream) != 0 ? 0 : wanted_bytes - waiting;
}

std::uint64_t line_bytes_missing(FILE* stream, int delimiter, std::uint64_t limit_bytes) {
  if (stream == nullptr) return 0;
  const Waiting waiting = waiting_in(stream);
  if (waiting.bytes >= limit_bytes) return 0;
  if (waiting.bytes != 0 && std::memchr(waiting.start, delimiter, waiting.bytes) != nullptr) return 0;
  return bytes_missing(stream, waiting.bytes + 1);
}

StreamRead::StreamRead(Job& job, FILE* stream, std::uint64_t missing_bytes) : job_(job) {
  const int fd = charged_descriptor(job, stream);
  if (fd < 0) return;
  const std::uint64_t buffer = buffer_bytes(stream);
  const std::uint64_t rest = missing_bytes % buffer;
  const std::uint64_t direct = missing_bytes - rest;
  fill_ = {OpKind::read, fd, kAtPointer, direct + (rest != 0 ? buffer : 0)};
  is_trusted_ = route(job, fill_) == Route::trusted;
  if (is_trusted_) {
    start_ns_ = monotonic_ns();
    return;
  }
  fill_ = {};
  std::uint64_t place_bytes = 0;
  if (direct != 0 && rest != 0 && !find_place(fd, &place_bytes)) return;
  if (direct != 0) begin(direct_, fd, kAtPointer, direct);
  if (rest != 0)
    begin(fill_, fd, direct == 0 ? kAtPointer : static_cast<std::int64_t>(place_bytes + direct), buffer);
  if (is_charged_) before_call(job, direct != 0 ? direct_ : fill_);
  begin_again(direct_.telling);
}

void StreamRead::begin(Transfer& transfer, int fd, std::int64_t place, std::uint64_t bytes) {
  transfer = {OpKind::read, fd, place, bytes};
  transfer.signals = &signals_;
  transfer.may_wait = direct_.length_bytes == 0 || direct_.may_wait;
  is_charged_ = find_file(job_, transfer) && before_transfer(job_, transfer);
}

void StreamRead::done(std::uint64_t bytes) {
  if (is_trusted_) after_trusted(job_, fill_, trust.count(static_cast<ssize_t>(bytes)), start_ns_);
  if (!is_charged_) return;
  const bool is_direct = direct_.length_bytes != 0;
  after_transfer(job_, is_direct ? direct_ : fill_, static_cast<ssize_t>(bytes));
  if (!is_direct || fill_.length_bytes == 0) return;
  fill_.telling.disk = nullptr;  // the first part has the time of both
  if (is_measured(job_))
    fill_.account_before = read_thread_account();  // the first part has the account of both
  after_transfer(job_, fill_, 0);
}

void note_stream_written(Job& job, FILE* stream, const StreamBefore& before) {
  if (stream == nullptr || __fwriting(stream) == 0) return;
  const int fd = charged_descriptor(job, stream);
  std::uint64_t end_bytes = 0;
  if (!find_place(fd, &end_bytes)) return;
  const std::uint64_t from_bytes = news_start(fd, end_bytes, before.pending_bytes);
  store_place(fd, end_bytes);
  if (from_bytes < end_bytes) charge_write(job, fd, from_bytes, end_bytes - from_bytes, &before.account);
}

void note_stream_flushed(Job& job, FILE* stream) {
  if (stream == nullptr || __fwriting(stream) == 0) return;
  const std::uint64_t pending_bytes = __fpending(stream);
  const int fd = charged_descriptor(job, stream);
  std::uint64_t place_bytes = 0;
  if (!find_stream_place(stream, fd, &place_bytes)) return;
  const std::uint64_t end_bytes = place_bytes + pending_bytes;
  const std::uint64_t from_bytes = news_start(fd, end_bytes, pending_bytes);
  if (from_bytes < end_bytes) charge_write(job, fd, from_bytes, end_bytes - from_bytes, nullptr);
}

void note_stream_moved(Job& job, FILE* stream) {
  if (stream == nullptr || __fwritable(stream) == 0) return;
  const int fd = charged_descriptor(job, stream);
  std::uint64_t place_bytes = 0;
  if (find_stream_place(stream, fd, &place_bytes)) store_place(fd, place_bytes);
}

ClosingStream::ClosingStream(Job* job, FILE* stream) : job_(job) {
  if (job == nullptr || stream == nullptr || __fwriting(stream) == 0) return;
  const std::uint64_t pending_bytes = __fpending(stream);
  const int fd = charged_descriptor(*job, stream);
  const OpenFile* file = fd < 0 ? nullptr : known_open_file(fd);
  if (file == nullptr || file->unsent_bytes + pending_bytes == 0 || !is_sent_at_close(*job, *file) ||
      holds_fresh_lock(monotonic_ns()))
    return;
  unsent_bytes_ = file->unsent_bytes + pending_bytes;
  fd_ = static_cast<int>(raw_syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 0));
}

ClosingStream::~ClosingStream() {
  if (fd_ < 0) return;
  forget_open_file(fd_);
  if (OpenFile* found = charged_file(*job_, fd_); found != nullptr) {
    OpenFile& file = *found;
    set_details(file, 0, false);  // only data that is written as usual is sent
    file.unsent_bytes = unsent_bytes_;
    send_before_close(fd_);
  }
  forget_open_file(fd_);
  raw_syscall(SYS_close, fd_);
}

}  // namespace discnice::guest
