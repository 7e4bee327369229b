// SPDX-License-Identifier: MIT
#include "toolbox/html/output.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "toolbox/base/fd.hpp"
#include "toolbox/cli/diagnostics.hpp"

namespace gray::html {
namespace {

constexpr mode_t kMode = 0666;

// Each returns 0 or an errno.
int write_all(int fd, const std::string& page) {
  const char* at = page.data();
  std::size_t left = page.size();
  while (left > 0) {
    const ssize_t written = write(fd, at, left);
    if (written < 0 && errno != EINTR) return errno;
    if (written <= 0) continue;
    at += written;
    left -= static_cast<std::size_t>(written);
  }
  return 0;
}

mode_t mode_of_new_file() {
  const mode_t mask = umask(0);
  umask(mask);
  return kMode & ~mask;
}

int replace(const std::string& path, mode_t mode, const std::string& page) {
  std::string temporary = path + ".XXXXXX";
  const base::ScopedFd file(mkostemp(temporary.data(), O_CLOEXEC));
  if (!file.is_open()) return errno;
  int error = write_all(file.get(), page);
  if (error == 0 && fchmod(file.get(), mode) != 0) error = errno;
  if (error == 0 && std::rename(temporary.c_str(), path.c_str()) != 0) error = errno;
  if (error != 0) unlink(temporary.c_str());
  return error;
}

int write_as_it_is(const std::string& path, const std::string& page) {
  const base::ScopedFd file = base::ScopedFd::open(path.c_str(), O_WRONLY);
  return file.is_open() ? write_all(file.get(), page) : -file.error();
}

int write_to(const std::string& path, const std::string& page) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0)
    return errno == ENOENT ? replace(path, mode_of_new_file(), page) : errno;
  if (S_ISDIR(status.st_mode)) return EISDIR;
  if (!S_ISREG(status.st_mode)) return write_as_it_is(path, page);
  if (access(path.c_str(), W_OK) != 0) return errno;
  // A symbolic link stays a link: the file to which it leads is replaced.
  const std::unique_ptr<char, decltype(&std::free)> real(realpath(path.c_str(), nullptr), &std::free);
  return real == nullptr ? errno : replace(real.get(), status.st_mode & kMode, page);
}

}  // namespace

int write_page(const std::string& path, const std::string& page) {
  const bool is_stdout = path == "-";
  // The page is not written through stdio, which would lose the reason of a failure.
  const int error = is_stdout ? write_all(STDOUT_FILENO, page) : write_to(path, page);
  if (error == 0) return cli::kExitSuccess;
  if (is_stdout)
    return cli::fail(cli::kExitSomeFailed, "cannot write to standard output: {}", cli::error_text(error));
  return cli::fail(cli::kExitSomeFailed, "cannot write '{}': {}", path, cli::error_text(error));
}

}  // namespace gray::html
