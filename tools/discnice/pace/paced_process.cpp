// SPDX-License-Identifier: MIT
#include "tools/discnice/pace/paced_process.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "toolbox/base/clock.hpp"
#include "tools/discnice/descriptor/devices.hpp"
#include "tools/discnice/kernel/disks.hpp"
#include "tools/discnice/processes/coverage.hpp"
#include "tools/discnice/processes/process_facts.hpp"
#include "tools/discnice/processes/processes.hpp"
#include "tools/discnice/protocol/members.hpp"

namespace discnice::pace {
namespace {

constexpr std::uint64_t kDisksAgeMaxNs = 50'000'000;

int open_of(pid_t pid, const char* file) {
  return open(fmt::format("/proc/{}/{}", pid, file).c_str(), O_RDONLY | O_CLOEXEC);
}

// A child that was waited for may be looked at later than its parent by this time.
constexpr std::uint64_t kMomentNs = 30'000'000;

// A child that has not executed a program within this time is no vfork() child.
constexpr std::uint64_t kOnParentsMemoryMaxNs = 10'000'000'000;

// The part of a gone child's bytes by which the parent's account has grown.
std::int64_t claimed(std::int64_t expected, std::int64_t grown) {
  return std::clamp<std::int64_t>(expected, 0, std::max<std::int64_t>(grown, 0));
}

// The disk of an open file or folder of another process. Null when the file does not lie on a disk. The server of a file system is not asked, because it may be
// one of the stopped processes.
protocol::Disk* disk_of_file(guest::Job& job, const std::string& path, mode_t kind) {
  const int fd = open(path.c_str(), O_PATH | O_CLOEXEC);
  struct statx status {};
  protocol::Disk* disk = nullptr;
  if (fd >= 0 && statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE, &status) == 0 &&
      (status.stx_mode & S_IFMT) == kind) {
    guest::Device* device =
        guest::device_of(*job.segment, fd, makedev(status.stx_dev_major, status.stx_dev_minor));
    if (device != nullptr) disk = guest::disk_of(job, *device);
  }
  if (fd >= 0) close(fd);
  return disk;
}

// The disk of the largest mapped file. The file itself may be closed.
protocol::Disk* disk_of_mapped_file(guest::Job& job, pid_t pid) {
  std::ifstream maps(fmt::format("/proc/{}/maps", pid));
  std::uint64_t largest_bytes = 0;
  std::string largest;
  for (std::string line; std::getline(maps, line);) {
    const auto name = line.find('/');
    unsigned long long start = 0;
    unsigned long long end = 0;
    if (name == std::string::npos || std::sscanf(line.c_str(), "%llx-%llx", &start, &end) != 2) continue;
    if (end - start <= largest_bytes) continue;
    largest_bytes = end - start;
    largest = line.substr(name);
  }
  return largest.empty() ? nullptr : disk_of_file(job, fmt::format("/proc/{}/root{}", pid, largest), S_IFREG);
}

}  // namespace

PacedProcess::PacedProcess(protocol::Segment& segment, pid_t pid, pid_t parent)
    : segment_(segment), pid_(pid), parent_(parent), account_(open_of(pid, "io")) {
  job_.segment = &segment;
}

PacedProcess::~PacedProcess() {
  if (held_by_ == HeldBy::pacer) end();
  if (image_fd_ >= 0) close(image_fd_);
}

bool PacedProcess::is_image_there() const {
  std::uint64_t page = 0;
  return image_fd_ >= 0 && pread(image_fd_, &page, sizeof page, 0) == sizeof page;
}

bool PacedProcess::has_ended() const {
  return !processes::facts_of(static_cast<std::uint64_t>(pid_));
}

// A child of vfork() or posix_spawn() runs on its parent's memory until it executes a program. Until then it has the image of its parent.
bool PacedProcess::has_still_that_image(std::uint64_t now_ns) {
  if (!is_image_there()) return false;
  if (parents_image_.empty()) return true;
  if (processes::image_of(pid_) != parents_image_) return false;
  if (now_ns - first_judged_at_ns_ > kOnParentsMemoryMaxNs) parents_image_.clear();
  return true;
}

