// SPDX-License-Identifier: MIT
// target: finds the program to run as the shell would find it, and tells whether a preloaded library can reach it.
//
// ld.so fails silently: a program into which it cannot preload the library runs without it. A person who has set a limit must be told before anything has run.
// So the file is checked first.
#pragma once

#include <string>

namespace discnice::processes {

struct Target {
  std::string path;
  int exit_status = 0;  // 0: it can be run
  std::string problem;  // otherwise one sentence
  std::string
      obstacle;  // why a preloaded library cannot reach it ("is statically linked"); empty when it can
};

/// Finds `name` (in PATH unless it contains a slash) and checks that the file exists, is executable and is not set-user-ID. Then checks whether it is dynamic and
/// uses glibc's loader, with this program's word size and machine. A script is judged by its interpreter.
Target find_target(const std::string& name);

/// Why a preloaded library cannot reach the program in this file ("is statically linked"); empty if it can.
std::string obstacle_of(const std::string& path);

}  // namespace discnice::processes
