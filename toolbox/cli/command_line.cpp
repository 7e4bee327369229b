// SPDX-License-Identifier: MIT
#include "toolbox/cli/command_line.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <utility>

#include "toolbox/cli/completion.hpp"
#include "toolbox/cli/diagnostics.hpp"
#include "toolbox/cli/options.hpp"
#include "toolbox/cli/spelling.hpp"

namespace gray::cli {

// Facts about options that CLI11 does not keep, or does not give out.
struct DefinitionNotes {
  std::map<const CLI::Option*, DescribedValue> values;
  std::map<std::string, std::vector<std::string>> others;  // of an option's long name
  std::string more;
  bool runs_command = false;
};

struct CommandLine::Owned {
  Owned(const std::string& what_it_does, const std::string& name) : app(what_it_does, name) {}
  CLI::App app;
  DefinitionNotes notes;
};

namespace {

// CLI11 makes the usage line from the options, and has no means to show a command that follows them.
class FixedUsage : public CLI::Formatter {
 public:
  explicit FixedUsage(std::string line) : line_(std::move(line)) {}
  std::string make_usage(const CLI::App* /*app*/, std::string /*name*/) const override {
    return line_ + "\n";
  }

 private:
  std::string line_;
};

// Set while describe() runs.
DescribedCommand* described_command = nullptr;

std::string help_name(const CLI::Option& option) {
  if (option.get_positional()) return option.get_name(true);
  const std::string type = option.get_type_name();  // CLI11 appends the checks of a value to the type name
  return type.empty() ? "VALUE" : type.substr(0, type.find(':'));
}

// The value that follows an option, or an argument.
DescribedValue value_of(const CLI::Option& option, const DefinitionNotes& notes) {
  const auto noted = notes.values.find(&option);
  DescribedValue value = noted == notes.values.end() ? DescribedValue{} : noted->second;
  const bool is_flag = option.get_items_expected_max() == 0;
  if (value.name.empty() && !is_flag) value.name = help_name(option);
  return value;
}

DescribedOption described_option(const CLI::Option& option, const DefinitionNotes& notes) {
  DescribedOption one;
  for (const std::string& name : option.get_snames()) one.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) {
    one.names.push_back("--" + name);
    const auto others = notes.others.find("--" + name);
    if (others != notes.others.end())
      one.names.insert(one.names.end(), others->second.begin(), others->second.end());
  }
  one.value = value_of(option, notes);
  one.help = option.get_description();
  one.may_repeat = option.get_items_expected_max() > 1;
  return one;
}

// One line that says which error CLI11 found, without the program's name.
std::string explain(const CLI::ParseError& error) {
  std::string text = error.what();
  // CLI11 names the unexpected arguments after a colon; the words before the colon are long, and are in the singular or the plural.
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    const std::size_t colon = text.find(": ");
    if (colon != std::string::npos) return "unexpected argument: " + text.substr(colon + 2);
  }
  for (char& c : text) {
    if (c == '\n') c = ' ';
  }
  return text;
}

// When the value of an option was forgotten, CLI11 would take the "--" that ends the options for this value. A report was once written to a file
// of that name.
CLI::Option* needing_value(CLI::Option* option) {
  if (option->get_positional()) return option;
  return option->check([](const std::string& value) {
    return value == "--" ? std::string("the value is missing: '--' ends the options") : std::string();
  });
}

}  // namespace

Option Option::type_name(const std::string& name) {
  option_->type_name(name);
  return *this;
}

Option Option::required() {
  option_->required();
  return *this;
}

Option Option::one_of(const std::vector<std::string>& values) {
  option_->check(CLI::IsMember(values).description(""));  // --help names them in the sentence
  notes_->values[option_].choices = values;
  return *this;
}

Option Option::excludes(Option other) {
  option_->excludes(other.option_);
  return *this;
}

Option Option::shows_default() {
  option_->capture_default_str();
  return *this;
}

Option Option::one_value_each() {
  option_->allow_extra_args(false);
  return *this;
}

Option Option::one_value_each_without_dots() {
  option_->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  return *this;
}

Option Option::completed_by(const std::string& value_name, const std::vector<std::string>& choices) {
  notes_->values[option_] = {value_name, choices};
  return *this;
}

Option Command::add_flag(const std::string& name, bool& target, const std::string& help) {
  return {app_->add_flag(name, target, help), notes_};
}

Option Command::add_flag(const std::string& name, const std::string& help) {
  return {app_->add_flag_callback(
              name, [] {}, help),
          notes_};
}

Option Command::add_option(const std::string& name, std::string& target, const std::string& help) {
  return {needing_value(app_->add_option(name, target, help)), notes_};
}

Option Command::add_option(const std::string& name, std::vector<std::string>& target,
                           const std::string& help) {
  return {needing_value(app_->add_option(name, target, help)), notes_};
}

