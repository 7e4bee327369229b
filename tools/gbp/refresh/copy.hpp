// SPDX-License-Identifier: MIT
// copy: copies the data of a file, with its holes, and checks copies.
#pragma once

#include <cstdint>
#include <string>

namespace gbp::refresh_parts {

/// Copies all data; `to` is empty. Returns what went wrong, or an empty text.
std::string copy_data(int from, int to, std::uint64_t bytes);

/// Compares byte for byte where `from` has data, and checks that `to` has no data elsewhere. Returns what differs, or an empty text.
std::string compare_data(int from, int to, std::uint64_t bytes);

}  // namespace gbp::refresh_parts
