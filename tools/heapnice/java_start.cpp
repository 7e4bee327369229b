// SPDX-License-Identifier: MIT
#include "tools/heapnice/java_start.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "toolbox/base/units.hpp"
#include "tools/heapnice/runtime.hpp"

namespace heapnice {
namespace {

constexpr int kReleaseWithSteps = 9;  // has ShrinkHeapInSteps
constexpr const char* kVariables[] = {"JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS", "JAVA_OPTS",
                                      "MAVEN_OPTS"};

bool has_word(const JavaStart& start, const std::string& beginning) {
  return std::any_of(start.words.begin(), start.words.end(),
                     [&](const std::string& word) { return word.starts_with(beginning); });
}

// JAVA_VERSION="17.0.15" in the file that lies in the JDK's folder; "1.8.0_402" is release 8.
int release_beside(const std::string& program) {
  char resolved[4096];
  if (realpath(program.c_str(), resolved) == nullptr) return 0;
  const std::string path = resolved;
  const std::size_t bin = path.rfind("/bin/");
  if (bin == std::string::npos) return 0;
  std::ifstream file(path.substr(0, bin) + "/release");
  constexpr std::string_view kKey = "JAVA_VERSION=\"";
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(kKey)) continue;
    std::size_t place = kKey.size();
    if (line.compare(place, 2, "1.") == 0) place += 2;
    int release = 0;
    std::from_chars(line.data() + place, line.data() + line.size(), release);
    return release;
  }
  return 0;
}

}  // namespace

JavaStart look_at_start(const std::vector<std::string>& command) {
  JavaStart start{command, release_beside(find_program(command[0]))};
  for (const char* name : kVariables) {
    const char* value = std::getenv(name);
    std::istringstream words(value == nullptr ? "" : value);
    for (std::string word; words >> word;) start.words.push_back(word);
  }
  if (start.release == 0) start.release = release_beside(find_program("java"));
  return start;
}

bool has_heap_size(const JavaStart& start) {
  for (const char* beginning : {"-Xmx", "-XX:MaxHeapSize=", "-XX:MaxRAM=", "-XX:MaxRAMPercentage="})
    if (has_word(start, beginning)) return true;
  return false;
}

std::string added_options(const JavaStart& start, std::uint64_t max_bytes) {
  std::string added;
  if (!has_heap_size(start)) added += "-Xmx" + std::to_string(max_bytes / gray::base::kMiB) + "m ";
  if (has_word(start, "-XX:+UseZGC")) {
    if (!has_word(start, "-XX:ZUncommitDelay=")) added += "-XX:ZUncommitDelay=1 ";
  } else if (has_word(start, "-XX:+UseShenandoahGC")) {
    if (!has_word(start, "-XX:ShenandoahUncommitDelay="))
      added += "-XX:+UnlockExperimentalVMOptions -XX:ShenandoahUncommitDelay=1000 ";
  } else if (!has_word(start, "-XX:+UseParallelGC") && start.release >= kReleaseWithSteps) {
    added += "-XX:-ShrinkHeapInSteps ";
    // G1 grows when collections take more than one part in this number plus one of the time. The size of the heap is controlled from here instead.
    if (!has_word(start, "-XX:GCTimeRatio=")) added += "-XX:GCTimeRatio=1 ";
  }
  if (!added.empty()) added.pop_back();
  return added;
}

}  // namespace heapnice
