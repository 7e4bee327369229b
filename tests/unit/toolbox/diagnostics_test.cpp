// SPDX-License-Identifier: MIT
// diagnostics_test: the text that a person sees on stderr when something is wrong.
//
// How: each message is written in a child process whose stderr is a pipe, so that the real descriptor and the
// real write(2) are tested. Left out: a stderr that cannot be written, where nothing can be observed.
#include "toolbox/cli/diagnostics.hpp"

#include <cerrno>
#include <string>

#include "tests/support/catch.hpp"
#include "tests/unit/toolbox/captured_child.hpp"

using namespace gray::cli;

TEST_CASE("a warning is one line that starts with the program's name", "[cli]") {
  const auto child = run_captured([] {
    set_program_name("/usr/bin/prog");
    warn("{}: {}", "file", error_text(-ENOENT));
    return 0;
  });
  CHECK(child.stderr_text == "prog: file: No such file or directory\n");
  CHECK(child.stdout_text.empty());
}

TEST_CASE("a message stays one line whatever the file's name holds", "[cli]") {
  const auto child = run_captured([] {
    set_program_name("prog");
    warn("{}", "a\nb\tc\x1b[31m\n");
    return 0;
  });
  CHECK(child.stderr_text == "prog: a\\nb\\tc\\x1b[31m\n");
}

TEST_CASE("a usage error names the way to the help on the same line and exits 2", "[cli]") {
  const auto child = run_captured([] {
    set_program_name("prog");
    return fail_usage("unknown policy '{}'", "fast");
  });
  CHECK(child.exit_status == 2);
  CHECK(child.stderr_text == "prog: unknown policy 'fast'. Try 'prog --help' for more information.\n");
}

TEST_CASE("a usage error of a sub-command points to that one's help", "[cli]") {
  const auto child = run_captured([] {
    set_program_name("prog");
    set_subcommand_name("doctor");
    return fail_usage("x");
  });
  CHECK(child.stderr_text == "prog: x. Try 'prog doctor --help' for more information.\n");
}

TEST_CASE("fail returns the status it was given", "[cli]") {
  const auto child = run_captured([] { return fail(kExitNotFound, "no such program"); });
  CHECK(child.exit_status == 127);
}

TEST_CASE("a message keeps errno", "[cli]") {
  const auto child = run_captured([] {
    errno = ENOTTY;
    warn("x");
    return errno == ENOTTY ? 0 : 9;
  });
  CHECK(child.exit_status == 0);
}

TEST_CASE("a message clears the progress line that stands on the terminal, once", "[cli]") {
  const auto child = run_captured([] {
    set_program_name("prog");
    set_progress_line_shown(true);
    warn("first");
    warn("second");
    return 0;
  });
  CHECK(child.stderr_text == "\r\033[Kprog: first\nprog: second\n");
}

TEST_CASE("an empty or missing argv[0] leaves the name alone", "[cli]") {
  const auto child = run_captured([] {
    set_program_name("prog");
    set_program_name(nullptr);
    set_program_name("");
    set_program_name("dir/");
    warn("x");
    return 0;
  });
  CHECK(child.stderr_text == "prog: x\n");
}

TEST_CASE("escaping is reversible: a backslash is doubled and UTF-8 passes", "[cli]") {
  CHECK(escape_controls("a\\n\n\x7f\xc3\xa4") == "a\\\\n\\n\\x7f\xc3\xa4");
}

TEST_CASE("nothing that a terminal could take for a command passes, in whichever encoding", "[cli]") {
  CHECK(printable("a\x1b]0;title\x07") == "a\\x1b]0;title\\x07");
  CHECK(printable("\xc2\x9b"
                  "2J") == "\\xc2\\x9b2J");  // CSI as a character in UTF-8
  CHECK(printable("\x9b"
                  "2J") == "\\x9b2J");  // CSI as one byte
  CHECK(printable("\xff\xc3") == "\\xff\\xc3");
  CHECK(printable("\xc2\xa0\xe2\x82\xac\xf0\x9f\x98\x80\\") == "\xc2\xa0\xe2\x82\xac\xf0\x9f\x98\x80\\");
}
