// SPDX-License-Identifier: MIT
// report: what was moved and held, as one line and as JSON.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/netnice/engine/engine.hpp"

namespace netnice {

/// The result is empty when there is nothing to tell.
std::string line_of(const Engine& engine);
/// A whole JSON document that ends with a newline.
std::string json_of(const Engine& engine, const std::vector<std::string>& command, std::uint64_t time_ns,
                    int status);

}  // namespace netnice
