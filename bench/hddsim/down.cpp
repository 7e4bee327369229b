// SPDX-License-Identifier: MIT
#include "bench/hddsim/down.hpp"

#include <cerrno>
#include <csignal>
#include <filesystem>

#include <fcntl.h>
#include <linux/loop.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <unistd.h>

#include "bench/hddsim/serve.hpp"
#include "bench/hddsim/unit.hpp"
#include "toolbox/cli/diagnostics.hpp"

namespace hddsim {
namespace {

constexpr useconds_t kStepUs = 20'000;
constexpr unsigned kPatienceSteps = 100;  // two seconds for things that go away by themselves

template <typename Condition>
bool wait_for(Condition is_met) {
  for (unsigned step = 0; step < kPatienceSteps; ++step) {
    if (is_met()) return true;
    usleep(kStepUs);
  }
  return is_met();
}

// A mount over a disk that no longer answers cannot be synced, and unmounting it may fail. Detaching it always works.
std::string unmount(const std::string& point, bool is_detached) {
  const bool is_gone = wait_for([&] {
    return umount2(point.c_str(), is_detached ? MNT_DETACH : 0) == 0 || errno == EINVAL || errno == ENOENT;
  });
  if (is_gone) return "";
  const int error = errno;
  if (error == EBUSY)
    return "'" + point + "' is in use (fuser -vm " + point + " names by whom); end that, or add --force";
  return "cannot unmount '" + point + "': " + gray::cli::error_text(error);
}

std::string unmount_all(const std::string& source, bool is_forced) {
  for (const std::string& point : find_mounts_of(source)) {
    const std::string problem = unmount(point, is_forced);
    if (!problem.empty()) return problem;
  }
  return "";
}

// The kernel releases a loop device in use only when its last user has closed it.
std::string remove_loop_device(const UnitPlaces& places, bool is_forced) {
  const std::string device = find_loop_device(places);
  if (device.empty()) return "";
  const std::string problem = unmount_all(device, is_forced);
  if (!problem.empty()) return problem;
  const int fd = open(device.c_str(), O_RDWR | O_CLOEXEC);
  if (fd >= 0) {
    ioctl(fd, LOOP_CLR_FD);
    close(fd);
  }
  if (wait_for([&places] { return find_loop_device(places).empty(); })) return "";
  return "'" + device + "' is still in use (fuser -v " + device + " names by whom)";
}

void end_servers(const UnitPlaces& places) {
  for (const int number : {SIGTERM, SIGKILL}) {
    for (const pid_t pid : find_servers(places)) {
      kill(pid, number);
      kill(pid, SIGCONT);
    }
    if (wait_for([&places] { return find_servers(places).empty(); })) return;
  }
}

void remove_files(const UnitPlaces& places) {
  std::error_code ignored;
  std::filesystem::remove(places.backing_file, ignored);
  std::filesystem::remove_all(places.folder, ignored);
}

}  // namespace

std::string take_down(const std::string& name, bool is_forced) {
  const UnitPlaces places(load_request(name));
  const std::vector<pid_t> servers = find_servers(places);
  for (const pid_t pid : servers) {
    if (is_forced) kill(pid, kHurrySignal);
    kill(pid, SIGCONT);  // a stopped server would never answer the last writes
  }
  const std::string problem = remove_loop_device(places, is_forced || servers.empty());
  if (!problem.empty()) return problem;
  while (is_mount_point(places.fuse_folder)) {
    if (umount2(places.fuse_folder.c_str(), MNT_DETACH) != 0)
      return "cannot unmount '" + places.fuse_folder + "': " + gray::cli::error_text(errno);
  }
  end_servers(places);
  remove_files(places);
  return "";
}

}  // namespace hddsim
