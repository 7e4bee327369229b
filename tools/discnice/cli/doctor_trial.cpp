// SPDX-License-Identifier: MIT
#include "tools/discnice/cli/doctor_trial.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace discnice::cli {
namespace {

using gray::base::ScopedFd;

constexpr int kTrialMs = 10'000;
constexpr int kTriesMax = 4;
constexpr int kPartingMs = 1000;
// A job that is held waits for less than the 0.25 s that its bytes take at this rate. The bytes of the first 0.1 s need no wait, and a busy machine
// also delays the job.
constexpr double kHeldMinS = 0.05;
// The command lives on after its write: a process that is held from outside must still exist when its bytes are counted.
constexpr char kLivesOn[] = "dd if=/dev/zero bs={} count=1 2>/dev/null && sleep 0.05";
constexpr mode_t kFileMode = 0600;

// Returns the content of the file; an empty text when the file cannot be read.
std::string content_of(int fd) {
  std::string text(static_cast<std::size_t>(std::max<off_t>(0, lseek(fd, 0, SEEK_END))), '\0');
  const ssize_t got = pread(fd, text.data(), text.size(), 0);
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text;
}

pid_t start(const std::vector<std::string>& words, int output_fd, int error_fd) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output_fd, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, error_fd, STDERR_FILENO);
  pid_t pid = -1;
  const int error = posix_spawn(&pid, "/proc/self/exe", &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return error == 0 ? pid : -error;
}

bool has_ended_within(pid_t pid, int ms) {
  const ScopedFd process(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  pollfd end{process.get(), POLLIN, 0};
  return process.is_open() && poll(&end, 1, ms) > 0;
}

int wait_for(pid_t pid) {
  if (!has_ended_within(pid, kTrialMs)) {
    kill(pid, SIGTERM);
    if (!has_ended_within(pid, kPartingMs)) kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
    return kTrialLost;
  }
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : kTrialLost;
}

void read_report(const std::string& line, Trial& trial) {
  const auto json = nlohmann::json::parse(line, nullptr, false);
  if (!json.is_object()) return;
  trial.processes = json.value("processes", std::uint64_t{0});
  trial.held_s = json.value("slept_seconds", 0.0) + json.value("after_end_seconds", 0.0);
  if (json.contains("kernel_write_bytes") && json["kernel_write_bytes"].is_number())
    trial.kernel_write_bytes = json["kernel_write_bytes"].get<std::uint64_t>();
  for (const auto& one : json.value("uncovered_programs", nlohmann::json::array()))
    trial.uncovered += (trial.uncovered.empty() ? "" : ", ") + one.get<std::string>();
}

void read_words(const std::string& text, Trial& trial) {
  constexpr std::string_view kOwnName = "discnice: ";
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind(kOwnName, 0) == 0 && trial.said.empty()) trial.said = line.substr(kOwnName.size());
    if (line.rfind('{', 0) == 0) read_report(line, trial);
  }
}

}  // namespace

ScopedFd make_nameless_file(const std::string& folder) {
  ScopedFd file(open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, kFileMode));
  if (file.is_open()) return file;
  if (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT && errno != EINVAL) return ScopedFd(-errno);
  std::string name = folder + "/.discnice-doctor-XXXXXX";
  file.reset(mkostemp(name.data(), O_CLOEXEC));
  if (!file.is_open()) return ScopedFd(-errno);
  unlink(name.c_str());
  return file;
}

Trial run_trial(const std::vector<std::string>& options, int output_fd) {
  Trial trial;
  const ScopedFd words(memfd_create("discnice-doctor", MFD_CLOEXEC));
  std::vector<std::string> command{"discnice", "--rate", kTrialRate, "--json"};
  command.insert(command.end(), options.begin(), options.end());
  for (const std::string& word : {std::string("--"), std::string("sh"), std::string("-c"),
                                  fmt::format(fmt::runtime(kLivesOn), kTrialBytes)})
    command.push_back(word);
  const pid_t pid = words.is_open() ? start(command, output_fd, words.get()) : words.get();
  trial.exit_status = pid > 0 ? wait_for(pid) : kTrialLost;
  read_words(content_of(words.get()), trial);
  return trial;
}

bool is_held(const Trial& trial) {
  return trial.exit_status == 0 && trial.uncovered.empty() && trial.held_s >= kHeldMinS;
}

Trial run_held_trial(const std::vector<std::string>& options, int output_fd) {
  Trial trial = run_trial(options, output_fd);
  for (int more = 1; more < kTriesMax && trial.exit_status == 0 && !is_held(trial); ++more)
    trial = run_trial(options, output_fd);
  return trial;
}

}  // namespace discnice::cli
