// SPDX-License-Identifier: MIT
#include "examples/gb-fastsort/records.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace fastsort {
namespace {

constexpr std::size_t kBufferBytes = 1U << 20U;

std::uint64_t next_random(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15U;  // splitmix64
  std::uint64_t value = state;
  value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27U)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31U);
}

std::uint64_t hash_of(const unsigned char* record) {
  std::uint64_t hash = 0xcbf29ce484222325U;  // FNV-1a
  for (std::size_t i = 0; i < kRecordBytes; ++i) hash = (hash ^ record[i]) * 0x100000001b3U;
  return hash;
}

}  // namespace

void die(const std::string& path, int error_number) {
  die_saying(path, std::strerror(error_number));
}

void die_saying(const std::string& path, const std::string& why) {
  std::fprintf(stderr, "gb-fastsort: %s: %s\n", printable(path).c_str(), why.c_str());
  std::exit(1);
}

std::string printable(const std::string& text) {
  std::string shown;
  unsigned char before = 0;
  for (const char letter : text) {
    const auto c = static_cast<unsigned char>(letter);
    const bool is_control =
        c < 0x20 || c == 0x7f || (before == 0xc2 && c >= 0x80 && c < 0xa0);  // C1 in UTF-8
    char escaped[8];
    std::snprintf(escaped, sizeof escaped, is_control ? "\\x%02x" : "%c", c);
    shown += escaped;
    before = c;
  }
  return shown;
}

std::FILE* open_or_die(const std::string& path, const char* mode) {
  std::FILE* file = std::fopen(path.c_str(), mode);
  if (file == nullptr) die(path, errno);
  return file;
}

void write_or_die(const void* data, std::size_t bytes, std::FILE* file, const std::string& path) {
  if (std::fwrite(data, 1, bytes, file) != bytes) die(path, errno);
}

void close_or_die(std::FILE* file, const std::string& path) {
  const bool has_failed = std::ferror(file) != 0;
  if (std::fclose(file) != 0 || has_failed) die(path, errno != 0 ? errno : EIO);
}

std::uint64_t count_records(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) die(path, errno);
  const auto bytes = static_cast<std::uint64_t>(status.st_size);
  if (S_ISDIR(status.st_mode)) die(path, EISDIR);
  if (!S_ISREG(status.st_mode)) die_saying(path, "is no regular file; - alone reads a stream, with --pass");
  if (bytes % kRecordBytes != 0)
    die_saying(path, "its " + std::to_string(bytes) + " bytes are no whole records of " +
                         std::to_string(kRecordBytes));
  return bytes / kRecordBytes;
}

void make_records(const std::string& path, std::uint64_t records, std::uint64_t seed) {
  std::FILE* file = open_or_die(path, "wb");
  std::setvbuf(file, nullptr, _IOFBF, kBufferBytes);
  unsigned char record[kRecordBytes];
  for (std::uint64_t i = 0; i < records; ++i) {
    for (std::size_t place = 0; place < 16; place += sizeof(std::uint64_t)) {
      const std::uint64_t value = next_random(seed);
      std::memcpy(record + place, &value, sizeof value);
    }
    std::memset(record + 16, static_cast<int>('A' + i % 26), kRecordBytes - 17);
    record[kRecordBytes - 1] = '\n';
    write_or_die(record, sizeof record, file, path);
  }
  close_or_die(file, path);
}

Content look_at(const std::vector<std::string>& paths) {
  Content content;
  for (const std::string& path : paths) {
    count_records(path);
    std::FILE* file = open_or_die(path, "rb");
    std::setvbuf(file, nullptr, _IOFBF, kBufferBytes);
    unsigned char record[kRecordBytes];
    unsigned char last_key[kKeyBytes] = {};
    while (std::fread(record, sizeof record, 1, file) == 1) {
      if (std::memcmp(last_key, record, kKeyBytes) > 0) content.is_ordered = false;
      std::memcpy(last_key, record, kKeyBytes);
      content.sum += hash_of(record);
      ++content.records;
    }
    close_or_die(file, path);
  }
  return content;
}

}  // namespace fastsort
