// SPDX-License-Identifier: MIT
// input: the records of all inputs as one stream. Cached records come first while the disk fetches the others.
//
// Knowledge assumed: as in room.hpp. A page that was read twice stays longer than a page that was read once. So a full cache evicts just the pages that are still to be read.
// Output observed: which parts are cached, at first and again before each chunk.
// Inference drawn: what was cached and is not any more is put off to the end; to fetch it at once would push out the part behind it, and so
// each in turn.
// What breaks it: where only probes tell what is cached, nothing is looked at twice and nothing is fetched early.
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

/// Whether the one input is standard input.
bool is_standard_input(const std::vector<std::string>& paths);

/// "-" alone is standard input, which has as many records as come.
class Input {
 public:
  /// In the order of the files if `is_linear`, else cached data first.
  Input(std::vector<std::string> paths, bool is_linear);
  ~Input();
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  /// How many records there may still be.
  [[nodiscard]] std::uint64_t records_left() const {
    return is_stream_ ? (is_ended_ ? 0 : kRecordsPerPassMax) : left_;
  }

  /// Notes that this much more memory will be filled, beside the page cache, while records are read.
  void expect_memory(std::uint64_t bytes) { unfilled_bytes_ += bytes; }

  /// Passes have this many bytes. The amount that is fetched ahead is small compared with that.
  void expect_pass(std::uint64_t bytes);

  /// Lets the disk begin to fetch the next data while the memory for it is being found.
  void ask_meanwhile();

  /// Reads this many records; fewer only at the end of a stream.
  std::size_t read_records(unsigned char* to, std::size_t records);

  /// Records that are read from now on may have to be read again. Earlier ones need not.
  void start_pass() { read_.clear(); }

  /// The last records of this pass, this many, come again, and first. Not for a stream.
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
  bool is_cached_first_ = false;  // something is
  gb_cache_t* detector_ = nullptr;
  std::vector<Part> parts_;  // what is cached, then the rest
  std::vector<Part> read_;   // in this pass
  std::size_t next_ = 0;
  std::size_t open_path_ = 0;
  int fd_ = -1;
  std::uint64_t begin_ = 0;  // what has been read of the part and not been dropped
  std::uint64_t at_ = 0;
  std::uint64_t end_ = 0;
  std::size_t asked_part_ = 0;
  std::uint64_t asked_bytes_ = 0;  // of that part
  std::uint64_t ahead_bytes_ = 0;  // may be asked for before it is read
  std::uint64_t ahead_ = 0;        // asked for and not yet read
  std::uint64_t early_ = 0;        // may be asked for while what is cached is read
  std::uint64_t unfilled_bytes_ = 0;
  std::uint64_t left_ = 0;
  std::optional<Room> room_;  // of the open file, where cached input is to be kept and the kernel counts it
};

}  // namespace fastsort
