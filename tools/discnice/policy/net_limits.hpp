// SPDX-License-Identifier: MIT
// net_limits: the limits of a job on the network, which it has in addition to the limits on the disk, as text and in a grant.
//
// Words with blanks or commas between them: `off`, or any of `nice` (it gives way to others), a rate for each way (1M), `up=RATE` and `down=RATE`.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tools/discnice/contract/grant.hpp"

namespace discnice::policy {

struct NetLimits {
  bool gives_way = false;
  std::uint64_t up_bytes_per_s = 0;    // 0: no rate
  std::uint64_t down_bytes_per_s = 0;  // the same

  [[nodiscard]] bool is_any() const { return gives_way || up_bytes_per_s != 0 || down_bytes_per_s != 0; }
  bool operator==(const NetLimits&) const = default;
};

/// False when the text has no such limit. Pure.
bool parse_net_limits(const char* text, std::size_t length, NetLimits* limits);

NetLimits net_limits_of(const Grant& grant);
void set_net_limits(Grant& grant, const NetLimits& limits);

}  // namespace discnice::policy
