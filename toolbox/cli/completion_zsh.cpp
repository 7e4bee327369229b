// SPDX-License-Identifier: MIT
// completion_zsh: the script for zsh's completion system (zshcompsys(1)), with a function for each sub-command.
#include <fmt/core.h>

#include <set>

#include "toolbox/cli/completion.hpp"

namespace gray::cli {
namespace {

std::string escaped(const std::string& text, const std::string& signs) {
  std::string with;
  for (const char sign : text) {
    if (signs.find(sign) != std::string::npos || sign == '\\') with += '\\';
    with += sign;
  }
  return with;
}

std::string lower(std::string name) {
  for (char& sign : name) sign = static_cast<char>(sign >= 'A' && sign <= 'Z' ? sign - 'A' + 'a' : sign);
  return name;
}

// The part behind the colon in an argument of _arguments: a message, a colon, and the action that finds the words.
std::string action_of(const DescribedValue& value, const std::string& id) {
  const std::string message = escaped(lower(value.name), ":");
  if (!value.choices.empty()) {
    std::string words;
    for (const std::string& choice : value.choices) words += (words.empty() ? "" : " ") + choice;
    if (value.name != "FILE") return fmt::format("{}:({})", message, words);
    return fmt::format("{}:{{_alternative \"words:word:({})\" \"files:file:_files\"}}", message, words);
  }
  if (value.name == "FILE" || value.name == "PATH") return message + ":_files";
  if (value.name == "DIR") return message + ":_files -/";
  if (value.name == "VARIABLE") return message + ":_parameters";
  if (value.name == "PROGRAM") return message + ": _command_names -e";
  if (value.name == "CMD") return "program: _command_names -e:*(\\;|+)::argument: _normal";
  return lister_of(value.name).empty() ? message + ": " : fmt::format("{}:_{}_{}", message, id, message);
}

std::string spec_of(const DescribedOption& option, const std::string& name, const std::string& id) {
  std::string others;
  if (!option.may_repeat && option.names.size() > 1)
    for (const std::string& one : option.names) others += (others.empty() ? "" : " ") + one;
  std::string mark;
  if (!option.value.name.empty() && option.value.name != "CMD")
    mark = name.rfind("--", 0) == 0 ? "=" : name.size() == 2 ? "+" : "";
  const std::string value = option.value.name.empty() ? "" : ":" + action_of(option.value, id);
  return fmt::format("{}{}{}{}[{}]{}", option.may_repeat ? "*" : "", others.empty() ? "" : "(" + others + ")",
                     name, mark, escaped(option.help, "[]:"), value);
}

std::string first_of(const std::string& id) {
  return fmt::format(
      "_{0}_first() {{\n"
      "  local -a first\n"
      "  ((CURRENT != 2)) || first=('commands:command:_{0}_commands')\n"
      "  _alternative $first 'programs:program:_command_names -e'\n}}\n",
      id);
}

std::string arguments_of(const DescribedProgram& program, const DescribedCommand& command,
                         const std::string& id) {
  std::string text;
  const auto add = [&text](const std::string& spec) { text += " \\\n    " + quoted(spec); };
  for (const DescribedOption& option : command.options)
    for (const std::string& name : option.names) add(spec_of(option, name, id));
  const bool has_commands = command.name.empty() && program.commands.size() > 1;
  if (command.runs_command) {
    add(has_commands ? fmt::format("(-)1:command:_{}_first", id) : "(-)1:program: _command_names -e");
    add("*::argument: _normal");
    return text;
  }
  if (has_commands) add(fmt::format("1:command:_{}_commands", id));
  for (const DescribedValue& argument : command.arguments) {
    const bool is_rest = command.is_last_repeated && &argument == &command.arguments.back();
    add((is_rest ? "*:" : ":") + action_of(argument, id));
  }
  return text;
}

void add_listers(const DescribedProgram& program, const std::string& id, std::string& text) {
  std::set<std::string> names;
  for (const DescribedCommand& command : program.commands) {
    for (const DescribedOption& option : command.options) names.insert(option.value.name);
    for (const DescribedValue& argument : command.arguments) names.insert(argument.name);
  }
  for (const std::string& name : names) {
    const std::string lister = lister_of(name);
    if (lister.empty()) continue;
    text += fmt::format("_{}_{}() {{\n", id, lower(name));
    text += fmt::format(
        "  local -a found=(${{(f)\"$({})\"}})\n  found=(${{found//:/\\\\:}})\n  "
        "found=(${{found/$'\\t'/:}})\n",
        lister);
    text += fmt::format("  _describe -t {}s {} found\n}}\n", lower(name), lower(name));
  }
}

void add_commands(const DescribedProgram& program, const std::string& id, std::string& text) {
  text += fmt::format("_{}_commands() {{\n  local -a commands=(\n", id);
  for (const DescribedCommand& command : program.commands)
    if (!command.name.empty())
      text += "    " + quoted(command.name + ":" + escaped(command.help, ":")) + "\n";
  text += "  )\n  _describe -t commands command commands\n}\n";
  text += first_of(id);
  for (const DescribedCommand& command : program.commands)
    if (!command.name.empty())
      text += fmt::format("_{}-{}() {{\n  _arguments -S{}\n}}\n", id, command.name,
                          arguments_of(program, command, id));
}

}  // namespace

std::string zsh_completion(const DescribedProgram& program) {
  const std::string id = identifier_of(program.name);
  const bool has_commands = program.commands.size() > 1;
  std::string text = fmt::format(
      "#compdef {0}\n# SPDX-License-Identifier: MIT\n# _{0}: completion of {0} for zsh, as `{0} --completion "
      "zsh` prints it.\n",
      program.name);
  add_listers(program, id, text);
  if (has_commands) add_commands(program, id, text);
  text += fmt::format("_{}() {{\n", id);
  if (!program.wrapped.empty())
    text += fmt::format(
        "  if (( $+functions[_{0}] )) && [[ $words[CURRENT] != --s* ]]; then\n    words[1]={0} service={0} "
        "_{0}\n    return\n  fi\n",
        program.wrapped);
  if (has_commands)
    text += fmt::format(
        "  if ((CURRENT > 2)) && (($+functions[_{0}-$words[2]])); then\n"
        "    local command=$words[2]\n    shift words\n    ((CURRENT--))\n    _{0}-$command\n    return\n  "
        "fi\n",
        id);
  text += fmt::format("  _arguments -S{}\n}}\n_{} \"$@\"\n",
                      arguments_of(program, program.commands.front(), id), id);
  return text;
}

}  // namespace gray::cli
