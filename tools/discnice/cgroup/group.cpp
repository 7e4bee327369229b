// SPDX-License-Identifier: MIT
#include "tools/discnice/cgroup/group.hpp"

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <system_error>
#include <vector>

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/discnice/cgroup/disks.hpp"
#include "tools/discnice/processes/process_facts.hpp"

namespace discnice::cgroup {
namespace {

constexpr char kPrefix[] = "discnice-";
constexpr char kReads[] = "/blkio.throttle.read_bps_device";
constexpr char kWrites[] = "/blkio.throttle.write_bps_device";
constexpr mode_t kMode = 0755;

std::string text_of(std::uint64_t limit) {
  return limit == 0 ? "max" : fmt::format("{}", limit);
}

std::uint64_t number_after(const std::string& word, const char* key) {
  const std::string begin = std::string(key) + "=";
  return word.rfind(begin, 0) == 0 ? std::strtoull(word.c_str() + begin.size(), nullptr, 10) : 0;
}

// For version 2: reads "254:0 rbytes=1 wbytes=2 ..." or "254:0 rbps=1 wbps=max ...", and returns the two numbers with these names for each disk.
template <typename Pair>
std::map<std::uint64_t, Pair> pairs_in(const std::string& text, const char* first, const char* second) {
  std::map<std::uint64_t, Pair> found;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string number;
    words >> number;
    const std::uint64_t disk = disk_of(number);
    if (disk == 0) continue;
    Pair pair;
    auto& [one, other] = pair;
    for (std::string word; words >> word;) {
      one = std::max(one, number_after(word, first));
      other = std::max(other, number_after(word, second));
    }
    found[disk] = pair;
  }
  return found;
}

// For version 1: reads lines such as "254:0 5000000".
std::map<std::uint64_t, std::uint64_t> numbers_in(const std::string& text) {
  std::map<std::uint64_t, std::uint64_t> found;
  std::istringstream lines(text);
  std::string number;
  std::uint64_t value = 0;
  while (lines >> number >> value)
    if (const std::uint64_t disk = disk_of(number); disk != 0) found[disk] = value;
  return found;
}

}  // namespace

int Group::make() const {
  if (mkdir(folder_.c_str(), kMode) != 0) return -errno;
  if (version_ == Version::one) return 0;
  // A limit on the number of processes applies to the new group, too. When memory is limited, no group is made (place.cpp).
  const std::string file = folder_.substr(0, folder_.rfind('/')) + "/pids.max";
  if (const std::string most = read_text(file); !most.empty()) write_text(folder_ + "/pids.max", most);
  return 0;
}

int Group::limit(std::uint64_t disk, const Limits& limits) const {
  const std::string number = number_of(disk);
  if (version_ == Version::two)
    return write_text(folder_ + "/io.max",
                      fmt::format("{} rbps={} wbps={}", number, text_of(limits.read_bytes_per_s),
                                  text_of(limits.write_bytes_per_s)));
  const int error = write_text(folder_ + kReads, fmt::format("{} {}", number, limits.read_bytes_per_s));
  return error != 0 ? error
                    : write_text(folder_ + kWrites, fmt::format("{} {}", number, limits.write_bytes_per_s));
}

std::map<std::uint64_t, Limits> Group::limits() const {
  if (version_ == Version::two) return pairs_in<Limits>(read_text(folder_ + "/io.max"), "rbps", "wbps");
  std::map<std::uint64_t, Limits> found;
  for (const auto& [disk, limit] : numbers_in(read_text(folder_ + kReads)))
    found[disk].read_bytes_per_s = limit;
  for (const auto& [disk, limit] : numbers_in(read_text(folder_ + kWrites)))
    found[disk].write_bytes_per_s = limit;
  return found;
}

void Group::lift() const {
  for (const auto& [disk, limits] : limits()) {
    [[maybe_unused]] const int error = limit(disk, {});
  }
}

std::map<std::uint64_t, Traffic> Group::traffic() const {
  if (version_ == Version::two) return pairs_in<Traffic>(read_text(folder_ + "/io.stat"), "rbytes", "wbytes");
  std::map<std::uint64_t, Traffic> found;
  std::istringstream lines(read_text(folder_ + "/blkio.throttle.io_service_bytes"));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string number;
    std::string kind;
    std::uint64_t bytes = 0;
    if (!(words >> number >> kind >> bytes) || disk_of(number) == 0) continue;
    Traffic& traffic = found[disk_of(number)];
    if (kind == "Read") traffic.read_bytes = bytes;
    if (kind == "Write") traffic.written_bytes = bytes;
  }
  return found;
}

bool Group::has_processes() const {
  return !read_text(folder_ + "/cgroup.procs").empty();
}

std::uint64_t Group::dirty_bytes() const {
  if (version_ == Version::one) return 0;
  std::uint64_t sum = 0;
  std::istringstream lines(read_text(folder_ + "/memory.stat"));
  std::string name;
  std::uint64_t bytes = 0;
  while (lines >> name >> bytes)
    if (name == "file_dirty" || name == "file_writeback") sum += bytes;
  return sum;
}

bool Group::remove() const {
  return rmdir(folder_.c_str()) == 0 || errno == ENOENT;
}

std::string own_name() {
  const auto facts = processes::facts_of(static_cast<std::uint64_t>(getpid()));
  return fmt::format("{}{}-{}", kPrefix, getpid(), facts ? facts->started_at_ns : 0);
}

void clear_left_groups(const Place& place) {
  std::error_code error;
  std::vector<std::string> names;
  for (const auto& one : std::filesystem::directory_iterator(place.folder, error))
    names.push_back(one.path().filename().string());
  for (const std::string& name : names) {
    std::uint64_t pid = 0;
    std::uint64_t started_at_ns = 0;
    if (std::sscanf(name.c_str(), "discnice-%" SCNu64 "-%" SCNu64, &pid,  // NOLINT(cert-err34-c)
                    &started_at_ns) != 2)
      continue;
    const auto facts = processes::facts_of(pid);
    if (facts && facts->started_at_ns == started_at_ns) continue;
    const Group group(place.version, place.folder + "/" + name);
    // When the group still has dirty data, a keeper that did not make the group removes it later. A group without processes and without dirty data is
    // removed.
    if (!group.has_processes() && group.dirty_bytes() == 0) {
      [[maybe_unused]] const bool is_gone = group.remove();
    }
  }
}

}  // namespace discnice::cgroup
