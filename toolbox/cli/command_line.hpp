// SPDX-License-Identifier: MIT
// command_line: defines and reads the options of a program.
//
// --help and --version go to stdout and end with success; a wrong command line gives one line on stderr, and ends with kExitUsage. CLI11 does the parsing. Only command_line.cpp
// includes the header of CLI11: a file that includes it takes ten times as long to compile.
//
//   int main(int argc, char** argv) {
//     gray::cli::set_program_name(argv[0]);
//     gray::cli::CommandLine line{"what it does", "its name"};
//     line.add_option("--dir", directory, "a folder").type_name("PATH");
//     if (const auto status = gray::cli::parse(line, argc, argv)) return *status;
//     return gray::cli::close_stdout(run());
//   }
//
// The variable that an option fills must outlive the parse. It keeps its content when the option is not given. A wrong definition is a programming error. It
// throws the exception of CLI11.
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "toolbox/cli/description.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace gray::cli {

struct DefinitionNotes;

/// One option, while it is defined. Each function returns the same option.
class Option {
 public:
  Option(CLI::Option* option, DefinitionNotes* notes) : option_(option), notes_(notes) {}
  Option type_name(const std::string& name);  ///< the name of the value in --help
  Option required();
  Option one_of(const std::vector<std::string>& values);
  Option excludes(Option other);
  Option shows_default();  ///< --help shows the present value
  /// For an option with many values: it may be given again, and takes one value each time. --help shows that by dots.
  Option one_value_each();
  Option one_value_each_without_dots();
  /// The words that a shell offers for the value. Needed when the name of the value in --help does not tell them (description.hpp), or when the value is one of
  /// `choices` but the program does not check it.
  Option completed_by(const std::string& value_name, const std::vector<std::string>& choices = {});

 private:
  CLI::Option* option_;
  DefinitionNotes* notes_;
};

/// A command or sub-command, while it is defined and after it was read.
class Command {
 public:
  Command(CLI::App* app, DefinitionNotes* notes) : app_(app), notes_(notes) {}
  Option add_flag(const std::string& name, bool& target, const std::string& help);
  Option add_flag(const std::string& name, const std::string& help);  ///< for --help alone
  Option add_option(const std::string& name, std::string& target, const std::string& help);
  Option add_option(const std::string& name, std::vector<std::string>& target, const std::string& help);
  /// `take` gets the value. It returns an empty text, or an error text about the value.
  Option add_option(const std::string& name, std::function<std::string(const std::string&)> take,
                    const std::string& help);
  Command add_subcommand(const std::string& name, const std::string& help);
  void at_most_one_subcommand();
  void footer(const std::string& text);
  /// --help lists these options below `title`. A name that no option has is a programming error, and throws.
  void group(const std::string& title, std::initializer_list<const char*> names);
  void usage(const std::string& line);  ///< replaces the usage line that CLI11 makes from the options
  void prefix_command();                ///< parsing stops at the first word that is no option
  /// Used only for completion: another way to write an option that is defined already.
  void also_written(const std::string& option, const std::string& other);
  /// Used only for completion: an argument that the program reads by itself. It may be given several times.
  void takes_more(const std::string& value_name);
  void refuse_empty_values();  ///< for the options that are defined so far

  [[nodiscard]] bool is_given() const;        ///< whether this sub-command was given
  [[nodiscard]] bool has_subcommand() const;  ///< whether a sub-command was given
  [[nodiscard]] std::vector<std::string> remaining() const;
  /// "there is no option '--rat'; perhaps --rate is meant", with the second part only where an option is close to that word.
  [[nodiscard]] std::string unknown_option(const std::string& word) const;

 protected:
  [[nodiscard]] CLI::App& app() const { return *app_; }
  [[nodiscard]] const DefinitionNotes& notes() const { return *notes_; }

 private:
  CLI::App* app_;
  DefinitionNotes* notes_;
};

/// The command line of a program, or of a sub-command with a main() of its own.
class CommandLine : public Command {
 public:
  CommandLine(const std::string& what_it_does, const std::string& name);
  explicit CommandLine(const std::string& what_it_does) : CommandLine(what_it_does, "") {}
  friend std::optional<int> parse(CommandLine& line, int argc, const char* const* argv);

 private:
  struct Owned;
  explicit CommandLine(std::shared_ptr<Owned> owned);
  [[nodiscard]] DescribedCommand described() const;
  std::shared_ptr<Owned> owned_;
};

/// Adds --version and parses. Returns nothing when the program should continue. Otherwise it returns the status with which the program should end at once. In
/// that case stdout is already written and checked. `--completion SHELL` alone prints the script for that shell (completion.hpp).
std::optional<int> parse(CommandLine& line, int argc, const char* const* argv);

/// To be called after parse(), when prefix_command() was called on that command line. Gives the command that follows the options, without a "--" before it. If
/// a word before a "--" begins like an option and is no option, the command line is wrong, and the exit status is returned.
std::optional<int> take_command(const CommandLine& line, int argc, const char* const* argv,
                                std::vector<std::string>& command);

/// Calls the main() of a sub-command. The sub-command's parse() then describes its command line and makes main() return at once. Not thread-safe.
DescribedCommand describe(const std::string& name, int (*main)(int argc, char** argv));

}  // namespace gray::cli
