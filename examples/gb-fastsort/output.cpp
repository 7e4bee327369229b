// SPDX-License-Identifier: MIT
#include "examples/gb-fastsort/output.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

#include "examples/gb-fastsort/input.hpp"
#include "examples/gb-fastsort/merge.hpp"
#include "examples/gb-fastsort/records.hpp"

namespace fastsort {
namespace {

constexpr mode_t kOwnerMode = 0600;
constexpr mode_t kAnybodyMode = 0666;
constexpr mode_t kGroupMode = 0070;
constexpr mode_t kOthersMode = 0007;
constexpr mode_t kModeBits = 0777;
constexpr unsigned kGroupShift = 3;

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// The temporary folder, which is usually on a disk.
std::string temporary_folder() {
  const char* named = std::getenv("TMPDIR");
  return named == nullptr || *named == '\0' ? "/var/tmp" : named;
}

std::vector<struct stat> status_of(const std::vector<std::string>& inputs) {
  std::vector<struct stat> all;
  for (const std::string& input : inputs) {
    struct stat status {};
    const bool is_there =
        is_standard_input(inputs) ? fstat(STDIN_FILENO, &status) == 0 : stat(input.c_str(), &status) == 0;
    if (is_there && S_ISREG(status.st_mode)) all.push_back(status);
  }
  return all;
}

}  // namespace

Output::Output(const std::string& path, const std::vector<std::string>& inputs)
    : name_(path), path_(path), run_folder_(folder_of(path)), inputs_(status_of(inputs)) {
  if (stat(path.c_str(), &before_) != 0) {
    if (errno != ENOENT) die(name_, errno);
    return;
  }
  if (S_ISDIR(before_.st_mode)) die(name_, EISDIR);
  char resolved[PATH_MAX];
  const bool is_file = S_ISREG(before_.st_mode) && realpath(path.c_str(), resolved) != nullptr;
  if (is_file) path_ = resolved;
  run_folder_ = is_file ? folder_of(path_) : temporary_folder();
  is_replacing_ = is_file && std::any_of(inputs_.begin(), inputs_.end(), [&](const struct stat& input) {
                    return input.st_dev == before_.st_dev && input.st_ino == before_.st_ino;
                  });
  if (is_replacing_ && access(path_.c_str(), W_OK) != 0) die(name_, errno);
  fd_ = is_replacing_ ? open(run_folder_.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, kOwnerMode)
                      : open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd_ >= 0) return;
  if (!is_replacing_) die(name_, errno);
  die_saying(name_, std::string("is an input, too, and cannot be replaced at the end: ") +
                        std::strerror(errno) + "; name another output");
}

// The mode of a new file. Its group may differ from the group of an input. For that input the members of the new file's group count as other users.
mode_t Output::permitted_mode() const {
  struct stat made {};
  if (fstat(fd_, &made) != 0) return kOwnerMode;
  const mode_t mask = umask(0);
  umask(mask);
  mode_t mode = kAnybodyMode & ~mask;
  for (const struct stat& input : inputs_) {
    mode &= input.st_mode | kOwnerMode;
    if (input.st_gid != made.st_gid) mode &= ~kGroupMode | (input.st_mode & kOthersMode) << kGroupShift;
  }
  return mode;
}

std::FILE* Output::begin() {
  if (fd_ < 0) {
    fd_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kOwnerMode);
    if (fd_ < 0 || fchmod(fd_, permitted_mode()) != 0) die(name_, errno);
  } else if (S_ISREG(before_.st_mode) && ftruncate(fd_, 0) != 0) {
    die(name_, errno);
  }
  file_ = fdopen(fd_, "wb");
  if (file_ == nullptr) die(name_, errno);
  std::setvbuf(file_, nullptr, _IOFBF, kMergeBufferBytes);
  return file_;
}

void Output::end() {
  if (std::fflush(file_) != 0) die(name_, errno);
  if (is_replacing_) replace();
  close_or_die(file_, name_);
}

// First all sorted data is forced to the disk, because the input is lost after this step. A file without a name cannot replace another file, so it
// gets a name for a moment.
void Output::replace() {
  mode_t mode = before_.st_mode & kModeBits;
  if (fchown(fd_, before_.st_uid, before_.st_gid) != 0) mode &= ~kGroupMode;
  const std::string link = "/proc/self/fd/" + std::to_string(fd_);
  const std::string named = path_ + ".new" + std::to_string(getpid());
  if (fchmod(fd_, mode) != 0 || fsync(fd_) != 0) die(name_, errno);
  if (linkat(AT_FDCWD, link.c_str(), AT_FDCWD, named.c_str(), AT_SYMLINK_FOLLOW) != 0) die(named, errno);
  if (rename(named.c_str(), path_.c_str()) == 0) return;
  const int error = errno;
  unlink(named.c_str());
  die(name_, error);
}

}  // namespace fastsort
