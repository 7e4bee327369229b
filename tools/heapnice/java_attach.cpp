// SPDX-License-Identifier: MIT
#include "tools/heapnice/java_attach.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "libgray/src/os/memory_os.hpp"
#include "toolbox/base/units.hpp"
#include "tools/heapnice/process_tree.hpp"

namespace heapnice {
namespace {

using gray::base::ScopedFd;

constexpr std::uint64_t kSocketWaitNs = 10 * gray::base::kNanosecondsPerSecond;
constexpr int kAnswerWaitMs = 1000;
constexpr std::size_t kAnswerBytesMax = 1U << 20U;

constexpr int kEndLooks = 100;
constexpr useconds_t kEndLookUs = 10'000;

std::string in_root(int pid, const std::string& path) {
  return "/proc/" + std::to_string(pid) + "/root" + path;
}

bool awaits(int pid, int signal) {
  const std::string mask = last_status_word(pid, "SigCgt");
  std::uint64_t bits = 0;
  const auto [end, error] = std::from_chars(mask.data(), mask.data() + mask.size(), bits, 16);
  return error == std::errc{} && (bits >> static_cast<unsigned>(signal - 1) & 1U) != 0;
}

bool is_readable(int fd, int timeout_ms) {
  pollfd polled{fd, POLLIN, 0};
  return poll(&polled, 1, timeout_ms) > 0;
}

// The JVM follows symbolic links. A link does not count as an own file, because its target is not checked here.
bool is_own_file(const struct stat& status) {
  return S_ISREG(status.st_mode) && status.st_uid == geteuid();
}

}  // namespace

JavaAttach::JavaAttach(int pid) : pid_(pid), own_number_(last_status_word(pid, "NSpid")) {
  file_name_ = ".attach_pid" + own_number_;
}

JavaAttach::~JavaAttach() {
  if (is_file_there_ && has_ended()) remove_file();
}

// A JVM removes its counters a moment before it ends. A JVM that has not handled the signal yet must still find the file. Otherwise it prints
// a thread dump.
bool JavaAttach::has_ended() const {
  for (int look = 0; look < kEndLooks; ++look) {
    if (access(in_root(pid_, "/tmp").c_str(), F_OK) != 0) return true;
    usleep(kEndLookUs);
  }
  return false;
}

void JavaAttach::remove_file() {
  if (is_file_there_) unlinkat(folder_.get(), file_name_.c_str(), 0);
  is_file_there_ = false;
}

JavaAttach::State JavaAttach::refuse(const std::string& problem) {
  problem_ = problem;
  return State::refused;
}

JavaAttach::State JavaAttach::open() {
  if (!problem_.empty()) return State::refused;
  const ScopedFd socket = connect_to();
  if (socket.is_open()) {
    remove_file();
    return State::open;
  }
  if (asked_ns_ != 0)
    return gray::os::now_ns() - asked_ns_ < kSocketWaitNs ? State::opening : refuse("does not answer");
  // There is already a file at the socket's place. If it was the JVM's socket, the JVM would answer the signal by a
  // thread dump. If not, it belongs to another program.
  if (socket.error() != -ENOENT)
    return refuse("cannot be asked: /tmp/.java_pid" + own_number_ + ": " + std::strerror(-socket.error()));
  if (!awaits(pid_, SIGQUIT)) return State::opening;
  if (std::string obstacle = make_file(); !obstacle.empty()) return refuse("cannot be asked: " + obstacle);
  asked_ns_ = gray::os::now_ns();
  kill(pid_, SIGQUIT);
  return State::opening;
}

// The JVM looks for the file first in its working folder and then in /tmp. The JVM does not accept a file of another user, and answers the
// signal by a thread dump. The file is made and removed by the folder's descriptor, which stays when the process is gone.
std::string JavaAttach::make_file() {
  struct stat status {};
  if (last_status_word(pid_, "Uid") != std::to_string(geteuid())) return "it runs for another user";
  const std::string in_cwd = "/proc/" + std::to_string(pid_) + "/cwd/" + file_name_;
  if (lstat(in_cwd.c_str(), &status) == 0 && !is_own_file(status))
    return file_name_ + " in its working folder is another user's, or no file";
  folder_ = ScopedFd::open(in_root(pid_, "/tmp").c_str(), O_PATH | O_DIRECTORY);
  if (!folder_.is_open()) return std::string("/tmp: ") + std::strerror(-folder_.error());
  const auto made =
      ScopedFd::open(file_name_.c_str(), O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY, 0600, folder_.get());
  if (!made.is_open() && made.error() != -EEXIST)
    return "/tmp/" + file_name_ + ": " + std::strerror(-made.error());
  if (fstatat(folder_.get(), file_name_.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0 || !is_own_file(status))
    return "/tmp/" + file_name_ + " is another user's, or no file";
  is_file_there_ = true;
  return "";
}

// Any user may make a socket in this folder. So the code checks that the process behind the socket is this JVM.
ScopedFd JavaAttach::connect_to() const {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = in_root(pid_, "/tmp/.java_pid" + own_number_);
  struct stat status {};
  if (path.size() >= sizeof address.sun_path) return ScopedFd(-ENAMETOOLONG);
  if (lstat(path.c_str(), &status) != 0) return ScopedFd(-errno);
  if (!S_ISSOCK(status.st_mode)) return ScopedFd(-ENOTSOCK);
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  ScopedFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd.is_open()) return ScopedFd(-errno);
  if (connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    return ScopedFd(-errno);
  ucred peer{};
  socklen_t length = sizeof peer;
  if (getsockopt(fd.get(), SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0 || peer.pid != pid_)
    return ScopedFd(-EPERM);
  return fd;
}

// Protocol version 1: the version, the command and three arguments, each ended by a zero byte.
int JavaAttach::send(int fd, const std::string& command, const std::string& argument,
                     const std::string& more) const {
  std::string text;
  for (const std::string& word : {std::string("1"), command, argument, more, std::string()}) {
    text += word;
    text += '\0';
  }
  const ssize_t length = ::send(fd, text.data(), text.size(), MSG_NOSIGNAL);
  if (length < 0) return -errno;
  return static_cast<std::size_t>(length) == text.size() ? 0 : -EIO;
}

int JavaAttach::ask(const std::string& command, const std::string& argument, const std::string& more,
                    std::string& answer) const {
  const ScopedFd fd = connect_to();
  if (!fd.is_open()) return fd.error();
  if (const int error = send(fd.get(), command, argument, more); error != 0) return error;
  answer.clear();
  char part[8192];
  while (answer.size() < kAnswerBytesMax) {
    if (!is_readable(fd.get(), kAnswerWaitMs)) return -ETIMEDOUT;
    const ssize_t length = read(fd.get(), part, sizeof part);
    if (length < 0) return -errno;
    if (length == 0) break;
    answer.append(part, static_cast<std::size_t>(length));
  }
  const std::size_t line = answer.find('\n');
  const bool is_done = answer.substr(0, line) == "0";
  answer.erase(0, line == std::string::npos ? answer.size() : line + 1);
  return is_done ? 0 : -EINVAL;
}

int JavaAttach::start(const std::string& command, const std::string& argument) {
  pending_ = connect_to();
  return pending_.is_open() ? send(pending_.get(), command, argument, "") : pending_.error();
}

bool JavaAttach::is_busy() {
  char part[4096];
  while (pending_.is_open() && is_readable(pending_.get(), 0)) {
    if (read(pending_.get(), part, sizeof part) <= 0) pending_.reset();
  }
  return pending_.is_open();
}

}  // namespace heapnice
