// SPDX-License-Identifier: MIT
// command_line: defines and reads the options of a program.
//
// --help and --version go to stdout and end with success; anything wrong is one line on stderr and ends with
// kExitUsage. CLI11 does this. Only command_line.cpp includes its header, because a file that includes it takes ten times as long to compile.
//
//   int main(int argc, char** argv) {
//     gray::cli::set_program_name(argv[0]);
//     gray::cli::CommandLine line{"what it does", "its name"};
//     line.add_option("--dir", directory, "a folder").type_name("PATH");
//     if (const auto status = gray::cli::parse(line, argc, argv)) return *status;
//     return gray::cli::close_stdout(run());
//   }
//
// The variable that an option fills must outlive the parse. It keeps its content if the option is not given. A wrong definition throws an exception of CLI11, because it is a
// mistake of the program.
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
  Option type_name(const std::string& name);  ///< what --help calls its value
  Option required();
  Option one_of(const std::vector<std::string>& values);
  Option excludes(Option other);
  Option shows_default();  ///< --help says what it is now
  /// For an option with many values: the option may be given again, and takes one value each time. --help shows this by dots.
  Option one_value_each();
  Option one_value_each_without_dots();
  /// What a shell offers for the value, if the name of the value in --help is not enough (description.hpp). The value is not checked against `choices`.
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
  /// `take` gets the value. It returns an empty text, or what is wrong with the value.
  Option add_option(const std::string& name, std::function<std::string(const std::string&)> take,
                    const std::string& help);
  Command add_subcommand(const std::string& name, const std::string& help);
  void at_most_one_subcommand();
  void footer(const std::string& text);
  /// --help lists these options below `title`. A name that no option has is a mistake of the program, and throws.
  void group(const std::string& title, std::initializer_list<const char*> names);
  void usage(
      const std::string& line);  ///< stands in --help instead of the one that is made up of the options
  void prefix_command();         ///< from the first word that is no option all is left alone
  /// For completion alone: another way to write an option that is already defined.
  void also_written(const std::string& option, const std::string& other);
  /// For completion alone: an argument that the program reads by itself. More of them may follow.
  void takes_more(const std::string& value_name);
  void refuse_empty_values();  ///< of the options that are defined so far

  [[nodiscard]] bool is_given() const;        ///< of a sub-command
  [[nodiscard]] bool has_subcommand() const;  ///< whether one was given
  [[nodiscard]] std::vector<std::string> remaining() const;
  /// The text "there is no option '--rat'; perhaps --rate is meant". The second part is added if one of the options is similar to the word.
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

/// Adds --version and parses. Returns nothing if the program must go on. Otherwise returns the status with which it must end at once; stdout is then already written and checked.
/// `--completion SHELL` alone prints the script for that shell (completion.hpp).
std::optional<int> parse(CommandLine& line, int argc, const char* const* argv);

/// For use after parse() of a prefix_command(): the command that follows the options, without a "--" before it. If a word before a "--" looks like an option and is none, the
/// command line is wrong: then the exit status is returned.
std::optional<int> take_command(const CommandLine& line, int argc, const char* const* argv,
                                std::vector<std::string>& command);

/// Calls the main() of a sub-command. Its parse() then describes the command line and makes it end at once. Not thread-safe.
DescribedCommand describe(const std::string& name, int (*main)(int argc, char** argv));

}  // namespace gray::cli
