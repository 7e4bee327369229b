// SPDX-License-Identifier: MIT
// progress_test: when the progress line appears, how often it is drawn, and that the line is removed at the end.
//
// How: a pipe replaces the terminal, and instants are given. Left out: how a real terminal shows the sequences.
#include "toolbox/cli/progress.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <string>

#include "tests/support/catch.hpp"

using namespace gray::cli;

namespace {

constexpr std::uint64_t kMillisecondNs = 1'000'000;

struct Pipe {
  Pipe() { REQUIRE(pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0); }
  ~Pipe() {
    close(ends[0]);
    close(ends[1]);
  }
  std::string read_all() {
    char buffer[4096];
    const ssize_t count = read(ends[0], buffer, sizeof buffer);
    return count > 0 ? std::string(buffer, static_cast<std::size_t>(count)) : "";
  }
  int ends[2];
};

}  // namespace

TEST_CASE("short work shows no progress line", "[cli]") {
  Pipe terminal;
  {
    Progress progress("probing", 10, terminal.ends[1], true, 0);
    progress.set_at(9, 499 * kMillisecondNs);
  }
  CHECK(terminal.read_all().empty());
}

TEST_CASE("long work shows a line, redraws it no faster than its rate and clears it at the end", "[cli]") {
  Pipe terminal;
  {
    Progress progress("probing", 10, terminal.ends[1], true, 0);
    progress.set_at(3, 500 * kMillisecondNs);
    CHECK(terminal.read_all() == "\rprobing: 3 of 10 (30%)\033[K");
    progress.set_at(4, 599 * kMillisecondNs);
    CHECK(terminal.read_all().empty());
    progress.set_at(5, 600 * kMillisecondNs);
    CHECK(terminal.read_all() == "\rprobing: 5 of 10 (50%)\033[K");
  }
  CHECK(terminal.read_all() == "\r\033[K");
}

TEST_CASE("work of unknown length shows what is done alone", "[cli]") {
  Pipe terminal;
  Progress progress("reading", 0, terminal.ends[1], true, 0);
  progress.set_at(7, 1000 * kMillisecondNs);
  CHECK(terminal.read_all() == "\rreading: 7\033[K");
}

TEST_CASE("nothing is written where no terminal is", "[cli]") {
  Pipe no_terminal;
  {
    Progress progress("probing", 10, no_terminal.ends[1]);
    progress.set_at(3, UINT64_MAX - 1'000'000'000);
    progress.set(4);
  }
  CHECK(no_terminal.read_all().empty());
}

TEST_CASE("a description given later stands in the next line drawn", "[cli]") {
  Pipe terminal;
  Progress progress("setting up", 4, terminal.ends[1], true, 0);
  progress.describe("measuring");
  progress.set_at(1, 501 * kMillisecondNs);
  CHECK(terminal.read_all() == "\rmeasuring: 1 of 4 (25%)\033[K");
}
