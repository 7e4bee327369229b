// SPDX-License-Identifier: MIT
#include "tools/heapnice/process_tree.hpp"

#include <charconv>
#include <string>

#include "libgray/src/os/memory_os.hpp"

namespace heapnice {
namespace {

constexpr std::size_t kProcessesMax = 256;

// The children of its main thread: a JVM is started by a shell or a launcher, which has no other thread.
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

}  // namespace heapnice
