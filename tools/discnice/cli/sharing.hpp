// SPDX-License-Identifier: MIT
// sharing: divides one rate among the jobs that share it, and lends each its part.
#pragma once

#include "tools/discnice/protocol/layout.hpp"

namespace discnice::cli {

/// For a job of policy `share`: divides its rate among all of this user's jobs with that policy that use the disk now, and lends it
/// its part. Every launcher does this for its own job, and they come to the same answer; a daemon does it for all. Nothing for other
/// policies, and nothing while a daemon lends.
void lend_share(protocol::Segment& segment, bool is_daemon);

}  // namespace discnice::cli
