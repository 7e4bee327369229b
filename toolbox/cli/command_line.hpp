// SPDX-License-Identifier: MIT
// command_line: defines and reads the options of a program.
//
// --help and --version go to stdout and end with success; anything wrong is one line on stderr and ends with
// kExitUsage. CLI11 does it, and command_line.cpp alone includes its header: each file that does takes a compiler
// ten times as long as one that does not.
//
//   int main(int argc, char** argv) {
//     gray::cli::set_program_name(argv[0]);
//     gray::cli::CommandLine line{"what it does", "its name"};
//     line.add_option("--dir", directory, "a folder").type_name("PATH");
//     if (const auto status = gray::cli::parse(line, argc, argv)) return *status;
//     return gray::cli::close_stdout(run());
//   }
//
// What an option fills must outlive the parse, and keeps its content where the option is not given. A wrong definition
// throws what CLI11 throws, being a mistake of ours.
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

/// One option, while it is defined; each function hands on the same one.
class Option {
 public:
  Option(CLI::Option* option, DefinitionNotes* notes) : option_(option), notes_(notes) {}
  Option type_name(const std::string& name);  ///< what --help calls its value
  Option required();
  Option one_of(const std::vector<std::string>& values);
  Option excludes(Option other);
  Option shows_default();  ///< --help says what it is now
  /// Of an option with many values: it may be given again, and takes one value each time. --help shows that by dots.
  Option one_value_each();
  Option one_value_each_without_dots();
  /// What a shell offers for its value, where what --help calls it does not tell (description.hpp), or none of `choices` is checked.
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
  /// `take` gets the value and returns what is wrong with it, or an empty text.
  Option add_option(const std::string& name, std::function<std::string(const std::string&)> take,
                    const std::string& help);
  Command add_subcommand(const std::string& name, const std::string& help);
  void at_most_one_subcommand();
  void footer(const std::string& text);
  /// --help lists these options below `title`. A name that no option has is a mistake of ours, and throws.
  void group(const std::string& title, std::initializer_list<const char*> names);
  void usage(
      const std::string& line);  ///< stands in --help instead of the one that is made up of the options
  void prefix_command();         ///< from the first word that is no option all is left alone
  /// For completion alone: another way to write an option that is defined already.
  void also_written(const std::string& option, const std::string& other);
  /// For completion alone: an argument that the program reads by itself; more of them may follow.
  void takes_more(const std::string& value_name);
  void refuse_empty_values();  ///< of the options that are defined so far

  [[nodiscard]] bool is_given() const;        ///< of a sub-command
  [[nodiscard]] bool has_subcommand() const;  ///< whether one was given
  [[nodiscard]] std::vector<std::string> remaining() const;
  /// "there is no option '--rat'; perhaps --rate is meant", the latter where one of the options is close to that word.
  [[nodiscard]] std::string unknown_option(const std::string& word) const;

 protected:
  [[nodiscard]] CLI::App& app() const { return *app_; }
  [[nodiscard]] const DefinitionNotes& notes() const { return *notes_; }

 private:
  CLI::App* app_;
  DefinitionNotes* notes_;
};

/// A program's, or that of one of its sub-commands with a main() of its own.
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

/// Adds --version and parses. Returns nothing when the program shall go on, else the status it shall end with at
/// once: stdout is then already written and checked. `--completion SHELL` alone prints the script for that shell (completion.hpp).
std::optional<int> parse(CommandLine& line, int argc, const char* const* argv);

/// After parse() of a prefix_command(): the command that follows the options, without a "--" before it. A word that looks like an option
/// and is none, before a "--", is a wrong command line: the status to end with is returned.
std::optional<int> take_command(const CommandLine& line, int argc, const char* const* argv,
                                std::vector<std::string>& command);

/// Calls the main() of a sub-command, whose parse() then describes its command line and has it end at once. Not thread-safe.
DescribedCommand describe(const std::string& name, int (*main)(int argc, char** argv));

}  // namespace gray::cli
