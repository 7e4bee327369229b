// SPDX-License-Identifier: MIT
// page: the whole HTML page of a report: pictures, sentences and the table of all values. It needs nothing from elsewhere.
#pragma once

#include <string>

#include "toolbox/repo/repository.hpp"

namespace microbench {

/// The host's values, and those of one device ("" where there is none). Pure but for the repository's content.
std::string make_page(const gray::repo::Repository& repository, const std::string& device);

}  // namespace microbench
