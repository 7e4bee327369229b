// SPDX-License-Identifier: MIT
// java_counters_test: a JVM's counters are read from its file; any other file gives no counters.
//
// How: the code reads files as HotSpot makes them: whole, cut short at each byte, and with each byte changed. Left out: a real JVM
// (cli/heapnice_test).
#include "tests/support/catch.hpp"

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "tools/heapnice/java_counters.hpp"
#include "tools/heapnice/live_data.hpp"

using namespace heapnice;

namespace {

template <typename T>
void put(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void put_entry(std::string& bytes, const std::string& name, std::uint64_t value) {
  constexpr std::uint32_t kHeadBytes = 20;
  const auto data_at = static_cast<std::uint32_t>((kHeadBytes + name.size() + 1 + 7) / 8 * 8);
  const std::size_t start = bytes.size();
  put(bytes, static_cast<std::uint32_t>(data_at + 8));
  put(bytes, kHeadBytes);
  put(bytes, std::uint32_t{0});
  bytes += std::string("J\0\0\0", 4);
  put(bytes, data_at);
  bytes += name;
  bytes.resize(start + data_at, '\0');
  put(bytes, value);
}

void put_text_entry(std::string& bytes, const std::string& name, const std::string& text) {
  constexpr std::uint32_t kHeadBytes = 20;
  const auto data_at = static_cast<std::uint32_t>(kHeadBytes + name.size() + 1);
  put(bytes, static_cast<std::uint32_t>(data_at + text.size() + 1));
  put(bytes, kHeadBytes);
  put(bytes, static_cast<std::uint32_t>(text.size() + 1));
  bytes += std::string("B\0\0\0", 4);
  put(bytes, data_at);
  bytes.append(name.c_str(), name.size() + 1);
  bytes.append(text.c_str(), text.size() + 1);
}

std::string file_of(const std::vector<std::pair<std::string, std::uint64_t>>& entries,
                    const std::string& capabilities = "") {
  std::string bytes("\xca\xfe\xc0\xc0\x01\x02\x00\x01", 8);
  put(bytes, std::uint32_t{0});
  put(bytes, std::uint32_t{0});
  put(bytes, std::uint64_t{0});
  put(bytes, std::uint32_t{32});
  put(bytes, static_cast<std::uint32_t>(entries.size() + (capabilities.empty() ? 0 : 1)));
  for (const auto& [name, value] : entries) put_entry(bytes, name, value);
  if (!capabilities.empty()) put_text_entry(bytes, "sun.rt.jvmCapabilities", capabilities);
  return bytes;
}

std::string usual_file() {
  return file_of({{"sun.os.hrt.frequency", 1'000'000},
                  {"sun.rt.vmInitDoneTime", 5},
                  {"sun.gc.generation.0.capacity", 300},
                  {"sun.gc.generation.0.space.0.used", 70},
                  {"sun.gc.generation.0.space.1.used", 5},
                  {"sun.gc.generation.1.capacity", 600},
                  {"sun.gc.generation.1.space.0.used", 500},
                  {"sun.gc.collector.0.invocations", 9},
                  {"sun.gc.collector.0.time", 2'000'000},
                  {"sun.gc.collector.1.invocations", 3},
                  {"sun.gc.collector.1.lastEntryTime", 20},
                  {"sun.gc.collector.1.lastExitTime", 10},
                  {"sun.gc.collector.1.time", 500'000}});
}

JavaHeap heap_of(std::uint64_t old_used, std::uint64_t collections, std::uint64_t full) {
  JavaHeap heap;
  heap.old_used_bytes = old_used;
  heap.collections = collections;
  heap.full_collections = full;
  return heap;
}

}  // namespace

TEST_CASE("generations are added up, and a collection counts when it has ended") {
  const auto heap = parse_counters(usual_file());
  REQUIRE(heap);
  CHECK(heap->committed_bytes == 900);
  CHECK(heap->used_bytes == 575);
  CHECK(heap->old_committed_bytes == 600);
  CHECK(heap->old_used_bytes == 500);
  CHECK(heap->full_collections == 2);
  CHECK(heap->collections == 11);
  CHECK(heap->collecting_ns == 2'500'000'000);
}

TEST_CASE("of a heap of one generation that one is the last") {
  const auto heap = parse_counters(file_of({{"sun.os.hrt.frequency", 1},
                                            {"sun.rt.vmInitDoneTime", 5},
                                            {"sun.gc.generation.0.capacity", 300},
                                            {"sun.gc.generation.0.space.0.used", 70}}));
  REQUIRE(heap);
  CHECK(heap->old_used_bytes == 70);
  CHECK(heap->committed_bytes == 300);
}

TEST_CASE("a file that is cut short, changed or another's does no harm") {
  const std::string whole = usual_file();
  for (std::size_t length = 0; length < whole.size(); ++length)
    parse_counters(std::string_view(whole).substr(0, length));
  for (std::size_t place = 0; place < whole.size(); ++place) {
    std::string changed = whole;
    for (const char value : {'\xff', '\x7f', '\x01', '\0'}) {
      changed[place] = value;
      parse_counters(changed);
    }
  }
  CHECK_FALSE(parse_counters(""));
  CHECK_FALSE(parse_counters(std::string(4096, 'x')));
  CHECK_FALSE(parse_counters(file_of({{"sun.os.hrt.frequency", 1}})));
}

TEST_CASE("the file is found by what the process maps, below that process's root") {
  const std::string maps =
      "7f00-7f01 r-xp 00000000 08:01 12 /usr/lib/libc.so.6\n"
      "7f02-7f03 rw-s 00000000 08:01 13                         /tmp/hsperfdata_me/12\n";
  CHECK(counters_path(maps, 345, "12") == "/proc/345/root/tmp/hsperfdata_me/12");
  CHECK(
      counters_path("7f02-7f03 rw-s 00000000 08:01 13 /tmp/hsperfdata_me/12 (deleted)\n", 345, "12").empty());
  CHECK(counters_path("7f00-7f01 r-xp 00000000 08:01 12 /usr/lib/libc.so.6\n", 345, "12").empty());
}

TEST_CASE("the counters of another JVM that a process looks at are not its own") {
  const std::string maps =
      "7f02-7f03 rw-s 00000000 08:01 13 /tmp/hsperfdata_me/12\n"
      "7f04-7f05 rw-s 00000000 08:01 13 /tmp/hsperfdata_me/123\n";
  CHECK(counters_path(maps, 345, "345").empty());
  CHECK(counters_path(maps, 345, "").empty());
  CHECK(counters_path(maps, 345, "123") == "/proc/345/root/tmp/hsperfdata_me/123");
}

TEST_CASE("a JVM takes orders only where its counters say so") {
  CHECK(does_take_orders(file_of({}, "1100")));
  CHECK_FALSE(does_take_orders(file_of({}, "0100")));
  CHECK_FALSE(does_take_orders(file_of({{"sun.rt.jvmCapabilities", '1'}})));  // a number instead of a text
  CHECK_FALSE(does_take_orders(usual_file()));
  CHECK_FALSE(does_take_orders(""));
  const std::string whole = file_of({}, "1100");
  for (std::size_t length = 0; length < whole.size() - sizeof "1100"; ++length)
    CHECK_FALSE(does_take_orders(std::string_view(whole).substr(0, length)));
}

TEST_CASE("what is live is the least that was used since the last full collection, as soon as that is told") {
  LiveData live;
  CHECK(live.bytes() == 0);
  live.take(heap_of(100, 1, 0));
  live.take(heap_of(300, 2, 0));
  CHECK(live.bytes() == 100);
  live.take(heap_of(900, 3, 1));  // the use after a full collection is read at the next call
  CHECK(live.bytes() == 100);
  live.take(heap_of(200, 3, 1));
  CHECK(live.bytes() == 200);
  live.take(heap_of(250, 4, 1));
  CHECK(live.bytes() == 200);
  for (std::uint64_t i = 5; i < 200; ++i) live.take(heap_of(400, i, 1));
  CHECK(live.bytes() == 400);
}
