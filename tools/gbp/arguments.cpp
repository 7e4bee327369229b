// SPDX-License-Identifier: MIT
#include "tools/gbp/arguments.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace gbp {
namespace {

// The paper's options have one dash. A parser would read "-mem" as three short options.
constexpr const char* kOneDash[] = {"-mem",   "-file",  "-compose", "-out",     "-align", "-refresh",
                                    "-exec",  "-waves", "-ranges",  "-unsort",  "-plan",  "-verify",
                                    "-order", "-apply", "-resume",  "-rollback"};

std::string with_two_dashes(const char* argument) {
  const bool is_one = std::any_of(std::begin(kOneDash), std::end(kOneDash),
                                  [argument](const char* word) { return std::strcmp(word, argument) == 0; });
  return is_one ? std::string("-") + argument : std::string(argument);
}

// Takes the words up to {} +; returns the index of the last word taken.
int take_command(int argc, char** argv, int begin, Arguments& arguments) {
  arguments.has_exec = true;
  for (int i = begin; i < argc; ++i) {
    if (std::strcmp(argv[i], "+") == 0 && !arguments.command.empty() && arguments.command.back() == "{}") {
      arguments.command.pop_back();
      arguments.is_exec_ended = true;
      return i;
    }
    arguments.command.emplace_back(argv[i]);
  }
  return argc;
}

}  // namespace

std::vector<std::string> one_dash_options() {
  return {std::begin(kOneDash), std::end(kOneDash)};
}

Arguments split_arguments(int argc, char** argv, bool (*takes_value)(const std::string& option)) {
  Arguments arguments;
  bool are_only_names = false;
  for (int i = 0; i < argc; ++i) {
    if (i == 0) {
      arguments.options.emplace_back(argv[i]);
    } else if (are_only_names || argv[i][0] != '-' || argv[i][1] == '\0') {
      arguments.names.add(argv[i]);
    } else if (std::strcmp(argv[i], "--") == 0) {
      are_only_names = true;
    } else {
      const std::string option = with_two_dashes(argv[i]);
      if (option == "--exec") {
        i = take_command(argc, argv, i + 1, arguments);
        continue;
      }
      arguments.options.push_back(option);
      if (takes_value(option) && i + 1 < argc) arguments.options.emplace_back(argv[++i]);
    }
  }
  return arguments;
}

}  // namespace gbp
