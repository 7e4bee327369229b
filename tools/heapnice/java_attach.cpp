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

namespace heapnice {
namespace {

using gray::base::ScopedFd;

constexpr std::uint64_t kSocketWaitNs = 10 * gray::base::kNanosecondsPerSecond;
constexpr int kAnswerWaitMs = 1000;
constexpr std::size_t kAnswerBytesMax = 1U << 20U;

std::string in_root(int pid, const std::string& path) {
  return "/proc/" + std::to_string(pid) + "/root" + path;
}

// The last word behind a key of /proc/PID/status.
std::string word_behind(const std::string& text, const char* key) {
  const std::size_t place = text.find(key);
  if (place == std::string::npos) return "";
  const std::size_t end = std::min(text.find('\n', place + 1), text.size());
  const std::size_t start = text.find_last_of(" \t", end - 1) + 1;
  return text.substr(start, end - start);
}

bool awaits(const std::string& status, int signal) {
  const std::string mask = word_behind(status, "\nSigCgt:");
  std::uint64_t bits = 0;
  const auto [end, error] = std::from_chars(mask.data(), mask.data() + mask.size(), bits, 16);
  return error == std::errc{} && (bits >> static_cast<unsigned>(signal - 1) & 1U) != 0;
}

bool is_readable(int fd, int timeout_ms) {
  pollfd polled{fd, POLLIN, 0};
  return poll(&polled, 1, timeout_ms) > 0;
}

}  // namespace

JavaAttach::JavaAttach(int pid) : pid_(pid) {
  std::string status;
  gray::os::read_text("/proc/" + std::to_string(pid) + "/status", status);
  own_number_ = word_behind(status, "\nNSpid:");
}

JavaAttach::~JavaAttach() {
  if (!file_.empty()) unlink(file_.c_str());
}

JavaAttach::State JavaAttach::open() {
  if (!problem_.empty()) return State::refused;
  if (connect_to().is_open()) {
    if (!file_.empty()) unlink(file_.c_str());
    file_.clear();
    return State::open;
  }
  if (asked_ns_ != 0) {
    if (gray::os::now_ns() - asked_ns_ < kSocketWaitNs) return State::opening;
    problem_ = "does not answer (-XX:+DisableAttachMechanism, or another user's)";
    return State::refused;
  }
  std::string status;
  gray::os::read_text("/proc/" + std::to_string(pid_) + "/status", status);
  if (!awaits(status, SIGQUIT)) return State::opening;
  file_ = in_root(pid_, "/tmp/.attach_pid" + own_number_);
  const auto made = ScopedFd::open(file_.c_str(), O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY, 0600);
  if (!made.is_open() && made.error() != -EEXIST) {
    problem_ = std::string("cannot be asked: ") + file_ + ": " + std::strerror(-made.error());
    file_.clear();
    return State::refused;
  }
  asked_ns_ = gray::os::now_ns();
  kill(pid_, SIGQUIT);
  return State::opening;
}

// The socket lies where every user may make one. So the process that answers must be that JVM.
ScopedFd JavaAttach::connect_to() const {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = in_root(pid_, "/tmp/.java_pid" + own_number_);
  struct stat status {};
  if (path.size() >= sizeof address.sun_path || lstat(path.c_str(), &status) != 0 ||
      !S_ISSOCK(status.st_mode))
    return ScopedFd(-ENOENT);
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

// Version 1: the version, the command and three arguments, each with a zero behind it.
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