void PacedProcess::take_image(std::uint64_t now_ns) {
  if (image_fd_ >= 0) close(image_fd_);
  image_fd_ = open_of(pid_, "pagemap");
  if (first_judged_at_ns_ == 0) first_judged_at_ns_ = now_ns;
  parents_image_.clear();
  if (parent_ == 0 || now_ns - first_judged_at_ns_ > kOnParentsMemoryMaxNs) return;
  std::string image = processes::image_of(pid_);
  if (image == processes::image_of(parent_)) parents_image_ = std::move(image);
}

HeldBy PacedProcess::judge(const std::string& library, std::uint64_t now_ns) {
  const bool is_same_image = has_still_that_image(now_ns);
  if (is_same_image && held_by_ != HeldBy::unknown) return held_by_;
  if (!is_same_image) {
    take_image(now_ns);
    if (!is_image_there()) return held_by_;  // the process has ended, and its account is still there
  }
  const processes::Coverage coverage = processes::coverage_of(pid_, library);
  const HeldBy before = held_by_;
  held_by_ = HeldBy::unknown;
  if (coverage.is_covered) held_by_ = HeldBy::library;
  if (!coverage.obstacle.empty()) held_by_ = HeldBy::pacer;
  if (coverage.is_wanted || processes::is_left_alone(segment_, processes::program_name_of(pid_)))
    held_by_ = HeldBy::left_alone;
  reason_ = coverage.obstacle;
  if (held_by_ == HeldBy::pacer && !look()) {
    held_by_ = HeldBy::unknown;
    if (!is_gone()) give_up(reason_ + ", and keeps its account from us");
  }
  if (held_by_ == HeldBy::pacer && before != HeldBy::pacer) begin();
  watch();
  return held_by_;
}

void PacedProcess::hold_from_outside(std::string reason) {
  image_fd_ = open_of(pid_, "pagemap");
  held_by_ = HeldBy::pacer;
  reason_ = std::move(reason);
  begin();
  watch();
}

void PacedProcess::watch() {
  job_.watcher = this;
  job_.book_from_outside = [](void* watcher) { static_cast<PacedProcess*>(watcher)->book_now(); };
}

void PacedProcess::give_up(std::string reason) {
  if (held_by_ == HeldBy::pacer && job_.member != nullptr) end();
  held_by_ = HeldBy::nobody;
  reason_ = std::move(reason);
}

void PacedProcess::begin() {
  job_.pid = static_cast<std::uint32_t>(pid_);
  job_.pid_namespace = protocol::own_pid_namespace(segment_);
  job_.member = &protocol::enter(segment_, {job_.pid, job_.pid_namespace}, protocol::JoinKind::after_exec);
}

// The policy compares the disk's counters with the job's own traffic. So the job's traffic up to this moment is counted first.
void PacedProcess::book_now() {
  if (!look()) return;
  const std::uint64_t now_ns = gray::base::monotonic_ns();
  const Growth growth = held_by_ == HeldBy::library ? take_unforeseen(now_ns) : take_growth(now_ns);
  booked_ += growth;
  guest::book_own_traffic(job_, read_disk_, growth.read_bytes, 0);
  guest::book_own_traffic(job_, write_disk_, 0, growth.write_bytes - growth.cancelled_bytes);
}

void PacedProcess::end() {
  protocol::leave(segment_, *job_.member, job_.pid);
  job_.member = nullptr;
}

bool PacedProcess::look() {
  const auto account = account_.read();
  if (account) now_ = growth_of(*account) - start_;
  return account.has_value();
}

void PacedProcess::start_here() {
  if (look()) start_ = std::exchange(now_, {});
}

bool PacedProcess::is_gone() const {
  return kill(pid_, 0) != 0 && errno == ESRCH;
}

