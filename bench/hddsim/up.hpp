// SPDX-License-Identifier: MIT
// up: makes an emulated disk: backing file, FUSE server, loop device, file system and mount.
#pragma once

#include <string>

#include "bench/hddsim/unit.hpp"

namespace hddsim {

/// The facts that a person needs about a unit that is up.
struct UnitUp {
  std::string problem;  ///< Empty, or one line that says what is wrong; then nothing of the unit is left.
  std::string loop_device;
  std::string mount_folder;  ///< Empty without a file system.
};

/// Makes the unit. The file system is made in the backing file, before the requests of the emulated disk take time.
UnitUp bring_up(const UnitRequest& request);

}  // namespace hddsim
