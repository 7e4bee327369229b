// SPDX-License-Identifier: MIT
// arguments_test: names, options and the command of --exec are told apart, whatever their text.
//
// How: the input is a command line, the output is the three kinds of arguments. Left out: the meaning of the options (tests/cli/gbp_manners_test.sh).
#include "tests/support/catch.hpp"

#include <string>
#include <vector>

#include "tools/gbp/arguments.hpp"

namespace {

using Texts = std::vector<std::string>;

gbp::Arguments split(Texts line) {
  line.insert(line.begin(), "gbp");
  std::vector<char*> pointers;
  for (std::string& word : line) pointers.push_back(word.data());
  return gbp::split_arguments(static_cast<int>(pointers.size()), pointers.data(),
                              [](const std::string& option) { return option == "--order"; });
}

Texts names_of(const gbp::Arguments& arguments) {
  Texts names;
  for (std::size_t i = 0; i < arguments.names.size(); ++i) names.emplace_back(arguments.names[i]);
  return names;
}

}  // namespace

TEST_CASE("the paper's one dash becomes two, and a value stays with its option") {
  const auto arguments = split({"-mem", "a", "--order", "-x", "-order", "b", "-0", "-"});
  CHECK(arguments.options == Texts{"gbp", "--mem", "--order", "-x", "--order", "b", "-0"});
  CHECK(names_of(arguments) == Texts{"a", "-"});
}

TEST_CASE("behind -- everything is a name, a second -- too") {
  const auto arguments = split({"--json", "--", "-mem", "--", "--exec", "[a,b]", ""});
  CHECK(arguments.options == Texts{"gbp", "--json"});
  CHECK(names_of(arguments) == Texts{"-mem", "--", "--exec", "[a,b]", ""});
}

TEST_CASE("the command reaches to its {} +, and names may stand on either side") {
  const auto arguments = split({"a", "--exec", "grep", "-e", "+", "{}", "--", "{}", "+", "--waves", "b"});
  CHECK(arguments.is_exec_ended);
  CHECK(arguments.command == Texts{"grep", "-e", "+", "{}", "--"});
  CHECK(arguments.options == Texts{"gbp", "--waves"});
  CHECK(names_of(arguments) == Texts{"a", "b"});
}

TEST_CASE("a command without its end is told from one with it") {
  CHECK_FALSE(split({"--exec", "grep", "{}"}).is_exec_ended);
  CHECK_FALSE(split({"--exec", "grep", "+"}).is_exec_ended);
  CHECK_FALSE(split({"--exec"}).is_exec_ended);
  CHECK(split({"--exec", "{}", "+"}).command.empty());
}
