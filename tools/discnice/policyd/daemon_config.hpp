// SPDX-License-Identifier: MIT
// daemon_config: what discnice-policyd is told: lines of "option = value".
//
//   total = 50M       # what all sharing jobs get together; without it, the largest --rate among them
//   tick  = 100ms     # how often it divides
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace discnice::policyd {

struct DaemonConfig {
  std::uint64_t total_bytes_per_s = 0;
  std::uint64_t tick_ns = 100'000'000;
  std::vector<std::string> problems;  // "FILE:LINE: what is wrong"
};

/// Bounds of the tick: often enough for the heartbeat, not so often that dividing is work.
inline constexpr std::uint64_t kTickMinNs = 10'000'000;
inline constexpr std::uint64_t kTickMaxNs = 500'000'000;

/// Reads a text in that form; `path` is for the problems. Pure.
DaemonConfig parse_daemon_config(const std::string& text, const std::string& path);

/// The same from a file; one that is not there is an empty one, and a problem if it had to be.
DaemonConfig load_daemon_config(const std::string& path, bool must_exist);

}  // namespace discnice::policyd
