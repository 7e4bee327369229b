// SPDX-License-Identifier: MIT
// report: reports on the run, as a line for people or as JSON.
#pragma once

#include <cstdint>
#include <string>

#include "tools/memnice/holder.hpp"

namespace memnice {

/// Pure.
std::string line_of(const Course& course, const std::string& means, std::uint64_t time_ns);
std::string json_of(const Course& course, const std::string& means, std::uint64_t time_ns);

}  // namespace memnice
