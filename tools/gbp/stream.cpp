// SPDX-License-Identifier: MIT
#include "tools/gbp/stream.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <unordered_set>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "toolbox/base/fd.hpp"
#include "toolbox/base/units.hpp"
#include "toolbox/cli/diagnostics.hpp"
#include "tools/gbp/emit.hpp"
#include "tools/gbp/forecast.hpp"
#include "tools/gbp/fullness.hpp"
#include "tools/gbp/outlet.hpp"
#include "tools/gbp/overlap.hpp"
#include "tools/gbp/parts.hpp"

namespace gbp {
namespace {

using gray::base::kKiB;
using gray::base::kMiB;
using gray::base::ScopedFd;

constexpr std::uint64_t kReadBytes = kMiB;  // the size of one read and write
// The size of one request to the disk. Of a WILLNEED the kernel takes no more than the larger of the device's read-ahead window and its largest request (force_page_cache_ra() in
// mm/readahead.c), and silently ignores the rest. Every disk accepts this size.
constexpr std::uint64_t kPieceBytes = kMiB / 8;
constexpr int kPipeBytes = 1U << 20U;  // the largest size that the kernel allows without privilege
constexpr std::uint64_t kPageBytes = 4 * kKiB;

struct Source {
  gb_cache_t* detector;
  int fd;
  const std::string& path;
  std::uint64_t bytes;
};

class Stream {
 public:
  Stream(const Source& source, Parts& parts, Outlet& outlet)
      : source_(source),
        parts_(parts),
        outlet_(outlet),
        buffer_(kReadBytes),
        fullness_(source.bytes),
        overlap_(source.bytes) {
    fcntl(STDOUT_FILENO, F_SETPIPE_SZ, kPipeBytes);  // has no effect if stdout is no pipe
  }

  // Returns the exit status.
  int copy_all() {
    for (auto cached = parts_.next_cached(); !cached.empty(); cached = parts_.next_cached()) {
      for (const gb_cache_unit& part : cached)
        if (const int failed = copy(part); failed != 0) return failed;
      fullness_.note_evicted(parts_.evicted_bytes());
      if (const int failed = overlap_.pays() ? copy_what_has_come() : 0; failed != 0) return failed;
    }
    arrange_others();
    for (; next_ < parts_.others().size(); ++next_)
      if (const int failed = copy(parts_.others()[next_]); failed != 0) return failed;
    return status_of(outlet_.finish());
  }

 private:
  // While a slow reader works on the cached parts, the disk fetches the other parts. Parts that have arrived are passed on, and leave their memory to the
  // next parts.
  int copy_what_has_come() {
    arrange_others();
    for (ask_ahead(); next_ < asked_part_ && read_at_once(parts_.others()[next_]); ++next_) {
      const gb_cache_unit& part = parts_.others()[next_];
      if (const int failed = pass_on(part.offset_bytes, part.length_bytes); failed != 0) return failed;
      note_fetched(part, part.offset_bytes, part.length_bytes);
      ask_ahead();
    }
    return 0;
  }

  // Reads the whole part into the buffer, if it is in memory.
  bool read_at_once(const gb_cache_unit& part) {
    std::uint64_t done = 0;
    while (done < part.length_bytes && part.length_bytes <= kReadBytes) {
      const iovec place{buffer_.data() + done, part.length_bytes - done};
      const ssize_t length =
          preadv2(source_.fd, &place, 1, static_cast<off_t>(part.offset_bytes + done), RWF_NOWAIT);
      if (length <= 0) return false;
      done += static_cast<std::uint64_t>(length);
    }
    return done == part.length_bytes;
  }

  int copy(const gb_cache_unit& part) {
    const bool is_fetched = cached_of(part) != Cached::all;
    const std::uint64_t end = part.offset_bytes + part.length_bytes;
    for (std::uint64_t at = part.offset_bytes; at < end;) {
      if (is_fetched) ask_ahead();
      const ssize_t length =
          pread(source_.fd, buffer_.data(), std::min(kReadBytes, end - at), static_cast<off_t>(at));
      if (length < 0 && errno == EINTR) continue;
      if (length < 0) return fail(gray::cli::error_text(errno));
      if (length == 0) return fail("the file has become shorter meanwhile");
      const auto bytes = static_cast<std::uint64_t>(length);
      if (const int failed = pass_on(at, bytes); failed != 0) return failed;
      if (is_fetched) note_fetched(part, at, bytes);
      at += bytes;
    }
    return 0;
  }

