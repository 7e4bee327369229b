// SPDX-License-Identifier: MIT
#include "toolbox/cli/completion.hpp"

#include <cstring>
#include <utility>

#include "toolbox/cli/diagnostics.hpp"
#include "toolbox/cli/options.hpp"

namespace gray::cli {

bool is_completion_asked(int argc, const char* const* argv) {
  constexpr int kWords = 3;
  return argc == kWords && std::strcmp(argv[1], "--completion") == 0;
}

int print_completion(const DescribedProgram& program, const std::string& shell) {
  if (shell == "bash") return print_and_close(bash_completion(program));
  if (shell == "zsh") return print_and_close(zsh_completion(program));
  if (shell == "fish") return print_and_close(fish_completion(program));
  return fail_usage("--completion: there is none for '{}': choose of bash, zsh, fish", shell);
}

std::string lister_of(const std::string& value_name) {
  if (value_name == "JOB")
    return "discnice status -o JOB,COMMAND 2>/dev/null | awk 'NR > 1 { print $1 \"\\t\" $2 }'";
  if (value_name == "PROCESS") return "ps -eo pid=,comm= | awk '{ print $1 \"\\t\" $2 }'";
  if (value_name == "KEY")
    return "microbench show -o KEY 2>/dev/null | awk 'NR > 1 && !seen[$1]++ { print $1 \"\\t\" }'";
  if (value_name == "WHAT")
    return "microbench list -o NAME,MEASURES 2>/dev/null | awk 'NR > 1 { name = $1; sub(/^[^ ]+ +/, \"\"); "
           "print name \"\\t\" $0 }'";
  return "";
}

std::string identifier_of(const std::string& program) {
  std::string name = program;
  for (char& sign : name)
    if (sign == '-') sign = '_';
  return name;
}

std::string filled(std::string text, const std::string& program) {
  const std::pair<std::string, std::string> marks[] = {{"@ID@", identifier_of(program)}, {"@NAME@", program}};
  for (const auto& [mark, word] : marks) {
    for (auto at = text.find(mark); at != std::string::npos; at = text.find(mark, at + word.size()))
      text.replace(at, mark.size(), word);
  }
  return text;
}

std::string quoted(const std::string& text) {
  std::string words = "'";
  for (const char sign : text) words += sign == '\'' ? std::string("'\\''") : std::string(1, sign);
  return words + "'";
}

}  // namespace gray::cli
