// SPDX-License-Identifier: MIT
// input: the records of all inputs as one stream. Cached parts are read first, while the disk fetches the rest.
//
// Knowledge assumed: as in room.hpp. In addition, a page that was read twice stays longer than a page that was read once, so a full cache evicts just the pages that are still to
// be read.
// Output observed: which parts are cached, at the start and again before each chunk.
// Inference drawn: a part that was cached and has been evicted is read at the end. If it were fetched at once, the part behind it would be evicted, and so on
// for each part.
// What breaks it: a host on which only probes find the cached pages. There no part is examined twice, and no part is fetched early.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <gray/cache.h>

#include "examples/gb-fastsort/room.hpp"

namespace fastsort {

inline constexpr std::uint64_t kRecordsPerPassMax = 0xffffffffU;

/// Whether the only input is standard input.
bool is_standard_input(const std::vector<std::string>& paths);

/// "-" alone is standard input, whose number of records is not known before its end.
class Input {
 public:
  /// Reads in the order of the files if `is_linear`, else cached parts first.
  Input(std::vector<std::string> paths, bool is_linear);
  ~Input();
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  /// How many records may still come.
  [[nodiscard]] std::uint64_t records_left() const {
    return is_stream_ ? (is_ended_ ? 0 : kRecordsPerPassMax) : left_;
  }

  /// Notes that this much more memory outside the page cache will be filled while records are read.
  void expect_memory(std::uint64_t bytes) { unfilled_bytes_ += bytes; }

  /// Sets the size of a pass. The amount fetched ahead is small compared with the pass.
  void expect_pass(std::uint64_t bytes);

  /// Requests the next parts from the disk, which reads them while memory for the pass is allocated.
  void ask_meanwhile();

  /// Reads `records` records; fewer only at the end of a stream.
  std::size_t read_records(unsigned char* to, std::size_t records);

  /// Starts a pass. Records that are read from now on may have to be read again. Earlier records will not be read again.
  void start_pass() { read_.clear(); }

  /// The last `records` records of this pass are read again, before all others. Not for a stream.
  void read_again(std::size_t records);

 private:
  struct Part {
    std::size_t path;
    std::uint64_t offset_bytes;
    std::uint64_t length_bytes;
    double cached_fraction;
    bool is_first;
  };

  void plan_file(std::size_t path, std::vector<Part>& parts) const;
  static void add(const Part& part, std::vector<Part>& parts);
  void put_off_lost();
  static void take_soon(const Part& part, std::vector<gb_extent>& soon, std::vector<Part>& later);
  std::size_t read_stream(unsigned char* to, std::size_t bytes);
  std::size_t read_parts(unsigned char* to, std::size_t bytes);
  void note_read(std::uint64_t bytes);
  void remember(std::uint64_t bytes);
  [[nodiscard]] bool is_wholly_cached(std::size_t part) const;
  void ask(std::uint64_t bytes);
  [[nodiscard]] bool may_ask(std::uint64_t bytes) const;
  void look();
  void give_back();
  void open_next();

  std::vector<std::string> paths_;
  bool is_stream_;
  bool is_linear_;
  bool is_ended_ = false;
  bool is_cached_first_ = false;  // some part is cached and is read first
  gb_cache_t* detector_ = nullptr;
  std::vector<Part> parts_;  // the cached parts, then the rest
  std::vector<Part> read_;   // the parts read in this pass
  std::size_t next_ = 0;
  std::size_t open_path_ = 0;
  int fd_ = -1;
  std::uint64_t begin_ = 0;  // start of the read bytes of the part that were not dropped
  std::uint64_t at_ = 0;
  std::uint64_t end_ = 0;
  std::size_t asked_part_ = 0;
  std::uint64_t asked_bytes_ = 0;  // of that part
  std::uint64_t ahead_bytes_ = 0;  // how much may be requested ahead
  std::uint64_t ahead_ = 0;        // requested and not yet read
  std::uint64_t early_ = 0;        // may be requested while cached parts are read
  std::uint64_t unfilled_bytes_ = 0;
  std::uint64_t left_ = 0;
  // The room of the open file; empty unless cached input is read first and the kernel counts it.
  std::optional<Room> room_;
};

}  // namespace fastsort