Option Command::add_option(const std::string& name, std::function<std::string(const std::string&)> take,
                           const std::string& help) {
  // CLI11 shows the long name in its errors, so the message names the option.
  const auto read = [name, take = std::move(take)](const std::string& text) {
    const std::string problem = take(text);
    if (!problem.empty()) throw CLI::ValidationError(name.substr(name.rfind(',') + 1), problem);
  };
  return {needing_value(app_->add_option_function<std::string>(name, read, help)), notes_};
}

Command Command::add_subcommand(const std::string& name, const std::string& help) {
  return {app_->add_subcommand(name, help), notes_};
}

void Command::at_most_one_subcommand() {
  app_->require_subcommand(0, 1);
}

void Command::footer(const std::string& text) {
  app_->footer(text);
}

void Command::group(const std::string& title, std::initializer_list<const char*> names) {
  for (const char* name : names) app_->get_option(name)->group(title);
}

void Command::usage(const std::string& line) {
  app_->formatter(std::make_shared<FixedUsage>(line));
}

void Command::prefix_command() {
  app_->prefix_command();
  notes_->runs_command = true;
}

void Command::also_written(const std::string& option, const std::string& other) {
  notes_->others[option].push_back(other);
}

void Command::takes_more(const std::string& value_name) {
  notes_->more = value_name;
}

void Command::refuse_empty_values() {
  for (CLI::Option* option : app_->get_options()) {
    if (option->get_type_size() == 0) continue;  // a flag
    option->check([](const std::string& value) {
      return value.empty() ? std::string("the value is empty") : std::string();
    });
  }
}

bool Command::is_given() const {
  return app_->parsed();
}

bool Command::has_subcommand() const {
  return !app_->get_subcommands().empty();
}

std::vector<std::string> Command::remaining() const {
  return app_->remaining();
}

std::string Command::unknown_option(const std::string& word) const {
  std::vector<std::string> names;
  for (const CLI::Option* option : app_->get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back(name);
  }
  const std::string name = word.substr(0, word.find('='));
  const std::string closest =
      closest_word(name.substr(std::min(name.find_first_not_of('-'), name.size())), names);
  return fmt::format("there is no option '{}'{}", word,
                     closest.empty() ? "" : fmt::format("; perhaps --{} is meant", closest));
}

CommandLine::CommandLine(const std::string& what_it_does, const std::string& name)
    : CommandLine(std::make_shared<Owned>(what_it_does, name)) {}

CommandLine::CommandLine(std::shared_ptr<Owned> owned)
    : Command(&owned->app, &owned->notes), owned_(std::move(owned)) {}

DescribedCommand CommandLine::described() const {
  DescribedCommand command;
  command.help = app().get_description();
  command.runs_command = notes().runs_command;
  for (const CLI::Option* option : app().get_options()) {
    if (!option->get_positional()) {
      command.options.push_back(described_option(*option, notes()));
      continue;
    }
    command.arguments.push_back(value_of(*option, notes()));
    command.is_last_repeated = option->get_items_expected_max() > 1;
  }
  if (!notes().more.empty()) {
    command.arguments.push_back({notes().more});
    command.is_last_repeated = true;
  }
  return command;
}

std::optional<int> parse(CommandLine& line, int argc, const char* const* argv) {
  CLI::App& app = line.app();
  app.set_version_flag("--version", version_text(), "Print the version and exit");
  if (described_command != nullptr) {
    *described_command = line.described();
    return kExitSuccess;
  }
  if (is_completion_asked(argc, argv)) return print_completion({program_name(), {line.described()}}, argv[2]);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return print_and_close(app.help());
  } catch (const CLI::CallForAllHelp&) {
    return print_and_close(app.help("", CLI::AppFormatMode::All));
  } catch (const CLI::CallForVersion&) {
    return print_and_close(version_text() + "\n");
  } catch (const CLI::ExtrasError& error) {
    const std::vector<std::string> rest = app.remaining();
    const bool is_option = !rest.empty() && rest.front().size() > 1 && rest.front().front() == '-';
    return fail_usage_text(is_option ? line.unknown_option(escape_controls(rest.front())) : explain(error));
  } catch (const CLI::ParseError& error) {
    return fail_usage_text(explain(error));
  }
  return std::nullopt;
}

std::optional<int> take_command(const CommandLine& line, int argc, const char* const* argv,
                                std::vector<std::string>& command) {
  command = line.remaining();
  if (command.empty()) return std::nullopt;
  // CLI11 leaves unknown words to the command, also a misspelt option before the "--".
  const std::string first = command[0];
  const int place = argc - static_cast<int>(command.size());
  const bool follows_dashes = place > 0 && std::string(argv[place - 1]) == "--";
  if (first == "--" && !follows_dashes) {
    command.erase(command.begin());
  } else if (first.size() > 1 && first[0] == '-' && !follows_dashes) {
    return fail_usage_text(line.unknown_option(escape_controls(first)));
  }
  return std::nullopt;
}

DescribedCommand describe(const std::string& name, int (*main)(int argc, char** argv)) {
  DescribedCommand command;
  std::string word = name;
  char* arguments[] = {word.data(), nullptr};
  described_command = &command;
  main(1, arguments);
  described_command = nullptr;
  command.name = name;
  return command;
}

}  // namespace gray::cli
