// SPDX-License-Identifier: MIT
#include "examples/gb-fastsort/input.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "examples/gb-fastsort/records.hpp"

namespace fastsort {
namespace {

constexpr std::size_t kReadBytes = 1U << 20U;
constexpr double kCachedMin = 0.5;
constexpr double kWhollyCached = 0.999;  // nothing has to be read from the disk
constexpr std::uint64_t kCountedUnitBytes =
    1U << 20U;  // the length of parts where the kernel counts and no page is probed
// How much is requested ahead of the reading: a share of a pass, within limits. Before other work, twice as much is requested. The amount is small compared
// with a pass. The requests of several sorts together must fit into the memory that their passes leave to the page cache. Otherwise the passes are paged out.
constexpr std::uint64_t kAheadsPerPass = 16;
constexpr std::uint64_t kAheadBytesLeast = 1U << 20U;
constexpr std::uint64_t kAheadBytesMost = 8U << 20U;
// The most that is requested ahead while cached parts are read.
constexpr std::uint64_t kEarlyBytesMax = 64U << 20U;
constexpr std::uint64_t kPieceBytes =
    128U << 10U;  // the size of a request; of a longer request some kernels and disks take only the beginning
constexpr std::size_t kSoonUnits = 64;                 // how many units are examined again before each chunk
constexpr std::uint64_t kGiveBackBytes = 512U << 10U;  // the least that is given back at once
// For this many bytes read from the cache, one byte is requested from the disk. Memory is faster than the disk, and a program that requests more than the disk
// can queue has to wait.
constexpr std::uint64_t kReadPerAsked = 2;
// Dropped in addition to the memory taken, because the kernel evicts many pages at a time.
constexpr std::uint64_t kSpareBytes = 8U << 20U;
constexpr std::uint64_t kFolioBytes =
    128U << 10U;  // the kernel drops the pages of a folio together, or not at all
// For each record of 100 bytes an entry of 16 bytes is filled, too.
constexpr std::uint64_t kFilledPerRead = 6;

// Counts the cached bytes of the open file. Returns false if the kernel cannot count them. Other ways to find
// cached pages are not used, because their probes read from the file.
bool count_cached(gb_cache_t* detector, int fd, std::uint64_t& bytes) {
  gb_cache_report report{};
  report.size = sizeof report;
  if (gb_cache_inspect_fd(detector, fd, &report) != 0 || report.backend > GB_BACKEND_MINCORE) return false;
  bytes = static_cast<std::uint64_t>(report.cached_fraction * static_cast<double>(report.size_bytes));
  return true;
}

std::uint64_t file_bytes(int fd) {
  struct stat status {};
  return fstat(fd, &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

gb_cache_plan_options plan_options(std::uint64_t unit_bytes) {
  gb_cache_plan_options options{};
  options.size = sizeof options;
  options.record_bytes = kRecordBytes;
  options.access_unit_bytes = unit_bytes;
  return options;
}

std::vector<gb_cache_unit> units_of(gb_cache_t* detector, const std::string& path,
                                    const gb_cache_plan_options& options) {
  gb_cache_plan_t* plan = nullptr;
  std::vector<gb_cache_unit> units;
  if (detector == nullptr || gb_cache_plan_file(detector, path.c_str(), &options, &plan) != 0) return units;
  units.resize(gb_cache_plan_count(plan));
  for (std::size_t rank = 0; rank < units.size(); ++rank) {
    units[rank].size = sizeof units[rank];
    gb_cache_plan_unit(plan, rank, &units[rank]);
  }
  gb_cache_plan_free(plan);
  return units;
}

}  // namespace

bool is_standard_input(const std::vector<std::string>& paths) {
  return paths.size() == 1 && paths[0] == "-";
}

Input::Input(std::vector<std::string> paths, bool is_linear)
    : paths_(std::move(paths)), is_stream_(is_standard_input(paths_)), is_linear_(is_linear) {
  if (is_stream_) {
    fd_ = STDIN_FILENO;
    return;
  }
  for (const std::string& path : paths_) left_ += count_records(path);
  if (!is_linear_) gb_cache_open(nullptr, &detector_);
  std::vector<Part> units;
  for (std::size_t i = 0; i < paths_.size(); ++i) plan_file(i, units);
  std::stable_sort(units.begin(), units.end(), [](const Part& a, const Part& b) {
    if (a.is_first != b.is_first) return a.is_first;
    return !a.is_first && (a.path != b.path ? a.path < b.path : a.offset_bytes < b.offset_bytes);
  });
  for (const Part& unit : units) add(unit, parts_);
  is_cached_first_ = !parts_.empty() && parts_.front().is_first;
}

Input::~Input() {
  if (fd_ > STDIN_FILENO) close(fd_);
  gb_cache_close(detector_);
}

// Adds the parts of a file, in whole records, with the cached parts first (FCCD), so that they are read before they are evicted.
void Input::plan_file(std::size_t path, std::vector<Part>& parts) const {
  std::vector<gb_cache_unit> units = units_of(detector_, paths_[path], plan_options(0));
  const bool is_counted = !units.empty() && units[0].backend <= GB_BACKEND_MINCORE;
  if (is_counted) units = units_of(detector_, paths_[path], plan_options(kCountedUnitBytes));
  if (units.empty()) parts.push_back({path, 0, count_records(paths_[path]) * kRecordBytes, 0, false});
  const double first_min = is_counted ? kWhollyCached : kCachedMin;
  for (const gb_cache_unit& unit : units)
    parts.push_back({path, unit.offset_bytes, unit.length_bytes, std::max(unit.cached_fraction, 0.0),
                     unit.cached_fraction >= first_min});
}

// Parts that follow one another both in the file and in the order are joined.
void Input::add(const Part& part, std::vector<Part>& parts) {
  Part* before = parts.empty() ? nullptr : &parts.back();
  if (before == nullptr || before->path != part.path || before->is_first != part.is_first ||
      before->offset_bytes + before->length_bytes != part.offset_bytes) {
    parts.push_back(part);
    return;
  }
  const auto weight = static_cast<double>(part.length_bytes);
  const double sum = static_cast<double>(before->length_bytes) + weight;
  before->cached_fraction += (part.cached_fraction - before->cached_fraction) * weight / sum;
  before->length_bytes += part.length_bytes;
}

// Moves parts that were evicted before they were read to the end. If they were fetched now, the next parts would be evicted.
void Input::put_off_lost() {
  if (!room_ || !room_->is_full() || next_ == 0 || !is_wholly_cached(next_ - 1)) return;
  parts_[next_ - 1].offset_bytes = at_;
  parts_[next_ - 1].length_bytes = end_ - at_;
  std::vector<gb_extent> soon;
  std::vector<Part> later;
  std::size_t rest = next_ - 1;
  for (; rest < parts_.size() && is_wholly_cached(rest) && parts_[rest].path == open_path_; ++rest)
    take_soon(parts_[rest], soon, later);
  std::vector<Part> cached;
  std::vector<Part> lost;
  gb_cache_plan_options options = plan_options(0);
  options.extents = soon.data();
  options.extent_count = soon.size();
  if (soon.empty()) return;
  for (const gb_cache_unit& unit : units_of(detector_, paths_[open_path_], options)) {
    const bool is_kept = unit.cached_fraction >= kWhollyCached;
    add({open_path_, unit.offset_bytes, unit.length_bytes, unit.cached_fraction, is_kept},
        is_kept ? cached : lost);
  }
  if (lost.empty()) return;
  for (const Part& part : later) add(part, cached);
  asked_part_ = cached.size() + asked_part_ - rest;
  cached.insert(cached.end(), parts_.begin() + static_cast<std::ptrdiff_t>(rest), parts_.end());
  cached.insert(cached.end(), lost.begin(), lost.end());
  parts_ = std::move(cached);
  next_ = 0;
  at_ = end_ = 0;
}

// Divides a part into the next pieces and the rest.
void Input::take_soon(const Part& part, std::vector<gb_extent>& soon, std::vector<Part>& later) {
  constexpr std::uint64_t kUnit = kCountedUnitBytes - kCountedUnitBytes % kRecordBytes;
  std::uint64_t done = 0;
  for (; done < part.length_bytes && soon.size() < kSoonUnits; done += kUnit)
    soon.push_back({part.offset_bytes + done, std::min(kUnit, part.length_bytes - done)});
  if (done < part.length_bytes)
    later.push_back(
        {part.path, part.offset_bytes + done, part.length_bytes - done, part.cached_fraction, true});
}

void Input::expect_pass(std::uint64_t bytes) {
  ahead_bytes_ = std::clamp(bytes / kAheadsPerPass, kAheadBytesLeast, kAheadBytesMost);
}

void Input::ask_meanwhile() {
  if (is_stream_ || is_linear_ || left_ == 0) return;
  while (at_ == end_) open_next();
  ask(2 * ahead_bytes_);
}

std::size_t Input::read_records(unsigned char* to, std::size_t records) {
  put_off_lost();
  const std::size_t read_bytes =
      is_stream_ ? read_stream(to, records * kRecordBytes) : read_parts(to, records * kRecordBytes);
  if (read_bytes % kRecordBytes != 0)
    die_saying("standard input", "ends within a record of " + std::to_string(kRecordBytes) + " bytes");
  left_ -= is_stream_ ? 0 : records;
  return read_bytes / kRecordBytes;
}

std::size_t Input::read_stream(unsigned char* to, std::size_t bytes) {
  std::size_t done = 0;
  while (done < bytes && !is_ended_) {
    const ssize_t length = read(fd_, to + done, std::min(bytes - done, kReadBytes));
    if (length < 0) die("standard input", errno);
    is_ended_ = length == 0;
    done += static_cast<std::size_t>(length);
  }
  return done;
}

std::size_t Input::read_parts(unsigned char* to, std::size_t bytes) {
  for (std::size_t missing = bytes; missing > 0;) {
    while (at_ == end_) open_next();
    if (!is_linear_) ask(ahead_bytes_);
    const ssize_t length =
        pread(fd_, to, std::min({missing, kReadBytes, static_cast<std::size_t>(end_ - at_)}),
              static_cast<off_t>(at_));
    if (length < 0) die(paths_[open_path_], errno);
    if (length == 0) die(paths_[open_path_], EIO);  // the file has shrunk in the meantime
    to += length;
    missing -= static_cast<std::size_t>(length);
    note_read(static_cast<std::uint64_t>(length));
  }
  return bytes;
}

// Successive reads of the open file become one part.
void Input::remember(std::uint64_t bytes) {
  add({open_path_, at_, bytes, 0, false}, read_);
}

void Input::read_again(std::size_t records) {
  std::uint64_t missing = records * kRecordBytes;
  std::vector<Part> again;
  for (; missing > 0 && !read_.empty(); read_.pop_back()) {
    Part& last = read_.back();
    const std::uint64_t bytes = std::min(missing, last.length_bytes);
    again.insert(again.begin(), {last.path, last.offset_bytes + last.length_bytes - bytes, bytes, 0, false});
    missing -= bytes;
    last.length_bytes -= bytes;
    if (last.length_bytes != 0) break;
  }
  left_ += records;
  if (at_ < end_) again.push_back({open_path_, at_, end_ - at_, parts_[next_ - 1].cached_fraction, false});
  again.insert(again.end(), parts_.begin() + static_cast<std::ptrdiff_t>(next_), parts_.end());
  parts_ = std::move(again);
  next_ = 0;
  at_ = end_ = 0;
  // All parts are requested again. For pages that are in memory this causes no disk request.
  asked_part_ = 0;
  asked_bytes_ = ahead_ = 0;
}

void Input::note_read(std::uint64_t bytes) {
  remember(bytes);
  at_ += bytes;
  if (is_wholly_cached(next_ - 1)) {
    early_ += bytes / kReadPerAsked;
  } else {
    ahead_ -= std::min(ahead_, bytes);
  }
  if (!room_) return;
  const std::uint64_t filled = std::min(unfilled_bytes_, bytes + bytes / kFilledPerRead);
  unfilled_bytes_ -= filled;
  if (!room_->is_full()) room_->note_memory(filled);
  look();
  give_back();
}

bool Input::is_wholly_cached(std::size_t part) const {
  return parts_[part].cached_fraction >= kWhollyCached;
}

// Requests the next parts of this file. The kernel's own read-ahead would also fetch the part behind, and cached parts that are still to be read would
// be evicted.
void Input::ask(std::uint64_t bytes) {
  while (asked_part_ < parts_.size() && is_wholly_cached(asked_part_)) ++asked_part_;
  while (asked_part_ < parts_.size() && parts_[asked_part_].path == open_path_ && may_ask(bytes)) {
    const Part& part = parts_[asked_part_];
    const std::uint64_t piece = std::min(kPieceBytes, part.length_bytes - asked_bytes_);
    posix_fadvise(fd_, static_cast<off_t>(part.offset_bytes + asked_bytes_), static_cast<off_t>(piece),
                  POSIX_FADV_WILLNEED);
    ahead_ += piece;
    early_ -= std::min(early_, piece);
    if (room_) {
      room_->note_asked(static_cast<std::uint64_t>(static_cast<double>(piece) * (1 - part.cached_fraction)));
      look();
      give_back();
    }
    asked_bytes_ += piece;
    if (asked_bytes_ < part.length_bytes) continue;
    do ++asked_part_;
    while (asked_part_ < parts_.size() && is_wholly_cached(asked_part_));
    asked_bytes_ = 0;
  }
}

// While cached parts are read, the disk is idle, so it may fetch other parts. These other parts must not cause the eviction of parts that are
// still to be read.
bool Input::may_ask(std::uint64_t bytes) const {
  if (asked_part_ <= next_ && !is_wholly_cached(next_ - 1)) return ahead_ < bytes;
  return room_ && early_ >= kPieceBytes && ahead_ < kEarlyBytesMax && room_->owed_bytes() < kGiveBackBytes;
}

void Input::look() {
  if (!room_ || !room_->wants_look()) return;
  std::uint64_t cached_bytes = 0;
  if (count_cached(detector_, fd_, cached_bytes)) {
    room_->look(cached_bytes);
    if (room_->is_full()) room_->note_memory(unfilled_bytes_ + kSpareBytes);
  } else {
    room_.reset();
  }
}

// Drops pages that have been read, to make up for the memory that was taken.
void Input::give_back() {
  if (!room_ || room_->owed_bytes() < kGiveBackBytes) return;
  const std::uint64_t begin = (begin_ + kFolioBytes - 1) / kFolioBytes * kFolioBytes;
  if (at_ < begin + kGiveBackBytes) return;
  const std::uint64_t bytes = std::min(room_->owed_bytes(), at_ - begin) / kFolioBytes * kFolioBytes;
  posix_fadvise(fd_, static_cast<off_t>(begin), static_cast<off_t>(bytes), POSIX_FADV_DONTNEED);
  begin_ = begin + bytes;
  room_->note_dropped(bytes);
}

void Input::open_next() {
  if (next_ == parts_.size()) die("input", EIO);
  const Part& part = parts_[next_];
  if (fd_ < 0 || part.path != open_path_) {
    if (fd_ >= 0) close(fd_);
    fd_ = open(paths_[part.path].c_str(), O_RDONLY | O_CLOEXEC);
    if (fd_ < 0) die(paths_[part.path], errno);
    if (!is_linear_) posix_fadvise(fd_, 0, 0, POSIX_FADV_RANDOM);
    room_.reset();
    std::uint64_t cached_bytes = 0;
    if (is_cached_first_ && count_cached(detector_, fd_, cached_bytes))
      room_.emplace(cached_bytes, file_bytes(fd_));
  }
  ++next_;
  open_path_ = part.path;
  begin_ = at_ = part.offset_bytes;
  end_ = part.offset_bytes + part.length_bytes;
}

}  // namespace fastsort
