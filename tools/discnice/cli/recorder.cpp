// SPDX-License-Identifier: MIT
#include "tools/discnice/cli/recorder.hpp"

#include <chrono>
#include <csignal>
#include <cstring>
#include <utility>

#include "toolbox/base/clock.hpp"
#include "tools/discnice/cli/record_reader.hpp"

namespace discnice::cli {
namespace {

using protocol::Taken;

// The ring holds what busy programs record in a tenth of a second. An idle ring should not be read all the time.
constexpr std::chrono::milliseconds kBusyPause{2};
constexpr std::chrono::milliseconds kIdlePause{15};
constexpr std::size_t kBufferBytes = 256UL * 1024;
// A member may take this long between claiming a place and publishing its record. After this time the member counts as dead.
constexpr std::uint64_t kHoleMaxNs = 1'000'000'000;
constexpr unsigned kHoleSlotsMax = protocol::kRecordBytesMax / protocol::kSlotBytes;

}  // namespace

Recorder::~Recorder() {
  abandon();
  if (ring_ != nullptr) protocol::unmap_ring(ring_);
}

int Recorder::open_file(const std::string& path) {
  return file_.open(path);
}

int Recorder::start(const protocol::SegmentName& name, const protocol::RecordFileHeader& header,
                    const std::string& command_line, Listener listener) {
  const auto ring = protocol::make_ring(name);
  if (!ring) return ring.error();
  ring_ = ring.value();
  drainer_.emplace(*ring_);
  listener_ = std::move(listener);
  buffer_.reserve(kBufferBytes + protocol::kRecordBytesMax);
  protocol::RecordFileHeader sealed = header;
  sealed.magic = protocol::kRecordFileMagic;
  sealed.version = protocol::kRecordVersion;
  sealed.header_bytes = protocol::kFileHeaderBytes;
  sealed.checksum = 0;
  sealed.checksum = protocol::checksum_of(&sealed, sizeof sealed);
  buffer(&sealed, sizeof sealed);
  write_command(command_line);
  // The main thread handles all signals: it passes them on to the program.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  sigdelset(&all, SIGBUS);  // comes when somebody truncates the ring; see protocol/segment_guard.hpp
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { run(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return 0;
}

void Recorder::write_command(const std::string& command_line) {
  protocol::CommandRecord record{};
  command_line.copy(record.text, sizeof record.text - 1);
  protocol::seal(record.head, static_cast<std::uint16_t>(protocol::RecordType::command),
                 protocol::kCommandFixedBytes + std::strlen(record.text) + 1);
  ++result_.records;
  buffer(&record, record.head.bytes);
}

void Recorder::run() {
  std::unique_lock lock(mutex_);
  while (!is_ending_) {
    lock.unlock();
    const bool is_busy = drain() != 0;
    lock.lock();
    wake_.wait_for(lock, is_busy ? kBusyPause : kIdlePause, [this] { return is_ending_; });
  }
}

// Returns true when the hole at the drainer's place has been there for too long. Then returns true for each slot that may belong to the same record.
bool Recorder::is_hole_dead() {
  if (slots_to_skip_ == 0) {
    const std::uint64_t now_ns = gray::base::monotonic_ns();
    if (hole_since_ns_ == 0) hole_since_ns_ = now_ns;
    if (!is_last_look_ && now_ns - hole_since_ns_ <= kHoleMaxNs) return false;
    slots_to_skip_ = kHoleSlotsMax;
    hole_since_ns_ = 0;
  }
  --slots_to_skip_;
  return true;
}

std::uint64_t Recorder::drain() {
  protocol::TakenRecord record;
  std::uint64_t taken = 0;
  // Takes at most as many records as the ring has room for. So a program that records faster than this thread writes cannot keep this loop
  // running for ever.
  for (std::uint32_t step = 0; step < protocol::kRingSlots && !result_.is_broken; ++step) {
    const Taken what = drainer_->take(record);
    if (what == Taken::nothing) break;
    if (what == Taken::broken) result_.is_broken = true;
    if (what == Taken::hole) {
      if (!is_hole_dead()) break;
      drainer_->skip();
    }
    if (what != Taken::record) continue;
    hole_since_ns_ = 0;
    slots_to_skip_ = 0;
    ++taken;
    take_in(record);
  }
  if (taken != 0) write_out();
  return taken;
}

// Leaves out a record whose checksum is right and whose content is impossible. Such a record would make the whole file
// unreadable.
void Recorder::take_in(const protocol::TakenRecord& record) {
  if (record.head().type >= protocol::kPrivateTypes) {
    if (listener_) listener_(record);
    return;
  }
  const bool is_end = record.head().type == static_cast<std::uint16_t>(protocol::RecordType::end);
  if (is_end || !is_sound(record)) {
    ++unsound_;
    return;
  }
  ++result_.records;
  buffer(record.bytes, record.head().bytes);
}

void Recorder::buffer(const void* data, std::size_t bytes) {
  if (!file_.is_open() || result_.write_error != 0) return;
  const auto* start = static_cast<const unsigned char*>(data);
  buffer_.insert(buffer_.end(), start, start + bytes);
  if (buffer_.size() >= kBufferBytes) write_out();
}

void Recorder::write_out() {
  if (!buffer_.empty() && result_.write_error == 0)
    result_.write_error = -file_.append(buffer_.data(), buffer_.size());
  buffer_.clear();
}

void Recorder::stop() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  wake_.notify_one();
  thread_.join();  // from here on no other thread uses this object
}

void Recorder::abandon() {
  if (thread_.joinable()) stop();
}

Recorded Recorder::finish(const std::optional<processes::KernelAccount>& account) {
  if (!thread_.joinable()) return result_;
  stop();
  // A member that stopped in the middle of a record has ended by now, or the recorder no longer waits for it.
  is_last_look_ = true;
  drain();
  result_.lost = drainer_->lost() + unsound_;
  protocol::EndRecord end{};
  end.records = result_.records;
  end.lost = result_.lost;
  end.is_account_known = account ? 1 : 0;
  if (account) {
    end.kernel_read_bytes = account->read_bytes;
    end.kernel_write_bytes = account->write_bytes;
    end.kernel_cancelled_bytes = account->cancelled_write_bytes;
  }
  protocol::seal(end.head, static_cast<std::uint16_t>(protocol::RecordType::end), sizeof end);
  buffer(&end, sizeof end);
  write_out();
  const int error = file_.finish();
  if (result_.write_error == 0) result_.write_error = -error;
  return result_;
}

}  // namespace discnice::cli
