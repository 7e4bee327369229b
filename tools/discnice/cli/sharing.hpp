// SPDX-License-Identifier: MIT
// sharing: divides one rate among the jobs that share it, and lends each its part.
#pragma once

#include "tools/discnice/protocol/layout.hpp"

namespace discnice::cli {

/// For a job of policy `share`: divides its rate among all of this user's jobs with that policy that use the disk now, and lends it
/// its part. Every launcher does this for its own job, and they come to the same answer. Nothing for other policies, and nothing while a
/// daemon lends.
void lend_share(protocol::Segment& segment);

/// The daemon's part: divides `total_bytes_per_s` (0: the largest rate among them) among all sharing jobs, as root everybody's.
void lend_to_all(std::uint64_t total_bytes_per_s);

}  // namespace discnice::cli
