// SPDX-License-Identifier: MIT
// report: `hddsim status`: the emulated disks there are and what they have done.
#pragma once

namespace hddsim {

/// Prints every unit, as text or as one JSON array. The status to end with.
int print_status(bool is_json);

}  // namespace hddsim
