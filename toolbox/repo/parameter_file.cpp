// SPDX-License-Identifier: MIT
#include "toolbox/repo/parameter_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "toolbox/base/clock.hpp"
#include "toolbox/base/units.hpp"

namespace gray::repo {
namespace {

// A repository has some hundred lines. A file larger than this is no repository.
constexpr std::size_t kFileBytesMax = 4 * base::kMiB;

// flock() has no time limit of its own, so a taken lock is tried again after this pause.
constexpr long kLockRetryNs = 5 * static_cast<long>(base::kNanosecondsPerMillisecond);

constexpr mode_t kFileMode = 0644;  // measured times are no secret, and every user may read the host's file
constexpr unsigned kAsideNamesMax = 1000;

// A descriptor that closes itself. close() is not checked, because fsync() has already forced the data to the disk.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int get() const { return fd_; }

 private:
  int fd_;
};

std::string error_text(int error) {
  return std::generic_category().message(-error);
}

// 0 or -errno. Reads at most kFileBytesMax.
int read_all(int fd, std::string& text) {
  std::array<char, 16384> buffer;
  for (;;) {
    const ssize_t count = read(fd, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return -errno;
    if (count == 0) return 0;
    text.append(buffer.data(), static_cast<std::size_t>(count));
    if (text.size() > kFileBytesMax) return -EFBIG;
  }
}

int write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = write(fd, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return -errno;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return 0;
}

// 0 or -errno; -ENOENT if there is no file.
int read_regular_file(const std::string& path, std::string& text) {
  // O_NONBLOCK: opening a FIFO would wait for its writer.
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (file.get() < 0) return -errno;
  struct stat info {};
  if (fstat(file.get(), &info) != 0) return -errno;
  if (S_ISDIR(info.st_mode)) return -EISDIR;
  if (!S_ISREG(info.st_mode)) return -EINVAL;
  return read_all(file.get(), text);
}

int lock_exclusively(int fd, std::uint64_t wait_max_ns) {
  const std::uint64_t start_ns = base::monotonic_ns();
  while (flock(fd, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) return -errno;
    if (base::monotonic_ns() - start_ns >= wait_max_ns) return -ETIMEDOUT;
    const timespec pause{0, kLockRetryNs};
    nanosleep(&pause, nullptr);
  }
  return 0;
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

int sync_folder(const std::string& folder) {
  const Descriptor handle(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (handle.get() < 0) return -errno;
  // Some file systems cannot sync a folder and answer EINVAL; that is no error.
  return fsync(handle.get()) == 0 || errno == EINVAL ? 0 : -errno;
}

// The name of the temporary file is fixed: only the holder of the lock writes it, and the next writer overwrites a file that a killed writer left.
int replace_file(const std::string& path, const std::string& text) {
  const std::string temporary = path + ".tmp";
  {
    const Descriptor file(
        open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, kFileMode));
    if (file.get() < 0) return -errno;
    int error = write_all(file.get(), text);
    if (error == 0 && fsync(file.get()) != 0) error = -errno;
    if (error != 0) {
      unlink(temporary.c_str());
      return error;
    }
  }
  if (rename(temporary.c_str(), path.c_str()) != 0) {
    const int error = -errno;
    unlink(temporary.c_str());
    return error;
  }
  return sync_folder(folder_of(path));
}

// Renames without replacing anything. 0 or -errno; `moved_to` is the new name.
int move_aside(const std::string& path, std::string& moved_to) {
  const std::string base = path + ".unusable-" + format_date(std::time(nullptr));
  for (unsigned attempt = 0; attempt < kAsideNamesMax; ++attempt) {
    moved_to = attempt == 0 ? base : base + "." + std::to_string(attempt);
    // link() fails where the name exists, rename() would replace it.
    if (link(path.c_str(), moved_to.c_str()) == 0) return unlink(path.c_str()) == 0 ? 0 : -errno;
    if (errno != EEXIST) break;
  }
  const int error = -errno;
  moved_to.clear();
  return error;
}

bool has_name(const Parameter& parameter, const std::string& key, const std::string& device) {
  return parameter.key == key && parameter.device == device;
}

void remove_named(std::vector<Parameter>& parameters, const std::string& key, const std::string& device) {
  parameters.erase(
      std::remove_if(parameters.begin(), parameters.end(),
                     [&](const Parameter& parameter) { return has_name(parameter, key, device); }),
      parameters.end());
}

void apply(const Changes& changes, std::vector<Parameter>& parameters) {
  for (const Name& name : changes.forget) remove_named(parameters, name.key, name.device);
  for (const Parameter& parameter : changes.set) {
    remove_named(parameters, parameter.key, parameter.device);
    parameters.push_back(parameter);
  }
}

UpdateOutcome failed(const std::string& path, int error, const std::string& what) {
  UpdateOutcome outcome;
  outcome.error = error;
  outcome.problem = "cannot change " + path + ": " + what;
  return outcome;
}

UpdateOutcome update_locked(const std::string& path, const Fingerprint& here, const Changes& changes,
                            UnusableFile unusable) {
  LoadedFile loaded = load_file(path, here);
  UpdateOutcome outcome;
  outcome.status = loaded.status;
  const bool is_unusable = loaded.status != FileStatus::kUsable && loaded.status != FileStatus::kMissing;
  if (is_unusable && unusable == UnusableFile::kRefuse) {
    outcome.error = loaded.error != 0 ? loaded.error : -EEXIST;
    outcome.problem = loaded.problem + "; it is left as it is";
    return outcome;
  }
  if (is_unusable) outcome.error = move_aside(path, outcome.moved_to);
  if (outcome.error == 0) {
    apply(changes, loaded.parameters);
    outcome.error = replace_file(path, encode(here, std::move(loaded.parameters)));
  }
  if (outcome.error != 0) outcome.problem = failed(path, outcome.error, error_text(outcome.error)).problem;
  return outcome;
}

}  // namespace

LoadedFile load_file(const std::string& path, const Fingerprint& here) {
  LoadedFile loaded;
  loaded.path = path;
  std::string text;
  const int error = read_regular_file(path, text);
  if (error == -ENOENT || error == -ENOTDIR) return loaded;
  if (error != 0) {
    loaded.status = FileStatus::kUnreadable;
    loaded.error = error;
    const std::string reason = error == -EINVAL ? "not a regular file" : error_text(error);
    loaded.problem = path + " cannot be read (" + reason + ") and is not used";
    return loaded;
  }
  Decoded decoded = decode(text, here);
  loaded.status = decoded.status;
  loaded.parameters = std::move(decoded.parameters);
  if (!decoded.problem.empty()) loaded.problem = path + " " + decoded.problem + " and is not used";
  return loaded;
}

UpdateOutcome update_file(const std::string& path, const Fingerprint& here, const Changes& changes,
                          UnusableFile unusable, std::uint64_t lock_wait_max_ns) {
  for (const Parameter& parameter : changes.set) {
    if (!is_well_formed(parameter)) {
      return failed(path, -EINVAL, "'" + format_name(parameter.key, parameter.device) + "' is malformed");
    }
  }
  std::error_code folder_error;
  std::filesystem::create_directories(folder_of(path), folder_error);
  if (folder_error) return failed(path, -folder_error.value(), folder_error.message());
  const Descriptor lock(open((path + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, kFileMode));
  if (lock.get() < 0) return failed(path, -errno, "its lock: " + error_text(-errno));
  const int error = lock_exclusively(lock.get(), lock_wait_max_ns);
  if (error == -ETIMEDOUT) return failed(path, error, "another program keeps " + path + ".lock locked");
  if (error != 0) return failed(path, error, "its lock: " + error_text(error));
  return update_locked(path, here, changes, unusable);
}

}  // namespace gray::repo
