// SPDX-License-Identifier: MIT
// emit: prints the ordered names, for xargs, for a shell, or for a program.
#pragma once

#include <cstdint>

#include "tools/gbp/order.hpp"

namespace gbp {

enum class Format {
  lines,       // one name on each line, byte for byte
  nul_ended,   // each name ended by NUL, for xargs -0
  json_lines,  // one JSON object on each line
};

/// The backend's name on the command line and in JSON; "none" for a number that is no backend.
const char* backend_name(std::uint32_t backend);

/// Whether stdout is a terminal. For a terminal, names are escaped, so that the terminal takes no part of them for a command. For programs names are printed
/// byte for byte.
bool is_terminal_output();

/// Writes all files in their order to stdout. Write errors are reported when the stream is closed.
void emit(const OrderedFiles& files, Format format);

}  // namespace gbp
