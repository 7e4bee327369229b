// SPDX-License-Identifier: MIT
// daemon_config: the configuration of discnice-policyd: lines of "option = value".
//
//   total = 50M       # the rate of all sharing jobs together; without it, the largest --rate among them
//   tick  = 100ms     # how often the daemon divides
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

/// Bounds of the tick: short enough for the heartbeat, and long enough that dividing takes little time.
inline constexpr std::uint64_t kTickMinNs = 10'000'000;
inline constexpr std::uint64_t kTickMaxNs = 500'000'000;

/// Reads a text of such lines. `path` is used in the error messages. Pure.
DaemonConfig parse_daemon_config(const std::string& text, const std::string& path);

/// Same as parse_daemon_config(), but reads the text from a file. A missing file counts as empty, and is a problem when
/// `must_exist`.
DaemonConfig load_daemon_config(const std::string& path, bool must_exist);

}  // namespace discnice::policyd
