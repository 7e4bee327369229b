// SPDX-License-Identifier: MIT
#include "tools/discnice/cli/explain_command.hpp"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include "toolbox/cli/diagnostics.hpp"
#include "tools/discnice/cgroup/disks.hpp"
#include "tools/discnice/cgroup/limiter.hpp"
#include "tools/discnice/cli/library.hpp"
#include "tools/discnice/cli/place_facts.hpp"
#include "tools/discnice/notify/large_call.hpp"
#include "tools/discnice/processes/target.hpp"

namespace discnice::cli {
namespace {

using gray::cli::escape_controls;

std::string read_first_line(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string line;
  std::getline(file, line);
  return line;
}

// Returns what kind of program is in this file: a script and its interpreter, or a program that a linker made.
std::string kind_of(const std::string& path) {
  const std::string line = read_first_line(path);
  if (line.rfind("#!", 0) == 0) {
    std::istringstream words(line.substr(2));
    std::string interpreter;
    words >> interpreter;
    return fmt::format("a script for {}", interpreter);
  }
  if (line.rfind("\x7f"
                 "ELF",
                 0) != 0)
    return "a script without '#!', for /bin/sh";
  return "a program";
}

std::string engine_of(const processes::Target& target, const Library& library) {
  if (target.exit_status != 0) return "engine: none; " + escape_controls(target.problem) + "\n";
  if (!target.obstacle.empty())
    return fmt::format("engine: pace, from outside, because the program {}; {}\n", target.obstacle,
                       notify::may_show_calls_for_nothing()
                           ? "and notify, which makes its large calls in steps"
                           : "--engine notify would make its large calls in steps, too, and keep it from "
                             "starting set-user-ID programs with their rights");
  if (!library.problem.empty()) return "engine: none; " + escape_controls(library.problem) + "\n";
  return fmt::format(
      "engine: {} preloaded, because the program is dynamically linked; programs it starts are covered "
      "alike, and one that can't be is "
      "named at once\n",
      escape_controls(library.path));
}

std::string group_of(const std::string& program, const std::vector<std::string>& command) {
  const cgroup::Plan plan = cgroup::plan_for(group_paths(program, command), {});
  if (!plan.problem.empty()) return fmt::format("--engine cgroup: not possible here; {}\n", plan.problem);
  std::string disks;
  for (const std::uint64_t disk : plan.disks) disks += " " + cgroup::number_of(disk);
  return fmt::format("--engine cgroup: possible here; version {}, in {}, on disk{}{}\n",
                     static_cast<int>(plan.place.version), plan.place.folder,
                     disks.empty() ? "s as they come to be used" : disks,
                     plan.place.version == cgroup::Version::one
                         ? "; the kernel holds what is read, and discnice what is written"
                         : "");
}

// Tells by which signs a job would notice that others use the disk of this file.
std::string observation_text(const PlaceFacts& facts) {
  switch (facts.others) {
    case OthersSeenBy::counters:
      return "nice and idle give way to other users of this disk";
    case OthersSeenBy::disk_below:
      return fmt::format("nice and idle give way to other users of the disk below, {}",
                         number_text(facts.disk));
    case OthersSeenBy::pressure:
      return "no counters of a disk, so nice and manners give way there when the job gets on worse than at "
             "its best; idle stops for a moment four times a second and gives way when others of this host "
             "are waiting for any disk";
    case OthersSeenBy::progress:
      break;
  }
  return "no counters of a disk and no account of pressure, so nice, idle and manners give way there when "
         "the job gets on worse than at its best";
}

std::string explain_place(const std::string& path, dev_t device, const std::string& mounts) {
  const PlaceFacts facts = facts_of_place(path, device, mounts);
  const std::string place =
      fmt::format("{} ({}, {})", escape_controls(path),
                  facts.type.empty() ? "file system unknown" : facts.type, number_text(device));
  if (facts.is_in_memory) return fmt::format("files: {}: in memory, free\n", place);
  return fmt::format("files: {}: charged; {}\n", place, observation_text(facts));
}

}  // namespace

std::vector<std::string> group_paths(const std::string& program, const std::vector<std::string>& command) {
  std::vector<std::string> paths{".", program};
  paths.insert(paths.end(), command.begin() + 1, command.end());
  return paths;
}

CommandExplanation explain_command(const std::vector<std::string>& command) {
  const processes::Target target = processes::find_target(command.front());
  CommandExplanation explanation;
  explanation.exit_status = target.exit_status;
  const bool is_there = access(target.path.c_str(), R_OK) == 0;
  const std::string kind = is_there ? kind_of(target.path) : "not there";
  explanation.text = fmt::format("program: {}, {}\n", escape_controls(target.path), escape_controls(kind));
  explanation.text += engine_of(target, find_library());
  if (target.exit_status == 0) explanation.text += group_of(target.path, command);
  const std::string mounts = read_mounts();
  std::set<dev_t> seen;
  std::vector<std::string> places{"."};
  places.insert(places.end(), command.begin() + 1, command.end());
  for (const std::string& path : places) {
    struct stat status {};
    if (stat(path.c_str(), &status) != 0 || !seen.insert(status.st_dev).second) continue;
    explanation.text += explain_place(path, status.st_dev, mounts);
  }
  return explanation;
}

}  // namespace discnice::cli