  int pass_on(std::uint64_t offset, std::uint64_t bytes) {
    const int error = outlet_.take(offset, std::string_view(buffer_.data(), bytes));
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start_;
    overlap_.note_taken(bytes, took.count());
    return status_of(error);
  }

  static int status_of(int error) {
    if (error == -EPIPE) return gray::cli::kExitSomeFailed;  // the reader has closed the pipe
    if (error == 0) return gray::cli::kExitSuccess;
    return gray::cli::fail(gray::cli::kExitSomeFailed, "cannot write: {}", gray::cli::error_text(error));
  }

  // If the cache is full, drops a part of which no page was cached before.
  void note_fetched(const gb_cache_unit& part, std::uint64_t offset, std::uint64_t bytes) {
    ahead_bytes_ -= std::min(ahead_bytes_, bytes);
    if (cached_of(part) != Cached::none || !fullness_.is_full()) return;
    const std::uint64_t begin = is_second_drop_at(offset) ? offset / kPageBytes * kPageBytes : offset;
    std::uint64_t end = offset + bytes;
    if (is_second_drop_at(end)) end = (end + kPageBytes - 1) / kPageBytes * kPageBytes;
    posix_fadvise(source_.fd, static_cast<off_t>(begin), static_cast<off_t>(end - begin),
                  POSIX_FADV_DONTNEED);
    fullness_.note_given_back(bytes);
  }

  // Two pieces may share a page. The page is dropped together with the second piece.
  bool is_second_drop_at(std::uint64_t border) { return !dropped_borders_.insert(border).second; }

  // Requests pieces of this part and of the parts after it, so that the disk works without a pause. Stops at a part that is cached.
  void ask_ahead() {
    const std::vector<gb_cache_unit>& parts = parts_.others();
    const std::uint64_t window_bytes = overlap_.window_bytes();
    while (asked_part_ < parts.size() && ahead_bytes_ < window_bytes) {
      const gb_cache_unit& part = parts[asked_part_];
      const bool is_cached = cached_of(part) == Cached::all;
      if (is_cached && asked_part_ > next_) return;
      if (!is_cached) ask_for_piece(part);
      if (!is_cached && asked_bytes_ < part.length_bytes) continue;
      asked_bytes_ = 0;
      ++asked_part_;
    }
  }

  // Divides a part into pieces of about equal length, so that no short rest is left.
  void ask_for_piece(const gb_cache_unit& part) {
    const std::uint64_t pieces = (part.length_bytes + kPieceBytes - 1) / kPieceBytes;
    const std::uint64_t bytes =
        std::min((part.length_bytes + pieces - 1) / pieces, part.length_bytes - asked_bytes_);
    if (fullness_.wants_look()) look();
    const double missing_share = 1 - std::max(part.cached_fraction, 0.0);
    fullness_.note_asked(static_cast<std::uint64_t>(static_cast<double>(bytes) * missing_share));
    posix_fadvise(source_.fd, static_cast<off_t>(part.offset_bytes + asked_bytes_), static_cast<off_t>(bytes),
                  POSIX_FADV_WILLNEED);
    asked_bytes_ += bytes;
    ahead_bytes_ += bytes;
  }

  // A slow reader that sorts is still taking memory for itself, so memory that is free now will not stay free for the file.
  [[nodiscard]] std::uint64_t room_bytes() const {
    return overlap_.pays() ? Fullness::kRoomUnknown : free_bytes_now().value_or(Fullness::kRoomUnknown);
  }

  void look() {
    gb_cache_report report{};
    report.size = sizeof report;
    const bool is_counted = gb_cache_inspect_fd(source_.detector, source_.fd, &report) == 0 &&
                            report.backend <= GB_BACKEND_MINCORE;
    if (is_counted)
      fullness_.look(static_cast<std::uint64_t>(report.cached_fraction * static_cast<double>(source_.bytes)),
                     room_bytes());
    if (!is_counted) fullness_.give_up();
  }

  // Reads the cached pages of the other parts, which are written out later. They then count as recently used, so that pages fetched until then evict other pages. Parts that have
  // not been requested are sorted again.
  void arrange_others() {
    for (auto pages = parts_.next_pages(); !pages.empty(); pages = parts_.next_pages())
      for (const gb_cache_unit& part : pages) use(part);
    parts_.sort_others(asked_part_ + (asked_bytes_ > 0 ? 1 : 0));
  }

