// SPDX-License-Identifier: MIT
// run_options: reads and checks the command line of `discnice run`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/discnice/contract/grant.hpp"
#include "tools/discnice/policy/schedule.hpp"
#include "tools/discnice/protocol/layout.hpp"

namespace discnice::cli {

/// What holds the job to its limit. The number of an engine is its place in kEngines of run_options.cpp.
enum class Engine : std::uint8_t {
  automatic,  // the library; from outside for programs that the library cannot reach
  preload,    // only the library
  notify,     // only from outside; large calls are held before they are made
  pace,       // only from outside
  cgroup,     // the kernel, by a control group
};

/// Whether this engine loads nothing into the programs.
constexpr bool is_from_outside(Engine engine) {
  return engine == Engine::notify || engine == Engine::pace || engine == Engine::cgroup;
}

struct RunOptions {
  std::vector<std::string> command;  // program and arguments, never empty
  Grant grant;
  protocol::JobOptions job{1, 0, 0};
  bool is_json = false;
  bool is_quiet = false;
  Engine engine = Engine::automatic;
  bool is_coverage_required = false;
  policy::Schedule schedule;  // no entries: there is no schedule
  std::string report_path;    // empty: stderr
  std::string record_path;    // empty: no recording
  std::string profile_path;   // empty: no profile
};

/// Reads the command line of `discnice verify` in the same way as read_run_options().
std::optional<int> read_verify_options(int argc, char** argv, RunOptions& options);

/// Reads the command line. Fills `options` and returns nothing, or prints what is wrong and returns the exit status.
std::optional<int> read_run_options(int argc, char** argv, RunOptions& options);

}  // namespace discnice::cli
