// SPDX-License-Identifier: MIT
// target: the program to run, found as the shell would find it, and whether a preloaded library can reach it.
//
// ld.so fails open: a program it cannot preload into runs as if nothing had been asked. A person who asked
// for a limit must hear of it before anything has run, so the file is looked at first.
#pragma once

#include <string>

namespace discnice::cli {

struct Target {
  std::string path;
  int exit_status = 0;  // 0: it can be run and covered
  std::string problem;  // one sentence otherwise
};

/// Finds `name` (in PATH unless it holds a slash) and checks it: present, executable, dynamic and by
/// glibc's loader, of our word size and machine, not set-user-ID. A script is judged by its interpreter.
Target find_target(const std::string& name);

/// Why a preloaded library cannot reach the program in this file ("is statically linked"); empty when it can.
std::string obstacle_of(const std::string& path);

}  // namespace discnice::cli
