// SPDX-License-Identifier: MIT
// main: entry of hddsim, a mechanical disk as a program. The commands are up, down, status, profiles, and serve, which up starts.
#include <algorithm>
#include <cerrno>
#include <filesystem>

#include <unistd.h>

#include "bench/hddsim/down.hpp"
#include "bench/hddsim/options.hpp"
#include "bench/hddsim/profile.hpp"
#include "bench/hddsim/report.hpp"
#include "bench/hddsim/serve.hpp"
#include "bench/hddsim/up.hpp"
#include "toolbox/cli/diagnostics.hpp"
#include "toolbox/cli/options.hpp"

namespace {

using gray::cli::fail;
using gray::cli::fail_usage;
using gray::cli::kExitSomeFailed;

// Finds every mistake that can be known before anything is made.
std::string find_mistake(hddsim::UnitRequest& request) {
  if (!hddsim::is_unit_name(request.name))
    return "the name '" + request.name + "' is not of letters, digits, - and _ (at most 32)";
  const hddsim::ProfileReading reading = hddsim::read_profile(request.profile);
  if (!reading.problem.empty()) return reading.problem;
  constexpr std::uint64_t kSizeMin = 64ULL << 20U;
  if (request.size_bytes < kSizeMin) return "--size is less than 64M, which no file system here fits into";
  std::error_code error;
  if (!request.mount_folder.empty() && !std::filesystem::is_directory(request.mount_folder, error))
    return "--mount '" + request.mount_folder + "' is no folder";
  if (!std::filesystem::is_directory(request.backing_folder, error))
    return "--backing '" + request.backing_folder + "' is no folder";
  // The server runs in another working folder, so the paths must be absolute.
  for (std::string* path : {&request.mount_folder, &request.backing_folder, &request.trace_path}) {
    if (!path->empty()) *path = std::filesystem::absolute(*path).lexically_normal().string();
  }
  if (request.profile.find('/') != std::string::npos)
    request.profile = std::filesystem::absolute(request.profile).string();
  request.size_bytes = request.size_bytes / 4096 * 4096;
  return "";
}

int run_up(hddsim::UnitRequest& request) {
  const std::string mistake = find_mistake(request);
  if (!mistake.empty()) return fail_usage("{}", mistake);
  if (geteuid() != 0) return fail(kExitSomeFailed, "up needs root: it makes a loop device and mounts");
  if (!hddsim::lock_units())
    return fail(kExitSomeFailed, "cannot use '{}': {}", hddsim::kUnitsFolder, gray::cli::error_text(errno));
  const hddsim::UnitUp unit = hddsim::bring_up(request);
  if (!unit.problem.empty()) return fail(kExitSomeFailed, "{}", unit.problem);
  return gray::cli::print_and_close((unit.mount_folder.empty() ? unit.loop_device : unit.mount_folder) +
                                    "\n");
}

int run_down(const hddsim::Options& options) {
  if (!hddsim::is_unit_name(options.down_name))
    return fail_usage("'{}' is no name of a disk", options.down_name);
  if (geteuid() != 0) return fail(kExitSomeFailed, "down needs root: it unmounts");
  if (!hddsim::lock_units())
    return fail(kExitSomeFailed, "cannot use '{}': {}", hddsim::kUnitsFolder, gray::cli::error_text(errno));
  std::vector<std::string> names = hddsim::unit_names();
  if (!options.is_down_all) {
    if (std::find(names.begin(), names.end(), options.down_name) == names.end())
      return fail(kExitSomeFailed, "there is no disk '{}'; `hddsim status` names those there are",
                  options.down_name);
    names = {options.down_name};
  }
  int status = gray::cli::kExitSuccess;
  for (const std::string& name : names) {
    const std::string problem = hddsim::take_down(name, options.is_forced);
    if (!problem.empty()) status = fail(kExitSomeFailed, "{}", problem);
  }
  return status;
}

int print_profiles() {
  std::string text;
  for (const std::string& name : hddsim::profile_names()) text += name + "\n";
  return gray::cli::print_and_close(text);
}

}  // namespace

int main(int argc, char** argv) {
  gray::cli::set_program_name(argv[0]);
  hddsim::Options options;
  if (const auto status = hddsim::read_options(argc, argv, options)) return *status;
  switch (options.task) {
    case hddsim::Task::up:
      return run_up(options.request);
    case hddsim::Task::down:
      return run_down(options);
    case hddsim::Task::status:
      return hddsim::print_status(options.is_json);
    case hddsim::Task::serve:
      return hddsim::serve(options.serve);
    case hddsim::Task::profiles:
      break;
  }
  return print_profiles();
}
