// SPDX-License-Identifier: MIT
// record_reader: reads a recording, and checks each value before it is used.
#pragma once

#include <cstdint>
#include <istream>
#include <string>

#include "tools/discnice/protocol/ring.hpp"

namespace discnice::cli {

/// Whether the content of an intact record is possible: replay can use every count, length and number in it.
bool is_sound(const protocol::TakenRecord& record);

/// Reads a stream from its beginning. After an error it returns no more records.
class RecordReader {
 public:
  /// Reads the header. `name` is what diagnostics call the file.
  RecordReader(std::istream& stream, std::string name);

  [[nodiscard]] const protocol::RecordFileHeader& header() const { return header_; }

  /// Reads the next record. Returns false at the end and after an error. problem() tells the two cases apart. The record of type `end` is
  /// returned, too.
  bool next(protocol::TakenRecord& record);

  /// One line that tells what is wrong with the file; an empty text while nothing is.
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  bool read(void* target, std::size_t bytes);
  bool fail(std::string problem);
  bool fail_record(const char* what);
  void read_header();

  std::istream& stream_;
  std::string name_;
  std::string problem_;
  protocol::RecordFileHeader header_{};
  std::uint64_t offset_bytes_ = 0;
  std::uint64_t records_ = 0;
  bool has_ended_ = false;
};

}  // namespace discnice::cli
