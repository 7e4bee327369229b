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

/// The name of the backend on the command line and in JSON; "none" if there is none.
const char* backend_name(std::uint32_t backend);

/// Whether the output goes to a person's terminal: then no part of a name is printed as a command of the terminal. For programs names are printed byte for byte.
bool is_terminal_output();

/// Writes all files in their order to stdout. Errors are reported when the stream is closed.
void emit(const OrderedFiles& files, Format format);

}  // namespace gbp
