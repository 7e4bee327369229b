// SPDX-License-Identifier: MIT
#include "bench/hddsim/up.hpp"

#include <cerrno>
#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "bench/hddsim/command.hpp"
#include "bench/hddsim/down.hpp"
#include "bench/hddsim/profile.hpp"
#include "toolbox/cli/diagnostics.hpp"

namespace hddsim {
namespace {

using gray::cli::error_text;

constexpr useconds_t kStepUs = 10'000;
constexpr unsigned kStartSteps = 500;  // five seconds for the server to start

std::string make_folders(const UnitRequest& request, const UnitPlaces& places) {
  if (!save_request(request)) return "cannot write '" + places.request_file + "': " + error_text(errno);
  if (mkdir(places.fuse_folder.c_str(), 0700) != 0)
    return "cannot make '" + places.fuse_folder + "': " + error_text(errno);
  const bool is_mount_folder_ours = request.file_system != "none" && request.mount_folder.empty();
  if (is_mount_folder_ours && mkdir(places.mount_folder.c_str(), 0755) != 0)
    return "cannot make '" + places.mount_folder + "': " + error_text(errno);
  return "";
}

// The backing file is sparse as far as its file system allows. The written data must fit in it.
std::string make_backing_file(const UnitRequest& request, const UnitPlaces& places) {
  const int fd = open(places.backing_file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return "cannot make '" + places.backing_file + "': " + error_text(errno);
  const int status = ftruncate(fd, static_cast<off_t>(request.size_bytes));
  const int error = errno;
  close(fd);
  return status == 0 ? "" : "cannot make '" + places.backing_file + "' so large: " + error_text(error);
}

std::string make_file_system(const UnitRequest& request, const UnitPlaces& places) {
  std::vector<std::string> command;
  if (request.file_system == "none") return "";
  if (request.file_system == "ext4")
    command = {"mkfs.ext4",        "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0,nodiscard",
               places.backing_file};
  if (request.file_system == "xfs") command = {"mkfs.xfs", "-q", "-f", "-K", places.backing_file};
  if (request.file_system == "btrfs") command = {"mkfs.btrfs", "-q", "-f", "-K", places.backing_file};
  const CommandResult result = run_command(command);
  return result.exit_status == 0 ? "" : command[0] + " failed: " + result.output;
}

std::string start(const UnitRequest& request, const UnitPlaces& places) {
  std::vector<std::string> command = {std::filesystem::read_symlink("/proc/self/exe").string(),
                                      "serve",
                                      "--profile",
                                      request.profile,
                                      "--backing",
                                      places.backing_file,
                                      "--counters",
                                      places.counters_file,
                                      places.fuse_folder};
  if (!request.trace_path.empty()) command.insert(command.end() - 1, {"--trace", request.trace_path});
  const int error = start_server(command, places.log_file);
  if (error != 0) return "cannot start the server: " + error_text(error);
  for (unsigned step = 0; step < kStartSteps; ++step) {
    if (access(places.disk_file.c_str(), F_OK) == 0) return "";
    if (step > 2 && find_servers(places).empty()) break;
    usleep(kStepUs);
  }
  std::ifstream log(places.log_file);
  std::string line;
  std::getline(log, line);
  return "the server did not start: " + (line.empty() ? "see " + places.log_file : line);
}

bool write_text(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text << std::flush;
  return static_cast<bool>(file);
}

std::string attach_loop_device(const UnitRequest& request, const UnitPlaces& places, std::string& device) {
  const CommandResult result =
      run_command({"losetup", "--direct-io=on", "--find", "--show", places.disk_file});
  if (result.exit_status != 0) return "losetup failed: " + result.output;
  device = result.output;
  const std::string queue = "/sys/block/" + std::filesystem::path(device).filename().string() + "/queue/";
  const bool is_mechanical = read_profile(request.profile).profile.kind == Kind::mechanical;
  if (!write_text(queue + "scheduler", request.scheduler)) {
    std::ifstream file(queue + "scheduler");
    std::string known;
    std::getline(file, known);
    return "the kernel has no scheduler '" + request.scheduler + "' for " + device + "; it has " + known;
  }
  write_text(queue + "rotational", is_mechanical ? "1" : "0");
  if (!write_text(queue + "read_ahead_kb", std::to_string(request.read_ahead_bytes / 1024)))
    return "cannot set the read-ahead of " + device + ": " + error_text(errno);
  return "";
}

std::string mount_it(const UnitRequest& request, const UnitPlaces& places, const std::string& device) {
  if (request.file_system == "none") return "";
  const CommandResult result = run_command({"mount", "-t", request.file_system, device, places.mount_folder});
  return result.exit_status == 0 ? "" : "mount failed: " + result.output;
}

}  // namespace

UnitUp bring_up(const UnitRequest& request) {
  const UnitPlaces places(request);
  UnitUp unit;
  if (mkdir(places.folder.c_str(), 0755) != 0) {
    unit.problem = errno == EEXIST
                       ? "a disk '" + request.name + "' is there already: hddsim down " + request.name
                       : "cannot make '" + places.folder + "': " + error_text(errno);
    return unit;
  }
  unit.problem = make_folders(request, places);
  if (unit.problem.empty()) unit.problem = make_backing_file(request, places);
  if (unit.problem.empty()) unit.problem = make_file_system(request, places);
  if (unit.problem.empty()) unit.problem = start(request, places);
  if (unit.problem.empty()) unit.problem = attach_loop_device(request, places, unit.loop_device);
  if (unit.problem.empty()) unit.problem = mount_it(request, places, unit.loop_device);
  if (request.file_system != "none") unit.mount_folder = places.mount_folder;
  if (!unit.problem.empty()) {
    const std::string remains = take_down(request.name, true);
    if (!remains.empty()) unit.problem += "; and " + remains;
  }
  return unit;
}

}  // namespace hddsim
