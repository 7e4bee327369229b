// SPDX-License-Identifier: MIT
#include "tools/heapnice/java_flags.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>

namespace heapnice {
namespace {

struct CollectorFlag {
  std::string_view flag;
  Collector collector;
  const char* name;
};

constexpr CollectorFlag kCollectors[] = {{"UseSerialGC", Collector::serial, "Serial"},
                                         {"UseParallelGC", Collector::parallel, "Parallel"},
                                         {"UseG1GC", Collector::g1, "G1"},
                                         {"UseZGC", Collector::z, "ZGC"},
                                         {"UseShenandoahGC", Collector::shenandoah, "Shenandoah"}};

struct Flag {
  std::string_view value;
  bool is_manageable = false;
};

// A line is "   bool UseG1GC    = true    {product} {ergonomic}".
Flag find_flag(std::string_view text, std::string_view name) {
  for (std::size_t place = text.find(name); place != std::string_view::npos;
       place = text.find(name, place + 1)) {
    const std::size_t end = place + name.size();
    const bool is_word = place > 0 && text[place - 1] == ' ' && end < text.size() && text[end] == ' ';
    if (!is_word) continue;
    std::string_view line = text.substr(end, text.find('\n', end) - end);
    const std::size_t value = line.find_first_not_of(" :=");
    if (value == std::string_view::npos) return {};
    const bool is_manageable = line.find("{manageable}") != std::string_view::npos;
    line.remove_prefix(value);
    return {line.substr(0, line.find(' ')), is_manageable};
  }
  return {};
}

std::uint64_t number_of(const Flag& flag) {
  std::uint64_t number = 0;
  std::from_chars(flag.value.data(), flag.value.data() + flag.value.size(), number);
  return number;
}

}  // namespace

JavaFlags parse_flags(std::string_view text) {
  JavaFlags flags;
  for (const CollectorFlag& one : kCollectors)
    if (find_flag(text, one.flag).value == "true") flags.collector = one.collector;
  flags.max_heap_bytes = number_of(find_flag(text, "MaxHeapSize"));
  if (flags.collector == Collector::serial) {
    const auto ratio = static_cast<double>(number_of(find_flag(text, "NewRatio")));
    flags.old_share = ratio / (ratio + 1);
  }
  flags.is_soft_max_manageable = find_flag(text, "SoftMaxHeapSize").is_manageable;
  flags.are_ratios_manageable =
      find_flag(text, "MinHeapFreeRatio").is_manageable && find_flag(text, "MaxHeapFreeRatio").is_manageable;
  flags.is_explicit_disabled = find_flag(text, "DisableExplicitGC").value == "true";
  return flags;
}

const char* name_of(Collector collector) {
  const auto* found = std::find_if(std::begin(kCollectors), std::end(kCollectors),
                                   [&](const CollectorFlag& one) { return one.collector == collector; });
  return found == std::end(kCollectors) ? "unknown" : found->name;
}

}  // namespace heapnice
