// SPDX-License-Identifier: MIT
// child: starts the command and waits for it. Meanwhile its claim is reduced to the memory that the command may still take.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace gb_run {

/// The command's own memory by the kernel's count, as far as it was seen.
struct Usage {
  bool has_run = false;
  std::uint64_t peak_bytes = 0;
};

/// Runs the command with these variables set to `bytes`, as toolbox/cli/child does. `follow` is called from time to time with the memory that the command and all its descendants
/// hold. Returns the exit status: the command's own; 128 plus the signal that killed it; or 125 to 127 after a message why it could not be started.
int run_child(const std::vector<std::string>& command, const std::vector<std::string>& variables,
              std::uint64_t bytes, const std::function<void(std::uint64_t)>& follow, Usage& usage);

}  // namespace gb_run
