// SPDX-License-Identifier: MIT
// page: the whole HTML page of a report: the known facts about a host and one of its disks, in pictures, sentences and a table of all values.
#pragma once

#include <string>

#include "toolbox/repo/repository.hpp"

namespace microbench {

/// The host and disk of the page.
struct Place {
  std::string device;     ///< As of toolbox/repo/device_identity; "" where there is none.
  std::string directory;  ///< As it was named: the commands that the page tells of name it, too.
};

/// The host's values, and those of one disk. What was not measured has no picture: one line says which command measures it. Pure but for the
/// repository's content.
std::string make_page(const gray::repo::Repository& repository, const Place& place);

}  // namespace microbench
