// SPDX-License-Identifier: MIT
// records: reads, writes, makes and checks records of 100 bytes with a key of 10 bytes, as in the sort benchmarks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace fastsort {

inline constexpr std::size_t kRecordBytes = 100;
inline constexpr std::size_t kKeyBytes = 10;

/// The content of a file: the number of records, and a sum that does not depend on their order.
struct Content {
  std::uint64_t records = 0;
  std::uint64_t sum = 0;
  bool is_ordered = true;
  bool operator==(const Content& other) const { return records == other.records && sum == other.sum; }
};

/// Prints "gb-fastsort: PATH: why" and ends the program with status 1. An example may do that. A library may not.
[[noreturn]] void die(const std::string& path, int error_number);
[[noreturn]] void die_saying(const std::string& path, const std::string& why);

/// Returns the text with its control characters as \\xHH: a terminal would take them for commands.
std::string printable(const std::string& text);

/// The next three functions open, write and close as fopen(3), fwrite(3) and fclose(3). A failure ends the program.
std::FILE* open_or_die(const std::string& path, const char* mode);
void write_or_die(const void* data, std::size_t bytes, std::FILE* file, const std::string& path);
void close_or_die(std::FILE* file, const std::string& path);

/// The number of records of a file; a length that is no multiple of kRecordBytes ends the program.
std::uint64_t count_records(const std::string& path);

void make_records(const std::string& path, std::uint64_t records, std::uint64_t seed);
Content look_at(const std::vector<std::string>& paths);

}  // namespace fastsort
