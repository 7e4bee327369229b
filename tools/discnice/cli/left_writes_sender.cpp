// SPDX-License-Identifier: MIT
#include "tools/discnice/cli/left_writes_sender.hpp"

#include <array>
#include <charconv>
#include <csignal>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "toolbox/base/clock.hpp"
#include "tools/discnice/outputs/disk_below.hpp"
#include "tools/discnice/outputs/disk_counters.hpp"
#include "tools/discnice/outputs/small_file.hpp"
#include "tools/discnice/policy/write_steps.hpp"
#include "tools/discnice/protocol/disk_words.hpp"
#include "tools/discnice/protocol/left_writes.hpp"

namespace discnice::cli {
namespace {

// When this many times more data has become dirty than the job leaves (policy/write_steps.hpp), most of it may belong to others.
constexpr std::uint64_t kDirtyShares = 4;
constexpr unsigned kWaitMs = 1000;
constexpr std::size_t kMemoryInfoBytesMax = 4096;
constexpr std::size_t kNumberBytesMax = 32;
constexpr std::uint64_t kCentisecondNs = 10'000'000;
// The kernel's default time, used when the kernel's setting cannot be read.
constexpr std::uint64_t kUsualExpiryNs = 30'000'000'000;

// Returns the dirty bytes of this host; the largest number when the kernel does not tell them.
std::uint64_t dirty_bytes() {
  std::array<char, kMemoryInfoBytesMax> text;
  const long length = outputs::read_small_file("/proc/meminfo", text.data(), text.size());
  const std::string_view all(text.data(), length > 0 ? static_cast<std::size_t>(length) : 0);
  constexpr std::string_view kName = "\nDirty:";
  const std::size_t at = all.find(kName);
  const std::size_t digits = at == std::string_view::npos ? at : all.find_first_of("0123456789", at);
  if (digits == std::string_view::npos) return UINT64_MAX;
  std::uint64_t kib = 0;
  std::from_chars(all.data() + digits, all.data() + all.size(), kib);
  return kib * 1024;
}

// Returns how long the kernel leaves data dirty.
std::uint64_t expiry_ns() {
  std::array<char, kNumberBytesMax> text;
  const long length =
      outputs::read_small_file("/proc/sys/vm/dirty_expire_centisecs", text.data(), text.size());
  std::uint64_t centiseconds = 0;
  const bool is_told =
      length > 0 && std::from_chars(text.data(), text.data() + length, centiseconds).ec == std::errc{};
  return is_told ? centiseconds * kCentisecondNs : kUsualExpiryNs;
}

// Opens the folder where that file system is mounted. Returns a number below 0 when another mount covers the folder, or when the mount is not in this
// mount namespace.
int open_mount(std::uint64_t mount_id) {
  std::array<char, outputs::kMountNameBytesMax> path;
  if (!outputs::find_mount_point(mount_id, path.data())) return -1;
  const int fd = open(path.data(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK);
  std::uint64_t opened_id = 0;
  if (fd < 0 || (outputs::find_mount_id(fd, &opened_id) && opened_id == mount_id)) return fd;
  close(fd);
  return -1;
}

std::uint64_t disk_number(int fd, std::uint64_t mount_id) {
  struct stat status {};
  if (fstat(fd, &status) != 0) return 0;
  const std::uint64_t disk = outputs::counted_disk(status.st_dev);
  return disk != 0 ? disk : outputs::disk_below(mount_id);
}

}  // namespace

LeftWritesSender::LeftWritesSender(protocol::Segment& segment) : segment_(segment) {
  protocol::set_left_sender(segment_, true);
}

LeftWritesSender::~LeftWritesSender() {
  is_ending_ = true;
  if (thread_.joinable()) {
    protocol::wake_left_sender(segment_);
    thread_.join();
  }
  protocol::set_left_sender(segment_, false);
  if (board_ != nullptr) protocol::unmap(board_);
}

void LeftWritesSender::look() {
  if (thread_.joinable() || !protocol::is_left_asked(segment_) || !protocol::has_left_sender(segment_))
    return;
  const auto board = protocol::map_board();
  if (board) board_ = board.value();
  // The main thread handles all signals: it passes them on to the program.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  sigdelset(&all, SIGBUS);  // comes when somebody truncates the segment; see protocol/segment_guard.hpp
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error&) {
    protocol::set_left_sender(segment_, false);  // no thread can be started: each process sends its own files
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void LeftWritesSender::run() {
  while (const auto mount = next_asked()) {
    const bool can_send = *mount == 0 || send(*mount - 1);
    if (!can_send) protocol::refuse_left(segment_);
    protocol::set_left_sender(segment_, can_send);
    if (!can_send && !next_asked()) return;  // a pause without requests
  }
}

// Waits for a request. Returns the number of the mount plus one; 0 after a while without a request; nothing when the job has ended.
std::optional<std::uint64_t> LeftWritesSender::next_asked() {
  const std::uint32_t asked = protocol::left_asked(segment_);
  if (is_ending_) return std::nullopt;
  const std::uint64_t mount = protocol::wait_for_left(segment_, asked, kWaitMs);
  if (is_ending_) return std::nullopt;
  return mount;
}

// Sends the dirty data on that mount. Returns false when most of it may belong to others, or when it cannot be sent.
bool LeftWritesSender::send(std::uint64_t mount_id) {
  const int fd = open_mount(mount_id);
  if (fd < 0) return false;
  protocol::Disk* disk = disk_of(fd, mount_id);
  bool is_sent = disk != nullptr && may_send(mount_id, *disk);
  if (is_sent) {
    book_sync(*disk);
    protocol::begin_sending_left(segment_, *disk, gray::base::monotonic_ns());
    is_sent = syncfs(fd) == 0;
    protocol::end_sending_left(segment_);
    book_sync(*disk);
    sent_mount_id_ = mount_id;
    elsewhere_bytes_ = dirty_bytes();
  }
  close(fd);
  return is_sent;
}

// Whether little of the data to be sent can belong to others. If much of the data can belong to others, the bytes that the disk writes in a second
// are allowed, once in the time for which the kernel leaves data dirty.
bool LeftWritesSender::may_send(std::uint64_t mount_id, const protocol::Disk& disk) {
  const std::uint64_t now_ns = gray::base::monotonic_ns();
  const std::uint64_t step_bytes =
      policy::write_step_bytes(disk.write_bytes_per_s.load(std::memory_order_relaxed));
  const std::uint64_t left_bytes =
      policy::left_bytes_max(step_bytes, protocol::quiet_ns(segment_, disk, now_ns));
  const std::uint64_t elsewhere_bytes = sent_mount_id_ == mount_id ? elsewhere_bytes_ : 0;
  const std::uint64_t dirty = dirty_bytes();
  if (dirty <= elsewhere_bytes || dirty - elsewhere_bytes <= kDirtyShares * left_bytes) return true;
  if (dirty > policy::kWriteStepsPerSecond * step_bytes) return false;
  if (unknown_sent_at_ns_ && now_ns - *unknown_sent_at_ns_ < expiry_ns()) return false;
  unknown_sent_at_ns_ = now_ns;
  return true;
}

// Returns the job's entry for the disk below that mount; null when there is none.
protocol::Disk* LeftWritesSender::disk_of(int fd, std::uint64_t mount_id) {
  const std::uint64_t number = disk_number(fd, mount_id);
  for (protocol::Disk& disk : segment_.disks) {
    if (number != 0 && disk.number.load(std::memory_order_relaxed) == number + 1) return &disk;
  }
  return nullptr;
}

// Counts a flush of the disk as the job's own, like an fsync() of a member (kernel/disk_watch.hpp).
void LeftWritesSender::book_sync(protocol::Disk& disk) {
  disk.own_syncs.fetch_add(1, std::memory_order_relaxed);
  if (board_ == nullptr) return;
  const std::uint64_t number = disk.number.load(std::memory_order_relaxed);
  protocol::BoardDisk* on_board = number == 0 ? nullptr : protocol::find_disk(*board_, number - 1);
  if (on_board != nullptr) on_board->own_syncs.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace discnice::cli
