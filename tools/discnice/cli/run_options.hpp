// SPDX-License-Identifier: MIT
// run_options: the command line of `discnice run`, checked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/discnice/contract/grant.hpp"
#include "tools/discnice/policy/schedule.hpp"
#include "tools/discnice/protocol/layout.hpp"

namespace discnice::cli {

/// By what the job is held to its limit. Its number is its place in kEngines of run_options.cpp.
enum class Engine : std::uint8_t {
  automatic,  // the library; from outside whatever that cannot reach
  preload,    // the library alone
  notify,     // from outside alone, and large calls before they are made
  pace,       // from outside alone
  cgroup,     // by the kernel, in a control group
};

/// Whether nothing is loaded into the programs.
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
  policy::Schedule schedule;  // without entries: none
  std::string report_path;    // empty: stderr
  std::string record_path;    // empty: no recording
  std::string profile_path;   // empty: no profile
};

/// Reads the command line of `discnice verify` as read_run_options() does that of `discnice run`.
std::optional<int> read_verify_options(int argc, char** argv, RunOptions& options);

/// Reads the command line. Fills `options` and returns nothing, or says what is wrong and returns the exit
/// status.
std::optional<int> read_run_options(int argc, char** argv, RunOptions& options);

}  // namespace discnice::cli
