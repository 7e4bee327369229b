// SPDX-License-Identifier: MIT
// formatting: the functions of fmt that are no templates, compiled once into our programs.
//
// With fmt's shared library each program would load that of C++ as well, which more than doubles the time it takes to start. This
// file alone sees fmt in its header-only form: there it takes seconds to compile, and nobody else has to. What is not kept here
// a program finds in the shared library, and starts slower; tests/shape/needed_test.sh sees it.
#include <string>

#include <fmt/core.h>

namespace gray::cli {

// Their addresses are taken for that their code is kept.
using FormatText = std::string (*)(fmt::string_view, fmt::format_args);
using PrintText = void (*)(fmt::string_view, fmt::format_args);
extern const FormatText kFormatText;
extern const PrintText kPrintText;
const FormatText kFormatText = &fmt::vformat;
const PrintText kPrintText = &fmt::vprint;

}  // namespace gray::cli
