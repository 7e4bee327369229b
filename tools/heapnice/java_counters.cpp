// SPDX-License-Identifier: MIT
#include "tools/heapnice/java_counters.hpp"

#include <algorithm>
#include <cstring>
#include <map>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "toolbox/base/fd.hpp"
#include "toolbox/base/units.hpp"

namespace heapnice {
namespace {

constexpr std::size_t kFileBytesMax = 4 * gray::base::kMiB;
constexpr std::uint32_t kEntriesMax = 100'000;
constexpr std::uint64_t kNumberMax =
    std::uint64_t{1} << 56U;  // no heap has more bytes than this, and sums of such numbers do not overflow
constexpr double kLongestNs = 9e18;
constexpr int kSpacesMax = 8;
constexpr int kCollectorsMax = 4;
constexpr std::uint32_t kMagic = 0xc0c0feca;  // the bytes ca fe c0 c0, as a little-endian machine reads them
constexpr std::uint8_t kLowEndFirst = 1;
constexpr std::uint8_t kFormat = 2;
constexpr std::uint8_t kLong = 'J';
constexpr std::uint8_t kByte = 'B';
constexpr char kCapabilities[] =
    "sun.rt.jvmCapabilities";  // a digit each, of which the first one is that of the socket

struct Head {
  std::uint32_t magic;
  std::uint8_t byte_order;
  std::uint8_t major;
  std::uint8_t minor;
  std::uint8_t is_accessible;
  std::uint32_t used_bytes;
  std::uint32_t overflow_bytes;
  std::uint64_t changed;
  std::uint32_t first_entry;
  std::uint32_t entries;
};
static_assert(sizeof(Head) == 32);

struct Entry {
  std::uint32_t length;
  std::uint32_t name_at;
  std::uint32_t vector_length;  // 0: the entry is a single number
  std::uint8_t type;
  std::uint8_t flags;
  std::uint8_t unit;
  std::uint8_t variability;
  std::uint32_t data_at;
};
static_assert(sizeof(Entry) == 20);

using Numbers = std::map<std::string, std::uint64_t, std::less<>>;

template <typename T>
bool read_at(std::string_view bytes, std::size_t place, T& out) {
  if (place > bytes.size() || bytes.size() - place < sizeof out) return false;
  std::memcpy(&out, bytes.data() + place, sizeof out);
  return true;
}

std::optional<Head> head_of(std::string_view bytes) {
  Head head{};
  if (!read_at(bytes, 0, head) || head.magic != kMagic || head.byte_order != kLowEndFirst ||
      head.major != kFormat || head.is_accessible == 0)
    return std::nullopt;
  return head;
}

// Calls `take` with each entry, its bytes and its name.
template <typename Take>
void for_each_entry(std::string_view bytes, const Head& head, const Take& take) {
  std::size_t place = head.first_entry;
  Entry entry{};
  for (std::uint32_t i = 0; i < std::min(head.entries, kEntriesMax) && read_at(bytes, place, entry); ++i) {
    if (entry.length < sizeof entry || entry.length > bytes.size() - place) break;
    const std::string_view whole = bytes.substr(place, entry.length);
    if (entry.name_at < whole.size()) {
      const std::string_view name = whole.substr(entry.name_at);
      take(entry, whole, name.substr(0, name.find('\0')));
    }
    place += entry.length;
  }
}

Numbers read_numbers(std::string_view bytes, const Head& head) {
  Numbers numbers;
  for_each_entry(bytes, head, [&](const Entry& entry, std::string_view whole, std::string_view name) {
    std::uint64_t number = 0;
    if (entry.type == kLong && entry.vector_length == 0 && read_at(whole, entry.data_at, number))
      numbers.emplace(name, std::min(number, kNumberMax));
  });
  return numbers;
}

std::uint64_t number_of(const Numbers& numbers, const std::string& name) {
  const auto found = numbers.find(name);
  return found == numbers.end() ? 0 : found->second;
}

void add_generation(const Numbers& numbers, int number, JavaHeap& heap) {
  const std::string name = "sun.gc.generation." + std::to_string(number);
  const std::uint64_t committed_bytes = number_of(numbers, name + ".capacity");
  std::uint64_t used_bytes = 0;
  for (int space = 0; space < kSpacesMax; ++space)
    used_bytes += number_of(numbers, name + ".space." + std::to_string(space) + ".used");
  if (committed_bytes != 0 || number == 0) {  // the last generation that exists
    heap.old_committed_bytes = committed_bytes;
    heap.old_used_bytes = used_bytes;
  }
  heap.committed_bytes += committed_bytes;
  heap.used_bytes += used_bytes;
}

}  // namespace

std::optional<JavaHeap> parse_counters(std::string_view bytes) {
  const auto head = head_of(bytes);
  if (!head) return std::nullopt;
  const Numbers numbers = read_numbers(bytes, *head);
  const std::uint64_t frequency = number_of(numbers, "sun.os.hrt.frequency");
  if (frequency == 0 || number_of(numbers, "sun.rt.vmInitDoneTime") == 0) return std::nullopt;
  JavaHeap heap;
  for (const int generation : {0, 1}) add_generation(numbers, generation, heap);
  double ticks = 0;
  for (int i = 0; i < kCollectorsMax; ++i) {
    const std::string name = "sun.gc.collector." + std::to_string(i);
    std::uint64_t count = number_of(numbers, name + ".invocations");
    // A collection is counted at its beginning, but the use of the heap after it is written at its end.
    if (count != 0 &&
        number_of(numbers, name + ".lastEntryTime") > number_of(numbers, name + ".lastExitTime"))
      --count;
    heap.collections += count;
    if (i == 1) heap.full_collections = count;
    ticks += static_cast<double>(number_of(numbers, name + ".time"));
  }
  heap.collecting_ns =
      static_cast<std::uint64_t>(std::min(ticks / static_cast<double>(frequency) * 1e9, kLongestNs));
  if (heap.committed_bytes == 0) return std::nullopt;
  return heap;
}

bool does_take_orders(std::string_view bytes) {
  const auto head = head_of(bytes);
  bool does = false;
  if (!head) return false;
  for_each_entry(bytes, *head, [&](const Entry& entry, std::string_view whole, std::string_view name) {
    char first = 0;
    if (name == kCapabilities && entry.type == kByte && entry.vector_length != 0 &&
        read_at(whole, entry.data_at, first))
      does = first == '1';
  });
  return does;
}

std::string counters_path(std::string_view maps, int pid, std::string_view own_number) {
  constexpr std::string_view kFolder = "/hsperfdata_";
  for (std::size_t name = maps.find(kFolder); name != std::string_view::npos;
       name = maps.find(kFolder, name + 1)) {
    const std::size_t line = maps.rfind('\n', name) + 1;
    const std::size_t start = maps.find('/', line);
    const std::size_t end = std::min(maps.find('\n', name), maps.size());
    const std::string_view path = maps.substr(start, end - start);
    if (path.substr(path.rfind('/') + 1) == own_number)
      return "/proc/" + std::to_string(pid) + "/root" + std::string(path);
  }
  return "";
}

std::string read_counters(const std::string& path) {
  const auto file = gray::base::ScopedFd::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  struct stat status {};
  if (!file.is_open() || fstat(file.get(), &status) != 0) return "";
  if (!S_ISREG(status.st_mode) || status.st_uid != geteuid()) return "";
  if (status.st_size <= 0 || static_cast<std::uint64_t>(status.st_size) > kFileBytesMax) return "";
  std::string bytes(static_cast<std::size_t>(status.st_size), '\0');
  const ssize_t length = pread(file.get(), bytes.data(), bytes.size(), 0);
  bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(length, 0)));
  return bytes;
}

}  // namespace heapnice
