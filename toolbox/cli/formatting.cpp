// SPDX-License-Identifier: MIT
// formatting: the functions of fmt that are no templates, compiled once into this project's programs.
//
// With fmt's shared library each program would also load the shared C++ library, which more than doubles its start time. Only this file uses fmt in its
// header-only form: the compiler needs seconds for that. A function that is missing here is taken from the shared library, and the program starts slower;
// tests/shape/needed_test.sh detects that.
#include <string>

#include <fmt/core.h>

namespace gray::cli {

// The addresses are taken so that the compiler keeps the code of these functions.
using FormatText = std::string (*)(fmt::string_view, fmt::format_args);
using PrintText = void (*)(fmt::string_view, fmt::format_args);
extern const FormatText kFormatText;
extern const PrintText kPrintText;
const FormatText kFormatText = &fmt::vformat;
const PrintText kPrintText = &fmt::vprint;

}  // namespace gray::cli
