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
#include <optional>
#include <utility>

#include <gray/gray.h>

#include "examples/gb-fastsort/input.hpp"
#include "examples/gb-fastsort/merge.hpp"
#include "examples/gb-fastsort/pass_size.hpp"
#include "examples/gb-fastsort/records.hpp"
#include "examples/gb-fastsort/run_files.hpp"

namespace fastsort {
namespace {

// A key and the place of its record. Sorting moves only these entries, not the records.
struct Entry {
  std::uint64_t key_head;
  std::uint32_t key_tail;
  std::uint32_t place;
};
static_assert(sizeof(Entry) == 16 && kKeyBytes == 10);

constexpr std::size_t kEntryBytes = sizeof(Entry) + kRecordBytes;
constexpr std::size_t kWriteRecords = 4096;
constexpr std::size_t kChunkRecords = 1U << 16U;      // each chunk is sorted while the next one is read
constexpr std::uint64_t kBehindBytesMin = 1U << 20U;  // limits for a piece that is written to the disk
constexpr std::uint64_t kBehindBytesMax = 8U << 20U;
constexpr std::uint64_t kPiecesPerPass = 16;
constexpr std::uint64_t kPiecesAtOnce = 3;        // two pieces wait, the third is being written
constexpr std::size_t kGatherRecords = 64;        // records that are prefetched together
constexpr std::size_t kPieceRecords = 1U << 14U;  // read without checking whether other processes need memory
constexpr std::size_t kReturnsPerPass =
    8;  // at least this fraction of the filled memory is given back (1/8); with smaller amounts a run would begin again and again
constexpr double kLookS = 0.01;  // time between two checks whether other processes need memory

gb_alloc_options ask_with_files() {
  gb_alloc_options asked{};
  asked.size = sizeof asked;
  asked.flags = GB_ALLOC_FILES | GB_ALLOC_RETURNABLE;
  return asked;
}

// The memory of a pass, kept for the next pass as long as possible. A sort that waits for memory holds none.
class PassMemory {
 public:
  // Allocates memory for at most `records_most` records.
  PassMemory(const RunOptions& options, std::uint64_t records_most, PhaseTimes& times)
      : is_granted_(options.pass_bytes == 0) {
    const std::uint64_t all = std::min(records_most, kRecordsPerPassMax) * kEntryBytes;
    const double start = now_s();
    if (is_granted_) {
      const std::uint64_t least = std::max<std::uint64_t>(std::min(options.min_bytes, all), kEntryBytes);
      gb_alloc_options asked = ask_with_files();
      asked.timeout_ms = UINT64_MAX;
      least_records_ = least / kEntryBytes;
      memory_ = gb_alloc_with(least - least % kEntryBytes, all, kEntryBytes, &bytes_, &asked);
    } else {
      bytes_ = std::max<std::uint64_t>(std::min(options.pass_bytes, all), kEntryBytes);
      bytes_ -= bytes_ % kEntryBytes;
      memory_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (memory_ == MAP_FAILED) memory_ = nullptr;
    }
    if (memory_ == nullptr) die("memory", errno);
    room_records_ = bytes_ / kEntryBytes;
    times.alloc_s += now_s() - start;
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

  [[nodiscard]] bool is_still_whole() const { return !is_cut_; }

  // Whether other processes need a part of this memory now.
  [[nodiscard]] bool is_wanted() const {
    std::size_t wanted_bytes = 0;
    return is_granted_ && gb_return_wanted(memory_, &wanted_bytes) == 0 && wanted_bytes != 0;
  }

  // If other processes need a part of this memory now, gives back the part beyond the first `records` records, and also the last of these records if that is not enough. Returns
  // how many records are left. After that the memory serves only for this pass. The entries of the remaining records stay unchanged.
  std::size_t give_back(std::size_t records, PhaseTimes& times) {
    std::size_t wanted_bytes = 0;
    if (!is_granted_ || gb_return_wanted(memory_, &wanted_bytes) != 0 || wanted_bytes == 0) return records;
    const std::size_t kept_records =
        (bytes_ - wanted_bytes) / kEntryBytes;  // at least one record: the grant's minimum
    if (kept_records < records)
      records = std::max(std::min(kept_records, records - records / kReturnsPerPass), least_records_);
    std::memmove(entries() + records, data(), records * kRecordBytes);
    room_records_ = records;
    bytes_ = records * kEntryBytes;
    gb_shrink(memory_, bytes_);
    is_cut_ = true;
    ++times.returns;
    return records;
  }

  // Whether the next pass may use this memory, too. Memory from gb_alloc() is given back and requested again as soon as no other memory is free. Then another
  // process has grown or waits, and the shares must change.
  [[nodiscard]] bool is_still_ours() const {
    if (!is_granted_) return true;
    if (is_cut_) return false;
    const gb_alloc_options asked = ask_with_files();
    std::size_t bytes = 0;
    return gb_available(kEntryBytes, kEntryBytes, kEntryBytes, &bytes, &asked) == 0;
  }

  // Gives back the memory that `records` records do not need. The content is lost.
  void shrink(std::uint64_t records) {
    if (!is_granted_ || is_cut_ || records >= this->records()) return;
    if (gb_shrink(memory_, records * kEntryBytes) != 0) return;
    bytes_ = records * kEntryBytes;
    room_records_ = records;
  }

  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] std::size_t records() const { return room_records_; }
  [[nodiscard]] Entry* entries() const { return static_cast<Entry*>(memory_); }
  [[nodiscard]] unsigned char* data() const {
    return static_cast<unsigned char*>(memory_) + records() * sizeof(Entry);
  }

