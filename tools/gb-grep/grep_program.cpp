// SPDX-License-Identifier: MIT
#include "tools/gb-grep/grep_program.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <sstream>

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "toolbox/cli/diagnostics.hpp"

namespace gb_grep {
namespace {

constexpr int kTrouble = 2;

bool is_same_file(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

std::string read_all(int fd) {
  std::string text;
  char block[4096];
  for (ssize_t length; (length = pread(fd, block, sizeof block, static_cast<off_t>(text.size()))) > 0;)
    text.append(block, static_cast<std::size_t>(length));
  return text;
}

}  // namespace

std::string find_grep() {
  struct stat self {};
  const bool is_self_known = stat("/proc/self/exe", &self) == 0;
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "/bin:/usr/bin" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string program = (folder.empty() ? "." : folder) + "/grep";
    struct stat status {};
    if (stat(program.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
        access(program.c_str(), X_OK) == 0 && !(is_self_known && is_same_file(self, status)))
      return program;
  }
  return "";
}

std::vector<char*> as_arguments(const std::vector<std::string>& words) {
  static char name[] = "grep";  // grep's name in its messages
  std::vector<char*> arguments{name};
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  return arguments;
}

int become_grep(const std::string& program, const std::vector<std::string>& words) {
  execv(program.c_str(), as_arguments(words).data());
  return gray::cli::fail(kTrouble, "cannot run '{}': {}", program, gray::cli::error_text(errno));
}

pid_t start_grep(const std::string& program, const std::vector<char*>& arguments, int out_fd, int err_fd) {
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) gray::cli::warn("cannot start '{}': {}", program, gray::cli::error_text(errno));
  if (child != 0) return child;
  // If gb-grep dies, a grep that waits at a mark would wait for ever.
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(kTrouble);
  if (out_fd != STDOUT_FILENO) dup2(out_fd, STDOUT_FILENO);
  if (err_fd != STDERR_FILENO) dup2(err_fd, STDERR_FILENO);
  execv(program.c_str(), arguments.data());
  gray::cli::warn("cannot run '{}': {}", program, gray::cli::error_text(errno));
  _exit(kTrouble);
}

int wait_for(pid_t grep) {
  if (grep < 0) return kTrouble;
  int status = 0;
  while (waitpid(grep, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  std::signal(WTERMSIG(status), SIG_DFL);
  std::raise(WTERMSIG(status));
  constexpr int kSignalled = 128;
  std::_Exit(kSignalled + WTERMSIG(status));
}

Answer ask_grep(const std::string& program, const std::vector<std::string>& words) {
  const int out = memory_file("");
  const int err = memory_file("");
  Answer answer;
  answer.status = wait_for(start_grep(program, as_arguments(words), out, err));
  answer.out = read_all(out);
  answer.err = read_all(err);
  close(out);
  close(err);
  return answer;
}

int memory_file(const std::string& content) {
  const int fd = memfd_create("gb-grep", 0);
  if (fd >= 0 && write(fd, content.data(), content.size()) != static_cast<ssize_t>(content.size())) return -1;
  return fd;
}

std::string name_of(int fd) {
  return "/proc/self/fd/" + std::to_string(fd);
}

}  // namespace gb_grep
