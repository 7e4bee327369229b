// SPDX-License-Identifier: MIT
#include "examples/gb-fastsort/runs.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <numeric>

#include <gray/gray.h>

#include "examples/gb-fastsort/records.hpp"

namespace fastsort {
namespace {

// The key beside the place of its record: sorting never touches the records themselves.
struct Entry {
  std::uint64_t key_head;
  std::uint32_t key_tail;
  std::uint32_t place;
};
static_assert(sizeof(Entry) == 16 && kKeyBytes == 10);

constexpr std::size_t kEntryBytes = sizeof(Entry) + kRecordBytes;
constexpr std::uint64_t kRecordsPerPassMax = 0xffffffffU;
constexpr std::size_t kWriteRecords = 4096;
constexpr std::size_t kReadBytes = 1U << 20U;

// The memory of a pass. By gb_alloc() it is asked for anew each time and freed in between, so nobody waits while
// holding some.
class PassMemory {
 public:
  PassMemory(const RunOptions& options, std::uint64_t records_left, PhaseTimes& times)
      : is_granted_(options.pass_bytes == 0) {
    const std::uint64_t all = std::min(records_left, kRecordsPerPassMax) * kEntryBytes;
    const double start = now_s();
    if (is_granted_) {
      const std::uint64_t least = std::max<std::uint64_t>(std::min(options.min_bytes, all), kEntryBytes);
      gb_alloc_options asked{};
      asked.size = sizeof asked;
      asked.flags = GB_ALLOC_FILES;
      asked.timeout_ms = UINT64_MAX;
      memory_ = gb_alloc_with(least - least % kEntryBytes, all, kEntryBytes, &bytes_, &asked);
    } else {
      bytes_ = std::max<std::uint64_t>(std::min(options.pass_bytes, all), kEntryBytes);
      bytes_ -= bytes_ % kEntryBytes;
      memory_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (memory_ == MAP_FAILED) memory_ = nullptr;
    }
    if (memory_ == nullptr) die("memory", errno);
    times.alloc_s += now_s() - start;
    times.memory_bytes += bytes_;
  }
  ~PassMemory() {
    if (is_granted_) {
      gb_free(memory_);
    } else {
      munmap(memory_, bytes_);
    }
  }
  PassMemory(const PassMemory&) = delete;
  PassMemory& operator=(const PassMemory&) = delete;

  [[nodiscard]] std::size_t records() const { return bytes_ / kEntryBytes; }
  [[nodiscard]] Entry* entries() const { return static_cast<Entry*>(memory_); }
  [[nodiscard]] unsigned char* data() const {
    return static_cast<unsigned char*>(memory_) + records() * sizeof(Entry);
  }

 private:
  bool is_granted_;
  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

// All inputs as one stream of records.
class Input {
 public:
  explicit Input(const std::vector<std::string>& paths) : paths_(paths) {
    for (const std::string& path : paths) left_ += count_records(path);
  }
  ~Input() {
    if (fd_ >= 0) close(fd_);
  }
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  [[nodiscard]] std::uint64_t records_left() const { return left_; }

  // Reads exactly so many records, which must be left.
  void read_records(unsigned char* to, std::size_t records) {
    std::size_t missing = records * kRecordBytes;
    while (missing > 0) {
      if (fd_ < 0) open_next();
      const ssize_t length = read(fd_, to, std::min(missing, kReadBytes));
      if (length < 0) die(paths_[next_ - 1], errno);
      if (length == 0) {
        close(fd_);
        fd_ = -1;
        continue;
      }
      to += length;
      missing -= static_cast<std::size_t>(length);
    }
    left_ -= records;
  }

 private:
  void open_next() {
    if (next_ == paths_.size()) die("input", EIO);  // a file has shrunk meanwhile
    fd_ = open(paths_[next_].c_str(), O_RDONLY | O_CLOEXEC);
    if (fd_ < 0) die(paths_[next_], errno);
    ++next_;
  }

  std::vector<std::string> paths_;
  std::size_t next_ = 0;
  int fd_ = -1;
  std::uint64_t left_ = 0;
};

void sort_pass(const PassMemory& memory, std::size_t records) {
  Entry* entries = memory.entries();
  for (std::size_t i = 0; i < records; ++i) {
    const unsigned char* key = memory.data() + i * kRecordBytes;
    std::uint64_t head = 0;
    for (std::size_t k = 0; k < sizeof head; ++k) head = head << 8U | key[k];
    entries[i] = {head, static_cast<std::uint32_t>(key[8]) << 8U | key[9], static_cast<std::uint32_t>(i)};
  }
  std::sort(entries, entries + records, [](const Entry& a, const Entry& b) {
    return a.key_head != b.key_head ? a.key_head < b.key_head : a.key_tail < b.key_tail;
  });
}

void write_pass(const PassMemory& memory, std::size_t records, const std::string& path) {
  std::FILE* file = open_or_die(path, "wb");
  std::setvbuf(file, nullptr, _IONBF, 0);
  std::vector<unsigned char> buffer(kWriteRecords * kRecordBytes);
  for (std::size_t done = 0; done < records;) {
    const std::size_t part = std::min(kWriteRecords, records - done);
    for (std::size_t i = 0; i < part; ++i) {
      const std::size_t place = memory.entries()[done + i].place;
      std::memcpy(buffer.data() + i * kRecordBytes, memory.data() + place * kRecordBytes, kRecordBytes);
    }
    write_or_die(buffer.data(), part * kRecordBytes, file, path);
    done += part;
  }
  // To the disk at once, so that its pages can be reused for the next pass.
  std::fflush(file);
  sync_file_range(fileno(file), 0, 0, SYNC_FILE_RANGE_WRITE);
  close_or_die(file, path);
}

}  // namespace

double now_s() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

long count_major_faults() {
  rusage usage{};
  return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_majflt : 0;
}

std::vector<std::string> cached_first(const std::vector<std::string>& paths) {
  gb_cache_t* detector = nullptr;
  if (paths.size() < 2 || gb_cache_open(nullptr, &detector) != 0) return paths;
  std::vector<double> cached(paths.size(), 0);
  for (std::size_t i = 0; i < paths.size(); ++i) {
    gb_cache_report report{};
    report.size = sizeof report;
    if (gb_cache_inspect(detector, paths[i].c_str(), &report) == 0) cached[i] = report.cached_fraction;
  }
  gb_cache_close(detector);
  std::vector<std::size_t> order(paths.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return cached[a] > cached[b]; });
  std::vector<std::string> ordered;
  for (const std::size_t place : order) ordered.push_back(paths[place]);
  return ordered;
}

std::vector<std::string> make_runs(const RunOptions& options, PhaseTimes& times) {
  Input input(cached_first(options.inputs));
  std::vector<std::string> runs;
  while (input.records_left() > 0) {
    const PassMemory memory(options, input.records_left(), times);
    const long faults = count_major_faults();
    const double start = now_s();
    const std::size_t records = std::min<std::uint64_t>(memory.records(), input.records_left());
    input.read_records(memory.data(), records);
    const double read_end = now_s();
    sort_pass(memory, records);
    const double sort_end = now_s();
    runs.push_back(options.run_prefix + "." + std::to_string(runs.size()));
    write_pass(memory, records, runs.back());
    times.read_s += read_end - start;
    times.sort_s += sort_end - read_end;
    times.write_s += now_s() - sort_end;
    times.major_faults += count_major_faults() - faults;
  }
  return runs;
}

}  // namespace fastsort
