// SPDX-License-Identifier: MIT
// report: `hddsim status`: the existing emulated disks and their counters.
#pragma once

namespace hddsim {

/// Prints every disk, as text or as one JSON array. Returns the exit status.
int print_status(bool is_json);

}  // namespace hddsim
