// SPDX-License-Identifier: MIT
// completion: scripts by which bash, zsh and fish complete a program's command line.
#pragma once

#include <string>

#include "toolbox/cli/description.hpp"

namespace gray::cli {

/// Pure.
std::string bash_completion(const DescribedProgram& program);
std::string zsh_completion(const DescribedProgram& program);
std::string fish_completion(const DescribedProgram& program);

/// Whether the command line is `PROGRAM --completion SHELL`.
bool is_completion_asked(int argc, const char* const* argv);

/// Prints the script for that shell. Returns the status to end with.
[[nodiscard]] int print_completion(const DescribedProgram& program, const std::string& shell);

/// The part of completion that the three shells have in common: which command prints the possible values, one line "WORD<tab>what it is" for each. Empty if only the shell knows
/// the values. Pure.
std::string lister_of(const std::string& value_name);

/// A name for the functions of a shell script, such as "gb_run". Pure.
std::string identifier_of(const std::string& program);

/// The text with @ID@ and @NAME@ replaced by identifier_of() and the program's name. Pure.
std::string filled(std::string text, const std::string& program);

/// The text in single quotes, as bash and zsh read it. Pure.
std::string quoted(const std::string& text);

}  // namespace gray::cli
