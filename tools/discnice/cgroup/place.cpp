// SPDX-License-Identifier: MIT
#include "tools/discnice/cgroup/place.hpp"

#include <cerrno>
#include <fstream>
#include <sstream>
#include <vector>

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include "toolbox/cli/diagnostics.hpp"

namespace discnice::cgroup {
namespace {

constexpr char kHandsOn[] = "/cgroup.subtree_control";
constexpr char kHas[] = "/cgroup.controllers";
constexpr char kReadLimits[] = "/blkio.throttle.read_bps_device";

// One of the trees of control groups: where it is mounted, and which part of the tree is mounted.
struct Tree {
  std::string folder;
  std::string begins_at;
};

bool is_in_list(const std::string& list, const std::string& name) {
  std::istringstream words(list);
  for (std::string word; std::getline(words, word, ',');)
    if (word == name) return true;
  return false;
}

Tree find_tree(Version version) {
  std::ifstream mounts("/proc/self/mountinfo");
  for (std::string line; std::getline(mounts, line);) {
    const auto dash = line.find(" - ");
    if (dash == std::string::npos) continue;
    std::istringstream front(line);
    std::istringstream back(line.substr(dash + 3));
    std::string skipped;
    Tree tree;
    std::string type;
    std::string options;
    front >> skipped >> skipped >> skipped >> tree.begins_at >> tree.folder;
    back >> type >> skipped >> options;
    const bool is_it =
        version == Version::two ? type == "cgroup2" : type == "cgroup" && is_in_list(options, "blkio");
    if (is_it) return tree;
  }
  return {};
}

// The path in /proc/self/cgroup, which has lines such as "0::/a/b" or "7:blkio:/a/b".
std::string own_path(Version version) {
  std::ifstream lines("/proc/self/cgroup");
  for (std::string line; std::getline(lines, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool is_it = version == Version::two ? line.rfind("0::", 0) == 0 : is_in_list(controllers, "blkio");
    if (is_it) return line.substr(second + 1);
  }
  return "";
}

// The folder of this process's group; empty when the mount does not show it.
std::string own_folder(const Tree& tree, Version version) {
  std::string path = own_path(version);
  if (tree.folder.empty() || path.empty() || path.rfind("/..", 0) == 0) return "";
  if (tree.begins_at != "/" && path.rfind(tree.begins_at, 0) == 0) path.erase(0, tree.begins_at.size());
  if (path == "/") path.clear();
  const std::string folder = tree.folder + path;
  return access(folder.c_str(), X_OK) == 0 ? folder : "";
}

std::string parent_of(const std::string& folder) {
  return folder.substr(0, folder.rfind('/'));
}

bool is_writable(const std::string& file) {
  return access(file.c_str(), W_OK) == 0;
}

// The folders from the root of the tree down to this folder.
std::vector<std::string> folders_down_to(const std::string& root, const std::string& folder) {
  std::vector<std::string> folders{root};
  for (auto at = folder.find('/', root.size() + 1); folder.size() > root.size();
       at = folder.find('/', at + 1)) {
    folders.push_back(folder.substr(0, at));
    if (at == std::string::npos) break;
  }
  return folders;
}

std::string who_may(const std::string& folder) {
  return geteuid() == 0 ? fmt::format("{} cannot be written to", folder)
                        : fmt::format(
                              "this user may make no group in {}; in a part of the tree that is "
                              "delegated with the io controller that is allowed (systemd-run --user "
                              "--scope)",
                              folder);
}

std::string judge_version_2(const Place& place) {
  const std::string& folder = place.folder;
  if (access((folder + kHas).c_str(), R_OK) != 0) return "control groups of version 2 cannot be seen here";
  bool is_there = false;
  for (const std::string& above : folders_down_to(place.root, folder)) {
    is_there = is_there || has_word(above + kHas, "io");
    if (!is_there || has_word(above + kHandsOn, "io")) continue;
    if (!is_writable(above + kHandsOn))
      return fmt::format("{} does not hand on the io controller, and may not be changed here", above);
    // Only groups that are not the root have a file cgroup.type.
    const bool has_processes =
        access((above + "/cgroup.type").c_str(), F_OK) == 0 && !read_text(above + "/cgroup.procs").empty();
    if (has_processes)
      return fmt::format("{} has processes of its own, so it cannot hand on the io controller", above);
  }
  if (!is_there) return "the kernel has no io controller in its control groups of version 2";
  if (!is_writable(folder) || !is_writable(folder + "/cgroup.procs")) return who_may(folder);
  if (place.own == place.root) return "";
  for (const char* limit : {"memory.max", "memory.high", "memory.swap.max", "cpu.max"}) {
    const std::string text = read_text(place.own + "/" + limit);
    if (!text.empty() && text.rfind("max", 0) != 0)
      return fmt::format(
          "our group {} has a {} of its own, which a program in a group beside it would escape", place.own,
          limit);
  }
  return "";
}

std::string judge_version_1(const Place& place) {
  if (access((place.own + kReadLimits).c_str(), F_OK) != 0)
    return "the kernel does not throttle in its control groups (CONFIG_BLK_DEV_THROTTLING)";
  return is_writable(place.own) ? "" : fmt::format("only root may make a group in {}", place.own);
}

}  // namespace

std::string read_text(const std::string& file) {
  std::ifstream stream(file);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

int write_text(const std::string& file, const std::string& text) {
  const int fd = open(file.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return -errno;
  const int error = write(fd, text.data(), text.size()) < 0 ? -errno : 0;
  close(fd);
  return error;
}

bool has_word(const std::string& file, const std::string& word) {
  std::ifstream words(file);
  for (std::string one; words >> one;)
    if (one == word) return true;
  return false;
}

// Chooses version 2, unless version 2 lacks the controller and version 1 has the controller.
Place find_place() {
  const Tree second = find_tree(Version::two);
  const Tree first = find_tree(Version::one);
  const bool is_second = !second.folder.empty() && has_word(second.folder + kHas, "io");
  Place place;
  place.version = is_second || first.folder.empty() ? Version::two : Version::one;
  const Tree& tree = place.version == Version::two ? second : first;
  place.root = tree.folder;
  place.own = own_folder(tree, place.version);
  if (tree.folder.empty())
    place.problem =
        "no control groups with the io controller (version 2) or blkio (version 1) are mounted here";
  else if (place.own.empty())
    place.problem = "the control group of this process is not to be seen from here";
  if (!place.problem.empty()) return place;
  const bool is_sibling = place.version == Version::two && place.own != place.root;
  place.folder = is_sibling ? parent_of(place.own) : place.own;
  place.problem = place.version == Version::two ? judge_version_2(place) : judge_version_1(place);
  return place;
}

std::string hand_on_controllers(const Place& place) {
  if (place.version == Version::one) return "";
  for (const std::string& folder : folders_down_to(place.root, place.folder)) {
    for (const char* controller : {"io", "memory"}) {
      if (!has_word(folder + kHas, controller) || has_word(folder + kHandsOn, controller)) continue;
      const int error = write_text(folder + kHandsOn, std::string("+") + controller);
      if (error != 0)
        return fmt::format("{} cannot hand on the {} controller: {}", folder, controller,
                           gray::cli::error_text(error));
    }
  }
  const bool has_both =
      has_word(place.folder + kHandsOn, "io") && has_word(place.folder + kHandsOn, "memory");
  return has_both ? ""
                  : fmt::format(
                        "{} lacks the io or the memory controller; without the latter the kernel writes "
                        "in nobody's name",
                        place.folder);
}

}  // namespace discnice::cgroup
