// SPDX-License-Identifier: MIT
// page: the whole HTML page of a report about a host and one of its disks, with pictures, sentences and a table of all values.
#pragma once

#include <string>

#include "toolbox/repo/repository.hpp"

namespace microbench {

/// The disk that the page describes.
struct Place {
  std::string device;     ///< A name of toolbox/repo/device_identity; "" if there is none.
  std::string directory;  ///< The directory as the user named it, for the commands that the page shows.
};

/// Makes the page with the host's values and those of one disk. Values that were not measured have no picture; one line says which command measures them. Pure except for the
/// repository's content.
std::string make_page(const gray::repo::Repository& repository, const Place& place);

}  // namespace microbench