 private:
  bool is_granted_;
  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
  std::size_t least_records_ = 0;
  // The memory has room for `room_records_` entries, followed by as many records.
  std::size_t room_records_ = 0;
  bool is_cut_ = false;
};

// The unit in which the disk of the file is read: as measured by microbench(1), else as in the paper; 0: not known.
std::uint64_t access_unit_bytes(const std::string& path) {
  gb_cache_t* detector = nullptr;
  gb_cache_settings settings{};
  settings.size = sizeof settings;
  if (gb_cache_open(nullptr, &detector) == 0) gb_cache_explain(detector, path.c_str(), &settings);
  gb_cache_close(detector);
  return settings.access_unit_bytes;
}

bool is_before(const Entry& a, const Entry& b) {
  return a.key_head != b.key_head ? a.key_head < b.key_head : a.key_tail < b.key_tail;
}

// Sorts the entries of the records from `first` on.
void sort_chunk(const PassMemory& memory, std::size_t first, std::size_t records) {
  Entry* entries = memory.entries() + first;
  for (std::size_t i = 0; i < records; ++i) {
    const unsigned char* key = memory.data() + (first + i) * kRecordBytes;
    std::uint64_t head = 0;
    for (std::size_t k = 0; k < sizeof head; ++k) head = head << 8U | key[k];
    entries[i] = {head, static_cast<std::uint32_t>(key[8]) << 8U | key[9],
                  static_cast<std::uint32_t>(first + i)};
  }
  std::sort(entries, entries + records, is_before);
}

// Gives other processes the memory that they need, from memory that holds `records` sorted records. Returns how many records are left. The other records are read again in a
// later pass.
std::size_t give_others(Input& input, PassMemory& memory, std::size_t records, PhaseTimes& times) {
  const std::size_t left = memory.give_back(records, times);
  if (left == records) return left;
  input.read_again(records - left);
  const std::size_t last_chunk = left / kChunkRecords * kChunkRecords;
  sort_chunk(memory, last_chunk, left - last_chunk);  // the last chunk is shorter now
  return left;
}

// Reads `records` records behind the first `first` records. Fewer if the stream has ended, or if other processes need memory.
std::size_t read_some(Input& input, const PassMemory& memory, std::size_t first, std::size_t records,
                      double& look_s) {
  std::size_t done = 0;
  while (done < records) {
    const std::size_t part = std::min(kPieceRecords, records - done);
    const std::size_t count = input.read_records(memory.data() + (first + done) * kRecordBytes, part);
    done += count;
    if (count < part) break;
    if (now_s() - look_s < kLookS) continue;
    look_s = now_s();
    if (memory.is_wanted()) break;
  }
  return done;
}

// Fills the memory chunk by chunk, and sorts each chunk while the disk fetches the next. A pass that first reads and then sorts leaves disk or processor idle, and several sorts
// at once fall into step. Ends early if another process needs memory. Then it gives back the needed memory and the memory that is not filled.
std::size_t read_and_sort(Input& input, PassMemory& memory, std::size_t records, PhaseTimes& times) {
  std::size_t done = 0;
  double look_s = now_s();
  while (done < records) {
    const double start = now_s();
    const std::size_t chunk = done / kChunkRecords * kChunkRecords;
    const std::size_t part = std::min(chunk + kChunkRecords, records) - done;
    const std::size_t count = read_some(input, memory, done, part, look_s);
    const double read_end = now_s();
    done += count;
    sort_chunk(memory, chunk, done - chunk);
    times.read_s += read_end - start;
    times.sort_s += now_s() - read_end;
    if (count < part && input.records_left() == 0) break;  // the end of a stream
    if (done == records) break;  // other processes' needs are checked again while the run is written
    done = give_others(input, memory, done, times);
    if (!memory.is_still_whole()) break;
  }
  return done;
}

// Gives the entries of all chunks in order. It is a heap of chunks, ordered by their first entries, which are copied into the heap.
class ChunkMerge {
 public:
  ChunkMerge(const Entry* entries, std::size_t records) {
    for (std::size_t first = 0; first < records; first += kChunkRecords)
      chunks_.push_back(
          {entries[first], entries + first + 1, entries + std::min(first + kChunkRecords, records)});
    for (std::size_t i = chunks_.size(); i-- > 0;) sift_down(i);
  }

