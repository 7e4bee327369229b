// SPDX-License-Identifier: MIT
#include "tools/heapnice/process_tree.hpp"

#include <algorithm>
#include <charconv>
#include <string>

#include "libgray/src/os/memory_os.hpp"

namespace heapnice {
namespace {

constexpr std::size_t kProcessesMax = 256;

// Only children of the main thread are found. A JVM is started by a shell or a launcher, which has no other thread.
void add_children(int pid, std::vector<int>& all) {
  const std::string name = std::to_string(pid);
  std::string text;
  if (gray::os::read_text("/proc/" + name + "/task/" + name + "/children", text) != 0) return;
  const char* place = text.data();
  const char* end = text.data() + text.size();
  while (place < end && all.size() < kProcessesMax) {
    int child = 0;
    const auto [stop, error] = std::from_chars(place, end, child);
    if (error == std::errc{}) all.push_back(child);
    place = stop + 1;
  }
}

}  // namespace

std::vector<int> processes_below(int pid) {
  std::vector<int> all{pid};
  for (std::size_t i = 0; i < all.size(); ++i) add_children(all[i], all);
  return all;
}

std::string last_status_word(int pid, const std::string& key) {
  std::string text;
  gray::os::read_text("/proc/" + std::to_string(pid) + "/status", text);
  const std::size_t place = text.find("\n" + key + ":");
  if (place == std::string::npos) return "";
  const std::size_t end = std::min(text.find('\n', place + 1), text.size());
  const std::size_t start = text.find_last_of(" \t", end - 1) + 1;
  return text.substr(start, end - start);
}

}  // namespace heapnice
