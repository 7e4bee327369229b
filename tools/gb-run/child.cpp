// SPDX-License-Identifier: MIT
#include "tools/gb-run/child.hpp"

#include <algorithm>
#include <cstdlib>

#include "libgray/src/os/shared_os.hpp"
#include "toolbox/cli/child.hpp"

namespace gb_run {
namespace {

// The pauses between checks of the command are short at first, because a starting program then takes its granted memory. They grow later.
constexpr std::uint64_t kFollowFirstNs = 10'000'000;
constexpr std::uint64_t kFollowLastNs = 500'000'000;

}  // namespace

int run_child(const std::vector<std::string>& command, const std::vector<std::string>& variables,
              std::uint64_t bytes, const std::function<void(std::uint64_t)>& follow, Usage& usage) {
  for (const std::string& name : variables) setenv(name.c_str(), std::to_string(bytes).c_str(), 1);
  std::uint64_t seen_bytes = 0;
  std::uint64_t file_bytes = 0;
  std::uint64_t pause_ns = kFollowFirstNs;
  const gray::cli::ChildEnd end = gray::cli::run_child(command, [&](pid_t child) {
    const gray::os::TreeMemory now = gray::os::memory_of_tree(static_cast<std::uint32_t>(child));
    seen_bytes = std::max(seen_bytes, now.own_bytes);
    file_bytes = std::max(file_bytes, now.file_bytes_max);
    follow(now.own_bytes);
    const gray::cli::ChildPause pause{pause_ns, -1};
    pause_ns = std::min(2 * pause_ns, kFollowLastNs);
    return pause;
  });
  usage.has_run = end.has_run;
  // A short program may end before it was checked at its largest size. So the kernel's peak of resident memory is used as well. Mapped file pages are
  // subtracted, because they are not the program's own memory.
  usage.peak_bytes =
      std::max(seen_bytes, end.resident_peak_bytes - std::min(end.resident_peak_bytes, file_bytes));
  return end.status;
}

}  // namespace gb_run
