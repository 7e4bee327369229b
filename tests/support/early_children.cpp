// SPDX-License-Identifier: MIT
// early_children: makes children before it has used any file. Then all of these processes read a file.
//
// Usage: early_children fork|vfork|both|late FILE.
// "fork": one child, which reads FILE. "vfork": two children, one after the other, that read FILE in the parent's memory, and a child that becomes /bin/true after
// that. "both": a forked child that makes the children of "vfork". "late": as "both", after a first read of FILE. At the end the process itself reads FILE
// twice. So FILE is read 3, 5, 6 or 7 times, by 2, 4, 5 or 5 processes.
#include <cstdio>
#include <cstring>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

// This code uses neither stdio nor the heap, because a child that runs in its parent's memory must not damage that memory.
bool read_whole(const char* path) {
  static char block[16384];
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  ssize_t got = 0;
  while ((got = read(fd, block, sizeof block)) > 0) {
  }
  return close(fd) == 0 && got == 0;
}

bool has_ended_well(pid_t pid) {
  int status = 0;
  return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

// The three calls are written out, because a function that calls vfork() must not return in the child.
bool run_in_own_memory(const char* path) {
  const pid_t reader = vfork();
  if (reader == 0) _exit(read_whole(path) ? 0 : 1);
  if (!has_ended_well(reader)) return false;
  const pid_t second = vfork();
  if (second == 0) _exit(read_whole(path) ? 0 : 1);
  if (!has_ended_well(second)) return false;
  const pid_t other = vfork();
  if (other == 0) {
    if (read_whole(path)) execl("/bin/true", "true", static_cast<char*>(nullptr));
    _exit(1);
  }
  return has_ended_well(other);
}

bool fork_first(const char* path, bool (*work)(const char*)) {
  const pid_t child = fork();
  if (child == 0) _exit(work(path) && read_whole(path) ? 0 : 1);
  return has_ended_well(child);
}

bool do_nothing(const char* /*path*/) {
  return true;
}

bool run(const char* way, const char* path) {
  if (std::strcmp(way, "fork") == 0) return fork_first(path, do_nothing);
  if (std::strcmp(way, "vfork") == 0) return run_in_own_memory(path);
  const bool is_late = std::strcmp(way, "late") == 0;
  if (is_late && !read_whole(path)) return false;
  return (is_late || std::strcmp(way, "both") == 0) && fork_first(path, run_in_own_memory);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const bool is_good = run(argv[1], argv[2]) && read_whole(argv[2]) && read_whole(argv[2]);
  if (!is_good) std::fputs("early_children: a child, or a read, failed\n", stderr);
  return is_good ? 0 : 1;
}
