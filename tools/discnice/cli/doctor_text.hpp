// SPDX-License-Identifier: MIT
// doctor_text: writes a diagnosis as text of kScreenColumns columns for a person, and as JSON for programs.
#pragma once

#include <cstddef>
#include <string>

#include "tools/discnice/cli/doctor_check.hpp"

namespace discnice::cli {

inline constexpr std::size_t kScreenColumns = 80;

/// `heading` says on which kernel and as which user the checks ran: "discnice on Linux 6.1, as root".
std::string doctor_text(const Diagnosis& diagnosis, const std::string& heading, bool is_coloured);

/// Returns one JSON object.
std::string doctor_json(const Diagnosis& diagnosis);

}  // namespace discnice::cli
