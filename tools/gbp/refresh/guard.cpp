// SPDX-License-Identifier: MIT
#include "tools/gbp/refresh/guard.hpp"

#include <cerrno>
#include <csignal>

#include <fcntl.h>
#include <fmt/core.h>

#include "toolbox/base/descriptor_limit.hpp"
#include "toolbox/cli/diagnostics.hpp"

namespace gbp::refresh_parts {
namespace {

using gray::base::ScopedFd;

}  // namespace

std::string Guard::take(int folder_fd, const std::vector<Entry>& entries) {
  gray::base::allow_many_descriptors();
  // The kernel sends SIGIO when it wants a lease back. This signal is ignored, and find_writer() checks the leases.
  std::signal(SIGIO, SIG_IGN);
  entries_ = &entries;
  for (const Entry& entry : entries) {
    ScopedFd& file = files_.emplace_back();
    if (!entry.is_file()) continue;
    // The reads must not change the file's access time.
    file = ScopedFd::open(entry.name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOATIME, 0, folder_fd);
    if (file.error() == -EPERM)
      file = ScopedFd::open(entry.name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0, folder_fd);
    if (file.error() == -EMFILE)
      return fmt::format("more files than this process may open ({}): raise the limit (ulimit -n)",
                         files_.size());
    if (!file.is_open()) return problem_of(entry.name, file.error());
    if (fcntl(file.get(), F_SETLEASE, F_RDLCK) == 0) continue;
    if (errno == EAGAIN) return fmt::format("'{}' is open for writing", entry.name);
    return fmt::format("cannot find out whether '{}' is open for writing: {}", entry.name,
                       gray::cli::error_text(errno));
  }
  return "";
}

std::string Guard::find_writer() const {
  for (std::size_t i = 0; i < files_.size(); ++i) {
    if (files_[i].is_open() && fcntl(files_[i].get(), F_GETLEASE) != F_RDLCK)
      return fmt::format("somebody wants to write to '{}'", (*entries_)[i].name);
  }
  return "";
}

}  // namespace gbp::refresh_parts