  // Must not be called after the last entry.
  std::size_t next_place() {
    Chunk& top = chunks_[0];
    const std::size_t place = top.head.place;
    if (top.next != top.end) {
      top.head = *top.next++;
    } else {
      top = chunks_.back();
      chunks_.pop_back();
    }
    sift_down(0);
    return place;
  }

 private:
  struct Chunk {
    Entry head;
    const Entry* next;
    const Entry* end;
  };

  void sift_down(std::size_t i) {
    if (i >= chunks_.size()) return;
    const Chunk moved = chunks_[i];
    for (std::size_t child = 2 * i + 1; child < chunks_.size(); child = 2 * i + 1) {
      if (child + 1 < chunks_.size() && is_before(chunks_[child + 1].head, chunks_[child].head)) ++child;
      if (!is_before(chunks_[child].head, moved.head)) break;
      chunks_[i] = chunks_[child];
      i = child;
    }
    chunks_[i] = moved;
  }

  std::vector<Chunk> chunks_;
};

// Copies the next `records` records in order to `to`. The records are scattered over the pass. Each lies in two or three cache lines, and in a page, that were not used for long.
// So all records of a group are prefetched before the first is copied.
void gather(ChunkMerge& merge, const unsigned char* data, std::size_t records, unsigned char* to) {
  const unsigned char* group[kGatherRecords];
  while (records > 0) {
    const std::size_t count = std::min(records, kGatherRecords);
    for (std::size_t i = 0; i < count; ++i) {
      group[i] = data + merge.next_place() * kRecordBytes;
      __builtin_prefetch(group[i]);
      __builtin_prefetch(group[i] + kRecordBytes / 2);
      __builtin_prefetch(group[i] + kRecordBytes - 1);
    }
    for (std::size_t i = 0; i < count; ++i, to += kRecordBytes) std::memcpy(to, group[i], kRecordBytes);
    records -= count;
  }
}

// Sends written data to the disk piece by piece, and never lets more than two pieces wait. Dirty pages cannot be reused. Four sorts that write whole passes at once would fill
// the control group with dirty pages; the kernel then finds no page to drop, and blocks for seconds.
class WriteBehind {
 public:
  WriteBehind(int fd, std::uint64_t piece_bytes) : fd_(fd), piece_bytes_(piece_bytes) {}

  void note(std::size_t bytes) {
    const auto length = static_cast<off_t>(piece_bytes_);
    for (written_ += bytes; written_ - begun_ >= piece_bytes_; begun_ += piece_bytes_) {
      sync_file_range(fd_, static_cast<off_t>(begun_), length, SYNC_FILE_RANGE_WRITE);
      if (begun_ < piece_bytes_) continue;
      const auto done = static_cast<off_t>(begun_ - piece_bytes_);
      sync_file_range(fd_, done, length,
                      SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER);
      posix_fadvise(fd_, done, length, POSIX_FADV_DONTNEED);
    }
  }

