// SPDX-License-Identifier: MIT
#include "tools/gbp/refresh/place.hpp"

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <fmt/core.h>

#include "toolbox/cli/diagnostics.hpp"

namespace gbp::refresh_parts {

std::string find_workplace(const std::string& directory, Workplace& place) {
  char resolved[PATH_MAX];
  if (realpath(directory.c_str(), resolved) == nullptr) return problem_of(directory);
  place.path = resolved;
  struct stat status {};
  if (stat(resolved, &status) != 0) return problem_of(directory);
  if (!S_ISDIR(status.st_mode)) return fmt::format("'{}' is no directory", directory);
  const std::size_t slash = place.path.rfind('/');
  place.name = place.path.substr(slash + 1);
  if (place.name.empty()) return "the root of everything has no place beside it";
  place.work_name = "." + place.name + ".gray-refresh";
  place.work_path = place.path.substr(0, slash + 1) + place.work_name;
  place.journal_name = "." + place.name + ".gray-journal";
  place.journal_new_name = place.journal_name + ".new";
  if (place.journal_new_name.size() > NAME_MAX) return fmt::format("the name of '{}' is too long", directory);
  const std::string parent = slash == 0 ? "/" : place.path.substr(0, slash);
  place.parent = gray::base::ScopedFd::open(parent.c_str(), O_RDONLY | O_DIRECTORY);
  return place.parent.is_open() ? "" : problem_of(parent, place.parent.error());
}

std::string problem_of(const std::string& name) {
  return problem_of(name, errno);
}

std::string problem_of(const std::string& name, int error) {
  return fmt::format("'{}': {}", name, gray::cli::error_text(error));
}

gray::base::ScopedFd open_folder(int folder_fd, const std::string& name) {
  return gray::base::ScopedFd::open(name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0, folder_fd);
}

std::string stand_in(const Workplace& place, const std::string& name) {
  return "../" + place.work_name + "/" + name;
}

bool list_names(int folder_fd, std::vector<std::string>& names) {
  const int own = openat(folder_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* stream = own >= 0 ? fdopendir(own) : nullptr;
  if (stream == nullptr) {
    if (own >= 0) close(own);
    return false;
  }
  errno = 0;
  while (const dirent* entry = readdir(stream)) {
    if (std::strcmp(entry->d_name, ".") != 0 && std::strcmp(entry->d_name, "..") != 0)
      names.emplace_back(entry->d_name);
  }
  const int error = errno;
  closedir(stream);
  errno = error;
  return error == 0;
}

}  // namespace gbp::refresh_parts
