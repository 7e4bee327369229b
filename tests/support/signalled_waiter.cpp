// SPDX-License-Identifier: MIT
// signalled_waiter: waits for a child and cleans up inside its signal handler, as compilers' drivers and sort do.
//
//   signalled_waiter FILE TEMPORARY
//
// The child reads FILE through a mapping, so that at its next calls it must pay for the whole file. On SIGINT or SIGTERM the handler looks at TEMPORARY and
// removes it; the program then ends by the same signal. The status is 0 when the child ends first.
#include <csignal>
#include <cstdio>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

const char* temporary;

void clean_up(int number) {
  std::signal(number, SIG_DFL);
  struct stat status {};
  if (stat(temporary, &status) == 0) unlink(temporary);
  raise(number);
}

// Never returns.
void read_mapped(int fd) {
  struct stat status {};
  fstat(fd, &status);
  const auto length = static_cast<std::size_t>(status.st_size);
  const auto* bytes = static_cast<const volatile char*>(mmap(nullptr, length, PROT_READ, MAP_SHARED, fd, 0));
  if (bytes == MAP_FAILED) _exit(1);
  constexpr std::size_t kPageBytes = 4096;
  for (std::size_t at = 0; at < length; at += kPageBytes) static_cast<void>(bytes[at]);
  for (int call = 0; call < 3; ++call) close(open(temporary, O_RDONLY));
  _exit(0);
}

}  // namespace

int main(int argc, char** argv) {
  const int fd = argc > 2 ? open(argv[1], O_RDONLY) : -1;
  const int made = argc > 2 ? open(argv[2], O_WRONLY | O_CREAT, 0600) : -1;
  if (fd < 0 || made < 0) {
    std::fputs("usage: signalled_waiter FILE TEMPORARY\n", stderr);
    return 2;
  }
  temporary = argv[2];
  std::signal(SIGINT, clean_up);
  std::signal(SIGTERM, clean_up);
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGINT, SIG_DFL);
    read_mapped(fd);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return 0;
}