 private:
  int fd_;
  std::uint64_t piece_bytes_;
  std::uint64_t written_ = 0;
  std::uint64_t begun_ = 0;
};

// The size of a piece. It is small compared with a pass, because data that waits for the disk takes memory of the page cache, as the cached
// input does.
std::uint64_t behind_bytes(const PassMemory& memory) {
  return std::clamp(memory.bytes() / kPiecesPerPass, kBehindBytesMin, kBehindBytesMax);
}

// Writes `records` records in order, and returns how many it wrote. A smaller number means that others lacked memory: only this many
// records are left of the pass, and the file must be written again.
std::size_t write_records(Input& input, PassMemory& memory, std::size_t records, int fd,
                          const std::string& path, PhaseTimes& times) {
  std::FILE* file = fdopen(fd, "wb");
  if (file == nullptr) die(path, errno);
  std::setvbuf(file, nullptr, _IONBF, 0);
  std::vector<unsigned char> buffer(kWriteRecords * kRecordBytes);
  WriteBehind behind(fileno(file), behind_bytes(memory));
  ChunkMerge merge(memory.entries(), records);
  double look_s = now_s();
  for (std::size_t done = 0; done < records;) {
    if (now_s() - look_s >= kLookS) {
      const std::size_t left = give_others(input, memory, records, times);
      if (left < records) {
        close_or_die(file, path);
        return left;
      }
      look_s = now_s();
    }
    const std::size_t part = std::min(kWriteRecords, records - done);
    gather(merge, memory.data(), part, buffer.data());
    write_or_die(buffer.data(), part * kRecordBytes, file, path);
    behind.note(part * kRecordBytes);
    done += part;
  }
  // The data is sent to the disk at once, so that its pages can be reused for the next pass.
  std::fflush(file);
  sync_file_range(fileno(file), 0, 0, SYNC_FILE_RANGE_WRITE);
  close_or_die(file, path);
  return records;
}

// Returns the number of records in the written run. Each time that the run begins again, there is less memory, but never less than
// the minimum of the grant.
std::size_t write_pass(Input& input, PassMemory& memory, std::size_t records, int fd, const std::string& path,
                       PhaseTimes& times) {
  for (std::size_t left = 0;; records = left) {
    const int copy =
        ftruncate(fd, 0) == 0 && lseek(fd, 0, SEEK_SET) == 0 ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : -1;
    if (copy < 0) die(path, errno);
    left = write_records(input, memory, records, copy, path, times);
    if (left == records) return records;
  }
}

// A run is not needed before the merge: its pages would cause the eviction of cached input that is still to be read.
void drop_from_cache(int fd) {
  sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER);
  posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
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

namespace {

// The largest number of records for which memory is requested: the size that saves time, but at least the minimum that the
// user set.
std::uint64_t worthwhile_records(const RunOptions& options, std::uint64_t records) {
  const std::uint64_t unit_bytes = access_unit_bytes(options.inputs[0]);
  const std::uint64_t bytes = worthwhile_bytes(records * kRecordBytes, unit_bytes);
  return bytes == 0 ? records : std::max(bytes / kRecordBytes, options.min_bytes / kEntryBytes) + 1;
}

// The largest number of records for which memory is requested if the user sets the size. A pass holds at least one record.
std::uint64_t told_records(const RunOptions& options, std::uint64_t records) {
  if (options.pass_bytes != 0) return records;
  return std::min(records, std::max<std::uint64_t>(options.max_bytes / kEntryBytes, 1));
}

// Makes a pass of this many records, or fewer at the end of a stream. Returns the number of records.
std::size_t make_run(Input& input, PassMemory& memory, std::size_t records, RunFiles& runs,
                     PhaseTimes& times) {
  const long faults = count_major_faults();
  input.start_pass();
  records = read_and_sort(input, memory, records, times);
  if (records == 0) return 0;  // the stream ended with the pass before
  const double start = now_s();
  if (!runs.fds().empty()) drop_from_cache(runs.fds().back());
  const int run = runs.open_new();
  records = write_pass(input, memory, records, run, runs.name(), times);
  runs.add(run);
  ++times.passes;
  times.write_s += now_s() - start;
  times.major_faults += count_major_faults() - faults;
  times.memory_bytes += memory.bytes();
  return records;
}

}  // namespace

std::vector<int> make_runs(const RunOptions& options, PhaseTimes& times) {
  Input input(options.inputs, options.is_linear);
  const std::uint64_t all = input.records_left();
  const bool is_told = options.pass_bytes != 0 || options.max_bytes != 0;
  const std::uint64_t most = is_told ? told_records(options, all) : worthwhile_records(options, all);
  PassSize size(is_told ? 0 : worthwhile_bytes(all * kRecordBytes, kMergeBufferBytes) / kRecordBytes);
  input.expect_pass(options.pass_bytes != 0 ? options.pass_bytes : options.min_bytes);
  RunFiles runs(options.run_folder);
  std::optional<PassMemory> memory;
  while (input.records_left() > 0) {
    input.ask_meanwhile();
    if (memory && !memory->is_still_ours()) memory.reset();
    if (!memory) {
      memory.emplace(options, std::min(size.next(most, input.records_left()), most), times);
      // Memory that passes of equal size leave unused is given back at once. If all sorts kept this unused memory, no sort would find other free memory. Each
      // sort would then free its memory after every pass, request the memory again and touch all its pages again.
      memory->shrink(size.next(memory->records(), input.records_left()));
      input.expect_pass(memory->bytes());
      input.expect_memory(memory->bytes() + kPiecesAtOnce * behind_bytes(*memory));
    }
    const std::uint64_t planned = size.next(memory->records(), input.records_left());
    const double start = now_s();
    const std::size_t records = make_run(input, *memory, planned, runs, times);
    if (records < planned && memory->is_still_whole()) break;  // the end of a stream
    if (records < planned) continue;                           // another process needed the rest
    size.note(records, now_s() - start);
    if (size.records_most() != 0) memory->shrink(size.records_most());
  }
  return runs.fds();
}

}  // namespace fastsort
