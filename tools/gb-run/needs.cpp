// SPDX-License-Identifier: MIT
#include "tools/gb-run/needs.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libgray/src/os/memory_os.hpp"
#include "toolbox/base/fd.hpp"
#include "toolbox/base/units.hpp"

namespace gb_run {
namespace {

// After each run the highest need falls by 1/kForgetShare of the difference between it and the run's need.
constexpr std::uint64_t kForgetShare = 8;
constexpr std::uint64_t kSpareShare = 8;  // 1/kSpareShare is added, because runs differ
// Memory that the kernel uses for a process and charges to its group: page tables, stacks, descriptors.
constexpr std::uint64_t kKernelBytes = gray::base::kMiB;
constexpr std::uint64_t kUnknownShareOfPool = 8;
constexpr std::size_t kProgramsMax = 256;
constexpr std::size_t kNameBytesMax = 128;

bool is_plain_name(std::string_view name) {
  return !name.empty() && name.size() <= kNameBytesMax &&
         std::all_of(name.begin(), name.end(), [](char c) { return c > ' ' && c != 0x7f; });
}

struct Line {
  std::uint64_t bytes;
  std::string_view name;
};

std::optional<Line> parse_line(std::string_view text) {
  Line line{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), line.bytes);
  const auto length = static_cast<std::size_t>(end - text.data());
  if (error != std::errc{} || length >= text.size() || text[length] != ' ') return std::nullopt;
  line.name = text.substr(length + 1);
  if (!is_plain_name(line.name) || line.bytes > kNeedMaxBytes) return std::nullopt;
  return line;
}

std::vector<Line> parse(std::string_view text) {
  std::vector<Line> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (const auto line = parse_line(text.substr(0, end))) lines.push_back(*line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (lines.size() > kProgramsMax) lines.erase(lines.begin(), lines.end() - kProgramsMax);
  return lines;
}

bool make_folders(const std::string& file) {
  for (std::size_t slash = file.find('/', 1); slash != std::string::npos; slash = file.find('/', slash + 1))
    mkdir(file.substr(0, slash).c_str(), S_IRWXU);
  return access(file.substr(0, file.rfind('/')).c_str(), W_OK) == 0;
}

}  // namespace

std::optional<std::uint64_t> learn(std::optional<std::uint64_t> known, std::uint64_t grant_bytes,
                                   std::uint64_t peak_bytes) {
  const std::uint64_t before = known.value_or(kUnknownNeedBytes);
  const bool is_beyond = peak_bytes > grant_bytes;
  const std::uint64_t seen = std::min(is_beyond ? peak_bytes - grant_bytes : peak_bytes, kNeedMaxBytes);
  if (!known && (is_beyond || seen < before)) return seen;
  if (seen <= before) return before - (before - seen) / kForgetShare;
  return is_beyond
             ? seen
             : known;  // all memory of a program that stayed below its grant may have been part of the grant
}

std::uint64_t need_of(std::optional<std::uint64_t> known, std::uint64_t min_bytes,
                      std::uint64_t capacity_bytes) {
  if (known) return *known + *known / kSpareShare + kKernelBytes;
  const std::uint64_t free_bytes = capacity_bytes - std::min(min_bytes, capacity_bytes);
  return std::min({kUnknownNeedBytes, capacity_bytes / kUnknownShareOfPool, free_bytes});
}

std::string needs_file() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && cache[0] == '/') return std::string(cache) + "/gray/gb-run.needs";
  const char* home = std::getenv("HOME");
  return home != nullptr && home[0] == '/' ? std::string(home) + "/.cache/gray/gb-run.needs" : "";
}

std::optional<std::uint64_t> read_need(const std::string& file, const std::string& program) {
  std::string text;
  if (file.empty() || gray::os::read_text(file, text) != 0) return std::nullopt;
  std::optional<std::uint64_t> need;
  for (const Line& line : parse(text))
    if (line.name == program) need = line.bytes;
  return need;
}

void write_need(const std::string& file, const std::string& program, std::uint64_t need_bytes) {
  if (file.empty() || !is_plain_name(program) || !make_folders(file)) return;
  std::string before;
  gray::os::read_text(file, before);
  std::string text;
  for (const Line& line : parse(before)) {
    if (line.name != program)
      text.append(std::to_string(line.bytes)).append(" ").append(line.name).append("\n");
  }
  text.append(std::to_string(std::min(need_bytes, kNeedMaxBytes))).append(" ").append(program).append("\n");
  const std::string fresh = file + "." + std::to_string(getpid());
  gray::base::ScopedFd out =
      gray::base::ScopedFd::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, S_IRUSR | S_IWUSR);
  if (!out.is_open()) return;
  const bool is_written = write(out.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
  out.reset();
  if (!is_written || std::rename(fresh.c_str(), file.c_str()) != 0) unlink(fresh.c_str());
}

}  // namespace gb_run
