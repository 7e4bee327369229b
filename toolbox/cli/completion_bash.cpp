// SPDX-License-Identifier: MIT
// completion_bash: the script for bash. The script needs only bash. If bash-completion is installed, it completes the command that a program runs.
#include <fmt/core.h>

#include <map>

#include "toolbox/cli/completion.hpp"

namespace gray::cli {
namespace {

constexpr char kHead[] = R"sh(# SPDX-License-Identifier: MIT
# @NAME@.bash: completion of @NAME@ for bash, as `@NAME@ --completion bash` prints it.
)sh";

// KIND is the output of _ID_value: "files" (with or without additional words), folders, programs, variables, "words ...", "list ...", or text.
constexpr char kTail[] = R"sh(
_@ID@_complete() { # KIND CURRENT
  local kind=$1 current=$2
  case $kind in
    files*) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -W "${kind#files}" -- "$current") ;;
    folders) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$current") ;;
    programs) mapfile -t COMPREPLY < <(compgen -c -- "$current") ;;
    variables) mapfile -t COMPREPLY < <(compgen -v -- "$current") ;;
    words\ *) mapfile -t COMPREPLY < <(compgen -W "${kind#words }" -- "$current") ;;
    list\ *) mapfile -t COMPREPLY < <(compgen -W "$(_@ID@_list "${kind#list }" | cut -f 1)" -- "$current") ;;
  esac
}

_@ID@_program() { # PLACE: another program's command line begins there
  if declare -F _command_offset >/dev/null; then
    _command_offset "$1"
  elif declare -F _comp_command_offset >/dev/null; then
    _comp_command_offset "$1"
  elif ((COMP_CWORD == $1)); then
    _@ID@_complete programs "${COMP_WORDS[COMP_CWORD]}"
  else
    _@ID@_complete files "${COMP_WORDS[COMP_CWORD]}"
  fi
}

_@ID@() {
  local current=${COMP_WORDS[COMP_CWORD]} command='' REPLY='' word dashes=0 program=0 count=0 i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if [[ $REPLY == command ]]; then
      ((program)) || program=$i
      [[ $word != + ]] || { REPLY='' && program=0; }
    elif [[ -n $REPLY ]]; then
      [[ $word == = ]] || REPLY=''
    elif ((i == 1)) && _@ID@_is_command "$word"; then
      command=$word
    elif [[ $word == -- ]] && ((!dashes)); then
      dashes=1
      ! _@ID@_runs "$command" || { program=$((i + 1)) && break; }
    elif [[ $word == -?* ]] && ((!dashes)); then
      _@ID@_value "$command" "$word"
    elif _@ID@_runs "$command"; then
      program=$i && break
    else
      ((++count))
    fi
  done
  [[ $REPLY != command ]] || { ((program)) || program=$COMP_CWORD; }
  if ((program)); then
    _@ID@_program "$program"
    return
  fi
  [[ $current != = ]] || current=''
  if [[ -z $REPLY ]]; then
    if [[ $current == -* ]] && ((!dashes)); then
      _@ID@_options "$command"
    else
      _@ID@_argument "$command" "$count"
      if ((COMP_CWORD == 1)) && [[ -n $_@ID@_commands ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$_@ID@_commands" -- "$current")
        local -a first=("${COMPREPLY[@]}")
        _@ID@_complete "$REPLY" "$current"
        COMPREPLY=("${first[@]}" "${COMPREPLY[@]}")
        return
      fi
    fi
  fi
  _@ID@_complete "$REPLY" "$current"
}
complete -F _@ID@ @NAME@
)sh";

std::string kind_of(const DescribedValue& value) {
  if (value.name.empty()) return "";
  if (!value.choices.empty()) {
    std::string words = value.name == "FILE" ? "files" : "words";
    for (const std::string& choice : value.choices) words += " " + choice;
    return words;
  }
  if (value.name == "FILE" || value.name == "PATH") return "files";
  if (value.name == "DIR") return "folders";
  if (value.name == "CMD") return "command";
  if (value.name == "VARIABLE") return "variables";
  if (value.name == "PROGRAM") return "programs";
  return lister_of(value.name).empty() ? "text" : "list " + value.name;
}

// One case for each kind of value, because many options have the same kind.
std::string values_of(const DescribedProgram& program) {
  std::map<std::string, std::string> patterns;
  for (const DescribedCommand& command : program.commands) {
    for (const DescribedOption& option : command.options) {
      const std::string kind = kind_of(option.value);
      if (kind.empty()) continue;
      for (const std::string& name : option.names)
        patterns[kind] += (patterns[kind].empty() ? "" : " | ") + quoted(command.name + " " + name);
    }
  }
  std::string text = "_@ID@_value() { # COMMAND OPTION\n  case \"$1 $2\" in\n";
  for (const auto& [kind, pattern] : patterns)
    text += fmt::format("    {}) REPLY={} ;;\n", pattern, quoted(kind));
  return text + "    *) REPLY='' ;;\n  esac\n}\n";
}

std::string options_of(const DescribedProgram& program) {
  const std::string wrapped =
      program.wrapped.empty()
          ? ""
          : fmt::format(
                "REPLY+=\" $({} --help 2>/dev/null | grep -oE -e '--[a-z-]+' | sort -u | tr '\\n' ' ')\"",
                program.wrapped);
  std::string text = "_@ID@_options() { # COMMAND\n  case $1 in\n";
  for (const DescribedCommand& command : program.commands) {
    std::string words = "words";
    for (const DescribedOption& option : command.options)
      for (const std::string& name : option.names) words += " " + name;
    text += fmt::format("    {}) REPLY={} ;;\n", quoted(command.name), quoted(words));
  }
  return text + "  esac\n" + (wrapped.empty() ? "" : "  " + wrapped + "\n") + "}\n";
}

std::string arguments_of(const DescribedProgram& program) {
  std::string text = "_@ID@_argument() { # COMMAND PLACE\n  case \"$1 $2\" in\n";
  for (const DescribedCommand& command : program.commands) {
    if (command.runs_command) text += fmt::format("    {}*) REPLY=programs ;;\n", quoted(command.name + " "));
    for (std::size_t place = 0; place < command.arguments.size(); ++place) {
      const bool is_rest = command.is_last_repeated && place + 1 == command.arguments.size();
      const std::string at =
          is_rest ? quoted(command.name + " ") + "*" : quoted(fmt::format("{} {}", command.name, place));
      text += fmt::format("    {}) REPLY={} ;;\n", at, quoted(kind_of(command.arguments[place])));
    }
  }
  return text + "    *) REPLY='' ;;\n  esac\n}\n";
}

std::string lists_of(const DescribedProgram& program) {
  std::map<std::string, std::string> listers;
  const auto note = [&](const DescribedValue& value) {
    const std::string lister = lister_of(value.name);
    if (!lister.empty()) listers[value.name] = lister;
  };
  for (const DescribedCommand& command : program.commands) {
    for (const DescribedOption& option : command.options) note(option.value);
    for (const DescribedValue& argument : command.arguments) note(argument);
  }
  std::string text = "_@ID@_list() { # WHAT\n  case $1 in\n";
  for (const auto& [name, lister] : listers) text += fmt::format("    {}) {} ;;\n", name, lister);
  return text + "    *) ;;\n  esac\n}\n";
}

std::string commands_of(const DescribedProgram& program) {
  std::string names;
  std::string runners;
  for (const DescribedCommand& command : program.commands) {
    if (!command.name.empty()) names += (names.empty() ? "" : " ") + command.name;
    if (command.runs_command) runners += (runners.empty() ? "" : " | ") + quoted(command.name);
  }
  const std::string runs =
      runners.empty() ? "false" : fmt::format("case $1 in {}) true ;; *) false ;; esac", runners);
  return fmt::format(
      "_@ID@_commands={}\n_@ID@_is_command() {{ [[ \" $_@ID@_commands \" == *\" $1 \"* ]]; }}\n_@ID@_runs() "
      "{{ {}; }}\n",
      quoted(names), runs);
}

}  // namespace

std::string bash_completion(const DescribedProgram& program) {
  return filled(kHead + commands_of(program) + values_of(program) + options_of(program) +
                    arguments_of(program) + lists_of(program) + kTail,
                program.name);
}

}  // namespace gray::cli
