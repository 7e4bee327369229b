// SPDX-License-Identifier: MIT
#include "tools/gbp/batches.hpp"

#include <cerrno>
#include <cstring>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "toolbox/cli/diagnostics.hpp"
#include "tools/gbp/order.hpp"

extern char** environ;

namespace gbp {
namespace {

constexpr std::size_t kHeadroomBytes = 4096;      // the headroom that POSIX requires of xargs
constexpr std::size_t kRoomMaxBytes = 1U << 20U;  // longer command lines gain nothing
constexpr std::size_t kRoomMinBytes = 4096;

std::size_t bytes_of(const char* text) {
  return std::strlen(text) + 1 + sizeof(char*);
}

// Runs one batch. Returns its exit status; 128 plus the signal's number if a signal ended it.
int run(const std::vector<std::string>& command, const std::vector<File>& files, std::size_t begin,
        std::size_t end) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  for (std::size_t i = begin; i < end; ++i) arguments.push_back(const_cast<char*>(files[i].path));
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int error = posix_spawnp(&child, arguments[0], nullptr, nullptr, arguments.data(), environ);
  if (error != 0) {
    return gray::cli::fail(error == ENOENT ? gray::cli::kExitNotFound : gray::cli::kExitCannotInvoke,
                           "cannot run '{}': {}", command[0], gray::cli::error_text(error));
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  constexpr int kSignalled = 128;
  return WIFEXITED(status) ? WEXITSTATUS(status) : kSignalled + WTERMSIG(status);
}

}  // namespace

std::size_t argument_room_bytes(const std::vector<std::string>& command) {
  const long limit = sysconf(_SC_ARG_MAX);
  std::size_t used = kHeadroomBytes;
  for (char** variable = environ; *variable != nullptr; ++variable) used += bytes_of(*variable);
  for (const std::string& word : command) used += bytes_of(word.c_str());
  const std::size_t all = limit > 0 ? static_cast<std::size_t>(limit) : kRoomMaxBytes;
  const std::size_t left = all > used + kRoomMinBytes ? all - used : kRoomMinBytes;
  return left < kRoomMaxBytes ? left : kRoomMaxBytes;
}

std::vector<std::size_t> batch_ends(const std::vector<File>& files, bool has_waves, std::size_t room_bytes) {
  std::vector<std::size_t> ends;
  std::size_t used = 0;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::size_t bytes = bytes_of(files[i].path);
    const bool is_next_wave = has_waves && i > 0 && is_cached(files[i]) != is_cached(files[i - 1]);
    if (used > 0 && (used + bytes > room_bytes || is_next_wave)) {
      ends.push_back(i);
      used = 0;
    }
    used += bytes;
  }
  if (!files.empty()) ends.push_back(files.size());
  return ends;
}

int run_batches(const std::vector<std::string>& command, const std::vector<File>& files, bool has_waves) {
  int exit_status = gray::cli::kExitSuccess;
  std::size_t begin = 0;
  for (const std::size_t end : batch_ends(files, has_waves, argument_room_bytes(command))) {
    const int status = run(command, files, begin, end);
    if (status == gray::cli::kExitCannotInvoke || status == gray::cli::kExitNotFound) return status;
    if (status != 0) exit_status = gray::cli::kExitSomeFailed;
    begin = end;
  }
  return exit_status;
}

}  // namespace gbp
