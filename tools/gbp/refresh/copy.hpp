// SPDX-License-Identifier: MIT
// copy: the data of a file, holes as holes, and whether a copy is one.
#pragma once

#include <cstdint>
#include <string>

namespace gbp::refresh_parts {

/// Copies all data; `to` is empty. Returns what went wrong, or an empty text.
std::string copy_data(int from, int to, std::uint64_t bytes);

/// Compares byte for byte where `from` has data, and that `to` has none elsewhere. Returns what differs, or an empty text.
std::string compare_data(int from, int to, std::uint64_t bytes);

}  // namespace gbp::refresh_parts
