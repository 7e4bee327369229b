// SPDX-License-Identifier: MIT
#include "bench/hddsim/unit.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

namespace hddsim {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kNameMax = 32;

std::string first_line(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

struct Mount {
  std::string source;
  std::string point;
};

// mountinfo writes space, tab, newline and backslash as three octal digits.
std::string unescaped(const std::string& text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 3 >= text.size()) {
      plain += text[i];
      continue;
    }
    plain += static_cast<char>(std::stoi(text.substr(i + 1, 3), nullptr, 8));
    i += 3;
  }
  return plain;
}

std::vector<Mount> read_mounts() {
  std::vector<Mount> mounts;
  std::ifstream file("/proc/self/mountinfo");
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string id, parent, device, root, point, word, type, source;
    words >> id >> parent >> device >> root >> point;
    while (words >> word && word != "-") {
    }
    words >> type >> source;
    mounts.push_back({unescaped(source), unescaped(point)});
  }
  return mounts;
}

// The arguments of a process, each ended by NUL.
std::vector<std::string> arguments_of(const fs::path& process) {
  std::ifstream file(process / "cmdline");
  std::vector<std::string> arguments;
  std::string argument;
  while (std::getline(file, argument, '\0')) arguments.push_back(argument);
  return arguments;
}

}  // namespace

UnitPlaces::UnitPlaces(const UnitRequest& request)
    : folder(std::string(kUnitsFolder) + "/" + request.name),
      request_file(folder + "/request.json"),
      fuse_folder(folder + "/fuse"),
      disk_file(fuse_folder + "/disk"),
      counters_file(folder + "/counters"),
      log_file(folder + "/log"),
      backing_file(request.backing_folder + "/hddsim-" + request.name + ".img"),
      mount_folder(request.mount_folder.empty() ? folder + "/mnt" : request.mount_folder) {}

bool is_unit_name(const std::string& name) {
  const auto is_plain = [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '_'; };
  return !name.empty() && name.size() <= kNameMax && std::all_of(name.begin(), name.end(), is_plain);
}

bool save_request(const UnitRequest& request) {
  const UnitPlaces places(request);
  const nlohmann::json object = {{"name", request.name},
                                 {"profile", request.profile},
                                 {"size_bytes", request.size_bytes},
                                 {"file_system", request.file_system},
                                 {"mount_folder", request.mount_folder},
                                 {"backing_folder", request.backing_folder},
                                 {"scheduler", request.scheduler},
                                 {"read_ahead_bytes", request.read_ahead_bytes},
                                 {"trace_path", request.trace_path}};
  std::ofstream file(places.request_file);
  file << object.dump(1) << '\n' << std::flush;
  return static_cast<bool>(file);
}

UnitRequest load_request(const std::string& name) {
  UnitRequest request;
  request.name = name;
  std::ifstream file(UnitPlaces(request).request_file);
  const nlohmann::json object = nlohmann::json::parse(file, nullptr, false);
  if (!object.is_object()) return request;
  request.profile = object.value("profile", request.profile);
  request.size_bytes = object.value("size_bytes", request.size_bytes);
  request.file_system = object.value("file_system", request.file_system);
  request.mount_folder = object.value("mount_folder", request.mount_folder);
  request.backing_folder = object.value("backing_folder", request.backing_folder);
  request.scheduler = object.value("scheduler", request.scheduler);
  request.read_ahead_bytes = object.value("read_ahead_bytes", request.read_ahead_bytes);
  request.trace_path = object.value("trace_path", request.trace_path);
  return request;
}

std::vector<std::string> unit_names() {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(kUnitsFolder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (entry.is_directory(ignored) && is_unit_name(name)) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string find_loop_device(const UnitPlaces& places) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/sys/block", ignored)) {
    const std::string backing = first_line(entry.path() / "loop/backing_file");
    if (backing == places.disk_file || backing == places.disk_file + " (deleted)")
      return "/dev/" + entry.path().filename().string();
  }
  return "";
}

std::vector<std::string> find_mounts_of(const std::string& source) {
  std::vector<std::string> points;
  if (source.empty()) return points;
  for (const Mount& mount : read_mounts()) {
    if (mount.source == source) points.insert(points.begin(), mount.point);
  }
  return points;
}

bool is_mount_point(const std::string& folder) {
  const std::vector<Mount> mounts = read_mounts();
  return std::any_of(mounts.begin(), mounts.end(),
                     [&folder](const Mount& mount) { return mount.point == folder; });
}

std::vector<pid_t> find_servers(const UnitPlaces& places) {
  std::vector<pid_t> servers;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/proc", ignored)) {
    const std::string name = entry.path().filename().string();
    pid_t pid = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), pid).ec != std::errc{}) continue;
    const std::vector<std::string> arguments = arguments_of(entry.path());
    const bool is_server =
        arguments.size() > 2 && arguments[1] == "serve" &&
        std::find(arguments.begin(), arguments.end(), places.fuse_folder) != arguments.end();
    if (is_server) servers.push_back(pid);
  }
  return servers;
}

bool lock_units() {
  mkdir(kUnitsFolder, 0755);
  const std::string path = std::string(kUnitsFolder) + "/.lock";
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  return fd >= 0 && flock(fd, LOCK_EX) == 0;
}

}  // namespace hddsim
