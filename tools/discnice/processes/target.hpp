// SPDX-License-Identifier: MIT
// target: finds the program to run as the shell would find it, and tells whether a preloaded library can reach it.
//
// If ld.so cannot preload a library into a program, the program runs as if nothing had been asked. A person who asked for a limit must learn this before anything has run. So the
// file is looked at first.
#pragma once

#include <string>

namespace discnice::processes {

struct Target {
  std::string path;
  int exit_status = 0;  // 0: it can be run
  std::string problem;  // one sentence otherwise
  std::string
      obstacle;  // why a preloaded library cannot reach it ("is statically linked"); empty when it can
};

/// Finds `name` (in PATH unless it holds a slash) and checks it: present, executable, not set-user-ID; then whether it is dynamic
/// and by glibc's loader, of our word size and machine. A script is judged by its interpreter.
Target find_target(const std::string& name);

/// Why a preloaded library cannot reach the program in this file ("is statically linked"); empty if it can.
std::string obstacle_of(const std::string& path);

}  // namespace discnice::processes
