// SPDX-License-Identifier: MIT
#include "tools/gbp/stream.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "toolbox/base/fd.hpp"
#include "toolbox/base/units.hpp"
#include "toolbox/cli/diagnostics.hpp"
#include "tools/gbp/emit.hpp"
#include "tools/gbp/parts.hpp"

namespace gbp {
namespace {

using gray::base::kMiB;
using gray::base::ScopedFd;

constexpr std::uint64_t kReadBytes = kMiB;  // one read and write
// One request to the disk. The kernel takes of a WILLNEED no more than the larger of the device's read-ahead window and its largest request
// (force_page_cache_ra() in mm/readahead.c) and forgets the rest without a word: so much is taken on every disk.
constexpr std::uint64_t kPieceBytes = kMiB / 8;
constexpr std::uint64_t kAheadBytes = 4 * kMiB;  // so much is asked for beyond what is being read
constexpr int kPipeBytes = 1U << 20U;            // what the kernel lets everybody have

constexpr std::uint64_t kLookBytesMin = 16 * kMiB;  // from one look at what is cached to the next, at least,
constexpr std::uint64_t kLooksMax = 64;             // and so many in a file at most

int write_all(const char* data, std::size_t bytes) {
  while (bytes > 0) {
    const ssize_t written = write(STDOUT_FILENO, data, bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return -errno;
    data += written;
    bytes -= static_cast<std::size_t>(written);
  }
  return 0;
}

// Whether the cache is full: then each page that is brought in pushes out another one, which the next scan will miss.
//
// Knowledge assumed: the kernel evicts what was used longest ago, and of a file scanned again and again that is what comes next.
// Output observed: how much of the file is cached, before and after some of it was brought in.
// Inference drawn: twice it grew by less than half of what came: as much of the file was evicted, and so it will be with all that comes.
// What breaks it: what others evict meanwhile, and a file of which less than two looks' worth is missing: it is taken for one that fits, which
// costs nothing while the cached parts are read first. Where only probes tell what is cached, nobody looks.
class Fullness {
 public:
  Fullness(gb_cache_t* detector, int fd, std::uint64_t file_bytes)
      : detector_(detector),
        fd_(fd),
        file_bytes_(file_bytes),
        step_bytes_(std::max(kLookBytesMin, file_bytes / kLooksMax)) {}

  [[nodiscard]] bool is_full() const { return is_full_; }

  // So many bytes that were not cached will be asked for now: their pages are there, though empty, as soon as they have been asked for.
  void note_asked(std::uint64_t bytes) {
    if (is_full_ || is_unknown_) return;
    if (brought_bytes_ == 0 || brought_bytes_ >= step_bytes_) look();
    brought_bytes_ += bytes;
  }

 private:
  void look() {
    std::uint64_t now_bytes = 0;
    is_unknown_ = !find_cached(now_bytes);
    const bool has_grown =
        is_unknown_ || brought_bytes_ == 0 || now_bytes >= before_bytes_ + brought_bytes_ / 2;
    is_full_ = !has_grown && !has_grown_;
    has_grown_ = has_grown;
    before_bytes_ = now_bytes;
    brought_bytes_ = 0;
  }

  bool find_cached(std::uint64_t& bytes) const {
    gb_cache_report report{};
    report.size = sizeof report;
    if (gb_cache_inspect_fd(detector_, fd_, &report) != 0 || report.backend > GB_BACKEND_MINCORE)
      return false;
    bytes = static_cast<std::uint64_t>(report.cached_fraction * static_cast<double>(file_bytes_));
    return true;
  }

  gb_cache_t* detector_;
  int fd_;
  std::uint64_t file_bytes_;
  std::uint64_t step_bytes_;
  std::uint64_t brought_bytes_ = 0;  // since the last look
  std::uint64_t before_bytes_ = 0;   // what was cached then
  bool has_grown_ = true;
  bool is_full_ = false;
  bool is_unknown_ = false;
};

class Stream {
 public:
  Stream(int fd, const std::string& path, const Fullness& fullness)
      : fd_(fd), path_(path), buffer_(kReadBytes), fullness_(fullness) {
    fcntl(STDOUT_FILENO, F_SETPIPE_SZ, kPipeBytes);  // where it is no pipe there is nothing to widen
  }

  // Returns the exit status; 0 to go on.
  int copy_all(const std::vector<gb_cache_unit>& parts) {
    for (const gb_cache_unit& part : parts)
      if (const int failed = copy(part); failed != 0) return failed;
    return 0;
  }

  // Reads what is cached and will be written out later, so that what is fetched until then evicts something else: it evicts what was used
  // longest ago.
  void use(const gb_cache_unit& part) {
    const std::uint64_t end = part.offset_bytes + part.length_bytes;
    for (std::uint64_t at = part.offset_bytes; at < end; at += kReadBytes)
      if (pread(fd_, buffer_.data(), std::min(kReadBytes, end - at), static_cast<off_t>(at)) < 0) return;
  }

 private:
  int copy(const gb_cache_unit& part) {
    const std::uint64_t end = part.offset_bytes + part.length_bytes;
    const bool is_fetched = cached_of(part) != Cached::all;
    const bool is_ours = cached_of(part) == Cached::none;  // none of its pages was there before
    std::uint64_t asked = part.offset_bytes;
    for (std::uint64_t at = part.offset_bytes; at < end;) {
      for (; is_fetched && asked < end && asked < at + kAheadBytes; asked += kPieceBytes)
        ask_for(part, asked, end);
      const std::size_t wanted = std::min(kReadBytes, end - at);
      const ssize_t length = pread(fd_, buffer_.data(), wanted, static_cast<off_t>(at));
      if (length < 0 && errno == EINTR) continue;
      if (length < 0) return fail(gray::cli::error_text(errno));
      if (length == 0) return fail("the file has become shorter meanwhile");
      const int error = write_all(buffer_.data(), static_cast<std::size_t>(length));
      if (error == -EPIPE) return gray::cli::kExitSomeFailed;  // the reader has seen enough
      if (error != 0)
        return gray::cli::fail(gray::cli::kExitSomeFailed, "cannot write: {}", gray::cli::error_text(error));
      if (is_ours && fullness_.is_full())
        posix_fadvise(fd_, static_cast<off_t>(at), length, POSIX_FADV_DONTNEED);
      at += static_cast<std::uint64_t>(length);
    }
    return 0;
  }

  void ask_for(const gb_cache_unit& part, std::uint64_t offset, std::uint64_t end) {
    const std::uint64_t bytes = std::min(kPieceBytes, end - offset);
    const double missing_share = 1 - std::max(part.cached_fraction, 0.0);
    fullness_.note_asked(static_cast<std::uint64_t>(static_cast<double>(bytes) * missing_share));
    posix_fadvise(fd_, static_cast<off_t>(offset), static_cast<off_t>(bytes), POSIX_FADV_WILLNEED);
  }

  [[nodiscard]] int fail(const std::string& why) const {
    return gray::cli::fail(gray::cli::kExitSomeFailed, "'{}': {}", path_, why);
  }

  int fd_;
  const std::string& path_;
  std::vector<char> buffer_;
  Fullness fullness_;
};

std::string range_line(const char* path, const gb_cache_unit& unit, bool is_json) {
  if (!is_json) {
    const std::string share = unit.cached_fraction < 0 ? "-" : fmt::format("{:.3f}", unit.cached_fraction);
    return fmt::format("{} {} {} {}", unit.offset_bytes, unit.length_bytes, share, path);
  }
  nlohmann::ordered_json json;
  json["path"] = path;
  json["offset"] = unit.offset_bytes;
  json["length"] = unit.length_bytes;
  json["cached_fraction"] = nullptr;
  if (unit.cached_fraction >= 0) json["cached_fraction"] = unit.cached_fraction;
  json["confidence"] = unit.confidence;
  json["backend"] = backend_name(unit.backend);
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace

int stream_file(const std::string& path, std::uint64_t record_bytes, const Wanted& wanted) {
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
  Stream stream(file.get(), path,
                Fullness(detector.get(), file.get(), static_cast<std::uint64_t>(status.st_size)));
  for (auto some = parts.next_cached(); !some.empty(); some = parts.next_cached())
    if (const int failed = stream.copy_all(some); failed != 0) return failed;
  for (auto pages = parts.next_pages(); !pages.empty(); pages = parts.next_pages())
    for (const gb_cache_unit& part : pages) stream.use(part);
  return stream.copy_all(parts.rest());
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
  for (const Range& range : ranges) {
    const std::string line = range_line(range.path, range.unit, is_json) + (is_json ? '\n' : end);
    std::fwrite(line.data(), 1, line.size(), stdout);
  }
  return exit_status;
}

}  // namespace gbp