  void use(const gb_cache_unit& part) {
    const std::uint64_t end = part.offset_bytes + part.length_bytes;
    for (std::uint64_t at = part.offset_bytes; at < end; at += kReadBytes)
      if (pread(source_.fd, buffer_.data(), std::min(kReadBytes, end - at), static_cast<off_t>(at)) < 0)
        return;
  }

  [[nodiscard]] int fail(const std::string& why) const {
    return gray::cli::fail(gray::cli::kExitSomeFailed, "'{}': {}", source_.path, why);
  }

  Source source_;
  Parts& parts_;
  Outlet& outlet_;
  std::vector<char> buffer_;
  Fullness fullness_;
  Overlap overlap_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::size_t next_ = 0;           // index into others(): the next part to pass on
  std::size_t asked_part_ = 0;     // index into others(): the next part to request,
  std::uint64_t asked_bytes_ = 0;  // from this offset in the part on
  std::uint64_t ahead_bytes_ = 0;  // requested but not yet passed on
  std::unordered_set<std::uint64_t> dropped_borders_;
};

std::string range_line(const char* path, const gb_cache_unit& unit, bool is_json, bool is_for_terminal) {
  if (!is_json) {
    const std::string share = unit.cached_fraction < 0 ? "-" : fmt::format("{:.3f}", unit.cached_fraction);
    return fmt::format("{} {} {} {}", unit.offset_bytes, unit.length_bytes, share,
                       is_for_terminal ? gray::cli::printable(path) : path);
  }
  nlohmann::ordered_json json;
  json["path"] = path;
  json["offset"] = unit.offset_bytes;
  json["length"] = unit.length_bytes;
  json["cached_fraction"] = nullptr;
  if (unit.cached_fraction >= 0) json["cached_fraction"] = unit.cached_fraction;
  json["confidence"] = unit.confidence;
  json["backend"] = backend_name(unit.backend);
  return json.dump(-1, ' ', is_for_terminal, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace

int stream_file(const std::string& path, Whole whole, std::uint64_t record_bytes, const Wanted& wanted) {
  const Detector detector(open_detector(wanted, wanted.backend));
  if (!detector) return gray::cli::kExitSomeFailed;
  const ScopedFd file = ScopedFd::open(path.c_str(), O_RDONLY | O_NOCTTY | O_NONBLOCK);
  struct stat status {};
  if (!file.is_open() || fstat(file.get(), &status) != 0)
    return gray::cli::fail(gray::cli::kExitSomeFailed, "'{}': {}", path,
                           gray::cli::error_text(file.is_open() ? errno : file.error()));
  if (!S_ISREG(status.st_mode))
    return gray::cli::fail(gray::cli::kExitSomeFailed, "'{}' is no regular file: it has no order but its own",
                           path);
  Parts parts(detector.get(), path.c_str());
  const gb_status_t error = parts.find(record_bytes, wanted);
  if (error != 0) return gray::cli::fail(gray::cli::kExitSomeFailed, "'{}': {}", path, gb_status_text(error));
  posix_fadvise(file.get(), 0, 0, POSIX_FADV_RANDOM);
  const Source source{detector.get(), file.get(), path, static_cast<std::uint64_t>(status.st_size)};
  Outlet outlet(file.get(), parts.bytes(), whole, record_bytes);
  return Stream(source, parts, outlet).copy_all();
}

int print_ranges(const Names& names, bool is_json, char end, const Wanted& wanted) {
  struct Range {
    const char* path;
    gb_cache_unit unit;
  };
  const Detector detector(open_detector(wanted, wanted.backend));
  if (!detector) return gray::cli::kExitSomeFailed;
  int exit_status = gray::cli::kExitSuccess;
  std::vector<Range> ranges;
  for (std::size_t i = 0; i < names.size(); ++i) {
    gb_status_t error = 0;
    for (const gb_cache_unit& unit : units_of_file(detector.get(), names[i], 0, wanted, error))
      ranges.push_back({names[i], unit});
    if (error == 0) continue;
    gray::cli::warn("'{}': {}", names[i], gb_status_text(error));
    exit_status = gray::cli::kExitSomeFailed;
  }
  constexpr int kSteps = 32;
  std::stable_sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) {
    return static_cast<int>(a.unit.cached_fraction * kSteps) >
           static_cast<int>(b.unit.cached_fraction * kSteps);
  });
  const bool is_for_terminal = is_terminal_output();
  for (const Range& range : ranges) {
    const std::string line =
        range_line(range.path, range.unit, is_json, is_for_terminal) + (is_json ? '\n' : end);
    std::fwrite(line.data(), 1, line.size(), stdout);
  }
  return exit_status;
}

}  // namespace gbp
