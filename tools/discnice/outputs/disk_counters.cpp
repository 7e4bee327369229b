// SPDX-License-Identifier: MIT
#include "tools/discnice/outputs/disk_counters.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>

#include "toolbox/base/raw_sys.hpp"
#include "toolbox/base/short_text.hpp"
#include "tools/discnice/outputs/small_file.hpp"

namespace discnice::outputs {
namespace {

using gray::base::append_number;
using gray::base::append_text;
using gray::base::is_raw_error;
using gray::base::raw_syscall;
using gray::base::word;

constexpr std::uint64_t kSectorBytes =
    512;                            // the unit of the stat file, whatever the device's own sector size is
constexpr unsigned kFieldsMin = 9;  // the fields that every kernel has
constexpr unsigned kFields = 17;    // the fields that are read here; newer kernels append more
constexpr std::size_t kStatBytesMax = 512;
constexpr std::size_t kPathBytesMax = 96;

void counters_path(char* out, std::uint64_t device, const char* file) {
  out = append_text(out, "/sys/dev/block/");
  out = append_number(out, major(device));
  out = append_text(out, ":");
  out = append_number(out, minor(device));
  *append_text(out, file) = '\0';
}

bool is_there(std::uint64_t device, const char* file) {
  char path[kPathBytesMax];
  counters_path(path, device, file);
  return !is_raw_error(raw_syscall(SYS_faccessat, AT_FDCWD, word(path), 0));
}

// Reads a device number such as "8:0" from one of the files of a device.
bool read_number(std::uint64_t device, const char* file, std::uint64_t* number) {
  char path[kPathBytesMax];
  char text[32];
  counters_path(path, device, file);
  const long length = read_small_file(path, text, sizeof text);
  unsigned parts[2] = {};
  unsigned part = 0;
  for (long i = 0; i < length && text[i] != '\n'; ++i) {
    if (text[i] == ':' && part == 0) {
      part = 1;
    } else if (text[i] >= '0' && text[i] <= '9') {
      parts[part] = parts[part] * 10 + static_cast<unsigned>(text[i] - '0');
    } else {
      return false;
    }
  }
  if (part == 0) return false;
  *number = makedev(parts[0], parts[1]);
  return true;
}

}  // namespace

bool parse_disk_sample(const char* text, std::size_t length, DiskSample* sample) {
  std::uint64_t field[kFields] = {};
  unsigned count = 0;
  bool is_in_number = false;
  for (std::size_t i = 0; i < length && count < kFields; ++i) {
    const bool is_digit = text[i] >= '0' && text[i] <= '9';
    if (is_digit) {
      field[count] = field[count] * 10 + static_cast<std::uint64_t>(text[i] - '0');
    } else if (text[i] != ' ' && text[i] != '\n') {
      return false;
    }
    if (is_in_number && !is_digit) ++count;
    is_in_number = is_digit;
  }
  if (count < kFieldsMin) return false;
  const auto low = [&field](unsigned i) { return static_cast<std::uint32_t>(field[i]); };
  *sample = {field[2] * kSectorBytes,
             field[6] * kSectorBytes,
             low(0),
             low(3),
             low(4),
             low(7),
             low(15),
             low(16),
             low(8)};
  return true;
}

std::uint32_t parse_reads_in_flight(const char* text, std::size_t length) {
  std::uint32_t reads = 0;
  std::size_t i = 0;
  while (i < length && text[i] == ' ') ++i;
  for (; i < length && text[i] >= '0' && text[i] <= '9'; ++i)
    reads = reads * 10 + static_cast<std::uint32_t>(text[i] - '0');
  return reads;
}

std::uint64_t counted_disk(std::uint64_t device) {
  if (major(device) == 0) return 0;
  std::uint64_t disk = device;
  if (is_there(device, "/partition") && !read_number(device, "/../dev", &disk)) return 0;
  return is_there(disk, "/stat") ? disk : 0;
}

bool read_disk_sample(std::uint64_t disk, DiskSample* sample) {
  char path[kPathBytesMax];
  char text[kStatBytesMax];
  counters_path(path, disk, "/stat");
  long length = read_small_file(path, text, sizeof text);
  if (length <= 0 || !parse_disk_sample(text, static_cast<std::size_t>(length), sample)) return false;
  if (sample->in_flight == 0) return true;
  counters_path(path, disk, "/inflight");
  length = read_small_file(path, text, sizeof text);
  sample->reads_in_flight =
      length > 0 ? parse_reads_in_flight(text, static_cast<std::size_t>(length)) : sample->in_flight;
  return true;
}

}  // namespace discnice::outputs
