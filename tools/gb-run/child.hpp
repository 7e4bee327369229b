// SPDX-License-Identifier: MIT
// child: starts the command and waits for it. Meanwhile its claim shrinks to the memory that it may still take.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace gb_run {

/// How much memory the kernel counted as the command's own while it ran, as far as it was seen.
struct Usage {
  bool has_run = false;
  std::uint64_t peak_bytes = 0;
};

/// Runs the command with these variables set to `bytes`, as toolbox/cli/child does. `follow` is called from time to time with the memory of the command and all its descendants.
/// Returns the exit status: the command's own, 128 plus the signal that killed it, or 125 to 127 after saying why it could not be started.
int run_child(const std::vector<std::string>& command, const std::vector<std::string>& variables,
              std::uint64_t bytes, const std::function<void(std::uint64_t)>& follow, Usage& usage);

}  // namespace gb_run
