// SPDX-License-Identifier: MIT
// emit: prints the ordered names, for xargs, for a shell, or for a program.
#pragma once

#include <cstdint>

#include "tools/gbp/order.hpp"

namespace gbp {

enum class Format {
  lines,       // one name a line, byte for byte
  nul_ended,   // each name ended by NUL, for xargs -0
  json_lines,  // one JSON object a line
};

/// The backend's name on the command line and in JSON; "none" for what is none.
const char* backend_name(std::uint32_t backend);

/// Whether a person's terminal gets what is printed: then names are printed so that it takes no part of them for a command. For programs
/// they are byte for byte.
bool is_terminal_output();

/// Writes all files in their order to stdout. Errors show when the stream is closed.
void emit(const OrderedFiles& files, Format format);

}  // namespace gbp
