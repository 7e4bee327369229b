// SPDX-License-Identifier: MIT
// child: starts the command and waits for it, while its claim follows what it still may take.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace gb_run {

/// Runs the command with these variables set to `bytes`. SIGTERM and SIGHUP are handed on to it; what the
/// terminal sends reaches it anyway. `follow` is called with its process id now and then. Returns the status to end
/// with: its own, 128 and the signal that killed it, or 125 to 127 after saying why it could not be started.
int run_child(const std::vector<std::string>& command, const std::vector<std::string>& variables,
              std::uint64_t bytes, const std::function<void(std::uint32_t)>& follow);

}  // namespace gb_run