Growth PacedProcess::take_growth(std::uint64_t now_ns) {
  if (now_ns - recent_at_ns_ >= kMomentNs) {
    before_recent_ = std::exchange(recent_, {});
    recent_at_ns_ = now_ns;
  }
  recent_ += now_ - seen_;
  const Growth grown = recent_ + before_recent_;
  const Growth from_children{claimed(expected_.read_bytes, grown.read_bytes),
                             claimed(expected_.write_bytes, grown.write_bytes),
                             claimed(expected_.cancelled_bytes, grown.cancelled_bytes)};
  const Growth own = now_ - seen_ - from_children;
  recent_ -= from_children;
  forget_start_of(smaller(from_children, expected_start_));
  const Growth unclaimed = expected_ - from_children;
  missing_ += unclaimed - smaller(unclaimed, expected_start_);
  expected_ = expected_start_ = {};
  seen_ = now_;
  return own;
}

// The bytes that a child had moved before the pacer looked at it are now in this account. These bytes are not counted here.
void PacedProcess::forget_start_of(const Growth& child) {
  start_ += child;
  now_ -= child;
  unforeseen_seen_ -= child;
  expected_start_ -= child;
}

void PacedProcess::expect_from_child(const PacedProcess& child) {
  expected_ += child.now_ + child.start_ + child.expected_;
  expected_start_ += child.start_ + child.expected_start_;
}

Growth PacedProcess::take_unforeseen(std::uint64_t now_ns) {
  job_.pid = static_cast<std::uint32_t>(pid_);
  job_.pid_namespace = protocol::own_pid_namespace(segment_);
  protocol::Member* member = protocol::find_member(segment_, {job_.pid, job_.pid_namespace});
  if (member == nullptr)
    return {};  // the member found last stays, because a comparison with the disk's counters may be using it
  job_.member = member;
  const Growth growth = now_ - std::exchange(unforeseen_seen_, now_);
  return unforeseen_.take(*job_.member, growth, now_ns,
                          [this] { return processes::page_faults_of(static_cast<std::uint64_t>(pid_)); });
}

// The file that was opened last is used. Files that a program keeps open all the time, such as a log, were opened earlier. A program that walks
// through folders or removes files has only folders open. Page faults belong to a mapped file.
void PacedProcess::find_disks(std::uint64_t now_ns) {
  if (now_ns - disks_at_ns_ < kDisksAgeMaxNs) return;
  disks_at_ns_ = now_ns;
  std::error_code error;
  protocol::Disk* read_disk = nullptr;
  protocol::Disk* write_disk = nullptr;
  protocol::Disk* folder_disk = nullptr;
  for (const auto& entry : std::filesystem::directory_iterator(fmt::format("/proc/{}/fd", pid_), error)) {
    struct stat link {};
    if (lstat(entry.path().c_str(), &link) != 0) continue;
    if (protocol::Disk* disk = disk_of_file(job_, entry.path(), S_IFREG); disk != nullptr) {
      if ((link.st_mode & S_IRUSR) != 0) read_disk = disk;
      if ((link.st_mode & S_IWUSR) != 0) write_disk = disk;
    } else if (protocol::Disk* folder = disk_of_file(job_, entry.path(), S_IFDIR); folder != nullptr) {
      folder_disk = folder;
    }
  }
  if (held_by_ == HeldBy::library) {
    if (protocol::Disk* mapped = disk_of_mapped_file(job_, pid_); mapped != nullptr) read_disk = mapped;
  }
  if (read_disk == nullptr) read_disk = folder_disk;
  if (write_disk == nullptr) write_disk = folder_disk;
  if (read_disk == nullptr && read_disk_ == nullptr) read_disk = disk_of_mapped_file(job_, pid_);
  // A file may be open only for a moment. So the disk that was found last is kept.
  if (read_disk != nullptr) read_disk_ = read_disk;
  if (write_disk != nullptr) write_disk_ = write_disk;
  if (read_disk_ == nullptr) read_disk_ = write_disk_;
  if (write_disk_ == nullptr) write_disk_ = read_disk_;
}

}  // namespace discnice::pace
