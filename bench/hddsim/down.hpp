// SPDX-License-Identifier: MIT
// down: removes an emulated disk in any state: complete, half made, with its server killed, or with its maker killed.
#pragma once

#include <string>

namespace hddsim {

/// Removes every mount, loop device, process and file of the unit. Returns an empty string when nothing of the unit is left, else one line that
/// names the obstacle. With `is_forced` a mount in use is detached, its users see errors from then on, and data that must still be written takes no
/// time.
std::string take_down(const std::string& name, bool is_forced);

}  // namespace hddsim
