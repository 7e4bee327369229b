// SPDX-License-Identifier: MIT
// doctor_text: a diagnosis for a person, within kScreenColumns, and for programs.
#pragma once

#include <cstddef>
#include <string>

#include "tools/discnice/cli/doctor_check.hpp"

namespace discnice::cli {

inline constexpr std::size_t kScreenColumns = 80;

/// Of whom, and where: "discnice 0.1.0 on Linux 6.1, as root".
std::string doctor_text(const Diagnosis& diagnosis, const std::string& heading, bool is_coloured);

/// One JSON object.
std::string doctor_json(const Diagnosis& diagnosis);

}  // namespace discnice::cli
