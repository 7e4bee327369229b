// SPDX-License-Identifier: MIT
#include "tools/discnice/outputs/memory_room.hpp"

#include <cstring>

#include <sys/syscall.h>
#include <sys/sysinfo.h>

#include "toolbox/base/raw_sys.hpp"
#include "toolbox/base/short_text.hpp"
#include "tools/discnice/outputs/small_file.hpp"

namespace discnice::outputs {
namespace {

using gray::base::append_text;

constexpr std::size_t kNumberBytesMax = 32;
constexpr std::size_t kNameBytesMax = 32;  // the name of a file in a group's folder
constexpr int kLevelsMax = 16;
constexpr char kUnified[] = "/sys/fs/cgroup";
constexpr char kOwnHierarchy[] = "/sys/fs/cgroup/memory";
constexpr char kMemory[] = "memory";

struct Line {
  const char* controllers;
  std::size_t controllers_length;
  const char* path;
  std::size_t path_length;
};

// The next place of the letter, or null. libc's memchr() is not used, because its look-up takes two kilobytes of the caller's stack.
const char* find_letter(const char* text, const char* end, char letter) {
  for (; text != end; ++text) {
    if (*text == letter) return text;
  }
  return nullptr;
}

// Splits "NUMBER:CONTROLLER,CONTROLLER:PATH". Returns false for a line of another form.
bool split(const char* start, std::size_t length, Line* line) {
  const char* first = find_letter(start, start + length, ':');
  if (first == nullptr) return false;
  const char* second = find_letter(first + 1, start + length, ':');
  if (second == nullptr) return false;
  *line = {first + 1, static_cast<std::size_t>(second - first - 1), second + 1,
           static_cast<std::size_t>(start + length - second - 1)};
  return line->path_length != 0 && *line->path == '/';
}

bool counts_memory(const Line& line) {
  constexpr std::size_t kLength = sizeof kMemory - 1;
  for (std::size_t i = 0; i + kLength <= line.controllers_length; ++i) {
    const bool is_begin = i == 0 || line.controllers[i - 1] == ',';
    const bool is_end = i + kLength == line.controllers_length || line.controllers[i + kLength] == ',';
    if (is_begin && is_end && std::memcmp(line.controllers + i, kMemory, kLength) == 0) return true;
  }
  return false;
}

bool read_memory_bytes(RoomWorkspace& workspace, const char* name, std::uint64_t* bytes) {
  static_assert(sizeof workspace.path >= sizeof kOwnHierarchy + kGroupPathBytesMax + kNameBytesMax);
  char* end = append_text(workspace.path, workspace.group.is_unified ? kUnified : kOwnHierarchy);
  end = append_text(end, workspace.group.path);
  *append_text(end, name) = '\0';
  char text[kNumberBytesMax];
  const long length = read_small_file(workspace.path, text, sizeof text);
  return length > 0 && parse_memory_bytes(text, static_cast<std::size_t>(length), bytes);
}

// Removes the last part of the path. Returns false when there is none.
bool go_up(char* path) {
  char* slash = std::strrchr(path, '/');
  if (slash == nullptr) return false;
  *slash = '\0';
  return true;
}

}  // namespace

bool find_memory_group(const char* text, std::size_t length, MemoryGroup* group) {
  bool is_found = false;
  for (std::size_t at = 0; at < length;) {
    const char* end = find_letter(text + at, text + length, '\n');
    if (end == nullptr) return is_found;  // the line was cut off
    Line line{};
    const bool is_line = split(text + at, static_cast<std::size_t>(end - text) - at, &line);
    at = static_cast<std::size_t>(end - text) + 1;
    const bool is_own = is_line && counts_memory(line);
    if (!is_own && (!is_line || line.controllers_length != 0 || is_found)) continue;
    if (line.path_length >= sizeof group->path) continue;
    group->is_unified = !is_own;
    std::memcpy(group->path, line.path, line.path_length);
    group->path[line.path_length] = '\0';
    is_found = true;
  }
  return is_found;
}

bool parse_memory_bytes(const char* text, std::size_t length, std::uint64_t* bytes) {
  constexpr char kMax[] = "max";
  *bytes = UINT64_MAX;
  if (length >= sizeof kMax - 1 && std::memcmp(text, kMax, sizeof kMax - 1) == 0) return true;
  std::uint64_t number = 0;
  std::size_t at = 0;
  for (; at < length && text[at] >= '0' && text[at] <= '9'; ++at) {
    const auto digit = static_cast<std::uint64_t>(text[at] - '0');
    if (number > (UINT64_MAX - digit) / 10) return false;
    number = number * 10 + digit;
  }
  *bytes = number;
  return at != 0;
}

MemoryRoom narrowed(const MemoryRoom& room, std::uint64_t limit_bytes, std::uint64_t used_bytes) {
  MemoryRoom narrow = room;
  if (limit_bytes < narrow.total_bytes) narrow.total_bytes = limit_bytes;
  const std::uint64_t left_bytes = limit_bytes > used_bytes ? limit_bytes - used_bytes : 0;
  if (left_bytes < narrow.free_bytes) narrow.free_bytes = left_bytes;
  return narrow;
}

MemoryRoom read_memory_room(RoomWorkspace& workspace) {
  struct sysinfo system {};
  if (gray::base::is_raw_error(gray::base::raw_syscall(SYS_sysinfo, gray::base::word(&system)))) return {};
  MemoryRoom room{system.freeram * system.mem_unit, system.totalram * system.mem_unit};
  MemoryGroup& group = workspace.group;
  const long length = read_small_file("/proc/self/cgroup", workspace.text, sizeof workspace.text);
  if (length <= 0 || !find_memory_group(workspace.text, static_cast<std::size_t>(length), &group))
    return room;
  const bool is_unified = group.is_unified;
  for (int level = 0; level < kLevelsMax; ++level) {
    std::uint64_t limit_bytes = 0;
    std::uint64_t used_bytes = 0;
    if (read_memory_bytes(workspace, is_unified ? "/memory.max" : "/memory.limit_in_bytes", &limit_bytes) &&
        read_memory_bytes(workspace, is_unified ? "/memory.current" : "/memory.usage_in_bytes", &used_bytes))
      room = narrowed(room, limit_bytes, used_bytes);
    if (!go_up(group.path)) break;
  }
  return room;
}

}  // namespace discnice::outputs
