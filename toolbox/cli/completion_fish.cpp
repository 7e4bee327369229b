// SPDX-License-Identifier: MIT
// completion_fish: the script for fish.
#include <fmt/core.h>

#include "toolbox/cli/completion.hpp"

namespace gray::cli {
namespace {

// Prints the sub-command of the line, the number of arguments behind it, and the number of the word at which another program's command line begins (0: none does).
constexpr std::size_t kRequires = 3;  // the length of " -x" and " -r"

constexpr char kState[] = R"sh(function __@ID@_state
    set -l command ''
    set -l count 0
    set -l value no
    set -l place 1
    set -l program 0
    for word in (commandline -opc)[2..]
        set place (math $place + 1)
        if test $program != 0
            test $word = +; and set program 0
            continue
        end
        if test $value = yes
            set value no
            continue
        end
        switch $word
            case --
                if __@ID@_runs "$command"
                    printf '%s\n' "$command" $count (math $place + 1)
                    return
                end
            case '-*'
                __@ID@_takes "$command" $word; and set value yes
                __@ID@_begins "$command" $word; and set program (math $place + 1)
            case '*'
                if test $place = 2; and contains -- $word $__@ID@_commands
                    set command $word
                else if __@ID@_runs "$command"
                    printf '%s\n' "$command" $count $place
                    return
                else
                    set count (math $count + 1)
                end
        end
    end
    printf '%s\n' "$command" $count $program
end
function __@ID@_is # COMMAND [PLACE]: an option, or the argument at that place, is to come
    set -l state (__@ID@_state)
    test "$state[1]" = "$argv[1]"; and test $state[3] = 0; or return 1
    test (count $argv) = 1; or test $state[2] = $argv[2]
end
function __@ID@_is_at_program
    test (__@ID@_state)[3] != 0
end
function __@ID@_is_first
    test (count (commandline -opc)) = 1
end
function __@ID@_program
    set -l words (commandline -opc)
    set -l place (__@ID@_state)[3]
    set -l before
    test $place -le (count $words); and set before (string escape -- $words[$place..])
    complete -C (string join -- ' ' $before (commandline -ct))
end
)sh";

std::string fish_quoted(const std::string& text) {
  std::string words = "'";
  for (const char sign : text) {
    if (sign == '\'' || sign == '\\') words += '\\';
    words += sign;
  }
  return words + "'";
}

// The arguments of `complete` for a value.
std::string action_of(const DescribedValue& value) {
  if (value.name.empty() || value.name == "CMD") return "";
  if (!value.choices.empty()) {
    std::string words;
    for (const std::string& choice : value.choices) words += (words.empty() ? "" : " ") + choice;
    return (value.name == "FILE" ? " -r -F -a " : " -x -a ") + fish_quoted(words);
  }
  if (value.name == "PROGRAM") return " -x -a '(complete -C (commandline -ct))'";
  if (value.name == "FILE" || value.name == "PATH") return " -r -F";
  if (value.name == "DIR") return " -x -a '(__fish_complete_directories)'";
  if (value.name == "VARIABLE") return " -x -a '(set -n)'";
  const std::string lister = lister_of(value.name);
  return lister.empty() ? " -x" : " -x -a " + fish_quoted("(" + lister + ")");
}

std::string names_of(const DescribedOption& option) {
  std::string text;
  for (const std::string& name : option.names) {
    if (name.rfind("--", 0) == 0)
      text += " -l " + name.substr(2);
    else
      text += (name.size() == 2 ? " -s " : " -o ") + name.substr(1);
  }
  return text;
}

void add_command(const DescribedProgram& program, const DescribedCommand& command, std::string& text) {
  const std::string id = identifier_of(program.name);
  const std::string start = fmt::format("complete -c {} -n ", program.name);
  const std::string is_it = fish_quoted(fmt::format("__{}_is {}", id, quoted(command.name)));
  for (const DescribedOption& option : command.options)
    text += fmt::format("{}{}{}{} -d {}\n", start, is_it, names_of(option), action_of(option.value),
                        fish_quoted(option.help));
  if (command.runs_command) text += fmt::format("{}{} -a '(complete -C (commandline -ct))'\n", start, is_it);
  for (std::size_t place = 0; place < command.arguments.size(); ++place) {
    const bool is_rest = command.is_last_repeated && place + 1 == command.arguments.size();
    const std::string at =
        is_rest ? is_it : fish_quoted(fmt::format("__{}_is {} {}", id, quoted(command.name), place));
    const std::string action = action_of(command.arguments[place]);
    // An argument is no option, so no value follows it.
    if (!action.empty()) text += fmt::format("{}{}{}\n", start, at, action.substr(kRequires));
  }
}

std::string case_of(const std::string& function, const std::string& what, const std::string& patterns) {
  std::string text = fmt::format("function __@ID@_{}\n", function);
  if (!patterns.empty())
    text += fmt::format("    switch \"{}\"\n        case{}\n            return 0\n    end\n", what, patterns);
  return text + "    return 1\nend\n";
}

std::string head_of(const DescribedProgram& program) {
  std::string names;
  std::string runners;
  std::string takers;
  std::string beginners;
  for (const DescribedCommand& command : program.commands) {
    if (!command.name.empty()) names += " " + command.name;
    if (command.runs_command) runners += " " + fish_quoted(command.name);
    for (const DescribedOption& option : command.options) {
      if (option.value.name.empty()) continue;
      std::string& list = option.value.name == "CMD" ? beginners : takers;
      for (const std::string& name : option.names) list += " " + fish_quoted(command.name + " " + name);
    }
  }
  return "# SPDX-License-Identifier: MIT\n# @NAME@.fish: completion of @NAME@ for fish, as `@NAME@ "
         "--completion fish` prints it.\n"
         "set -g __@ID@_commands" +
         names + "\n" + case_of("runs", "$argv[1]", runners) + case_of("takes", "$argv[1] $argv[2]", takers) +
         case_of("begins", "$argv[1] $argv[2]", beginners) + kState;
}

}  // namespace

std::string fish_completion(const DescribedProgram& program) {
  const std::string id = identifier_of(program.name);
  std::string text = filled(head_of(program), program.name);
  if (!program.wrapped.empty()) text += fmt::format("complete -c {} -w {}\n", program.name, program.wrapped);
  if (program.wrapped.empty()) text += fmt::format("complete -c {} -f\n", program.name);
  for (const DescribedCommand& command : program.commands)
    if (!command.name.empty())
      text += fmt::format("complete -c {} -n __{}_is_first -a {} -d {}\n", program.name, id, command.name,
                          fish_quoted(command.help));
  for (const DescribedCommand& command : program.commands) add_command(program, command, text);
  return text +
         fmt::format("complete -c {0} -n __{1}_is_at_program -x -a '(__{1}_program)'\n", program.name, id);
}

}  // namespace gray::cli
