// SPDX-License-Identifier: MIT
#include "tools/gb-grep/marks.hpp"

#include <cerrno>
#include <cstdlib>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/gb-grep/grep_program.hpp"
#include "tools/gb-grep/spool.hpp"

namespace gb_grep {
namespace {

constexpr int kFdMin = 100;  // three digits

// Makes a pipe without a name: the pipe's name is removed before another program can open the pipe.
int make_pipe(const std::string& path) {
  if (mkfifo(path.c_str(), S_IRUSR | S_IWUSR) != 0) return -1;
  const int fd = open(path.c_str(), O_PATH);
  const int high = fd < 0 ? -1 : fcntl(fd, F_DUPFD, kFdMin);
  if (fd >= 0) close(fd);
  unlink(path.c_str());
  return high;
}

}  // namespace

Marks::Marks() {
  std::string folder = temporary_folder() + "/gb-grep.XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) return;
  for (int i = 0; i < 2; ++i) {
    fds_[i] = make_pipe(folder + "/mark");
    names_[i] = name_of(fds_[i]);
  }
  rmdir(folder.c_str());
}

Marks::~Marks() {
  for (const int fd : fds_)
    if (fd >= 0) close(fd);
}

bool Marks::wait(std::size_t number) const {
  while (!has_ended_ && (open_ = open(name(number), O_WRONLY | O_CLOEXEC)) < 0 && errno == EINTR) {
  }
  if (!has_ended_) return open_ >= 0;
  let_go();
  return false;
}

void Marks::let_go() const {
  if (open_ >= 0) close(open_);
  open_ = -1;
}

// After grep has ended, no process opens the marks, so wait() would wait for ever. This thread notices the end of grep.
void Marks::begin(pid_t grep) {
  has_ended_ = false;
  watch_ = std::thread([this, grep] {
    siginfo_t info{};
    while (waitid(P_PID, static_cast<id_t>(grep), &info, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
    }
    has_ended_ = true;
    for (int i = 0; i < 2; ++i)
      readers_[i] = open(name(static_cast<std::size_t>(i)), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  });
}

void Marks::end() {
  watch_.join();
  for (int& reader : readers_) {
    if (reader >= 0) close(reader);
    reader = -1;
  }
}

}  // namespace gb_grep
