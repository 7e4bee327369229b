// SPDX-License-Identifier: MIT
// signalled_reader: reads a file until a signal tells it to stop, as careful programs do. The handler only sets a flag.
//
//   signalled_reader FILE [BLOCK_BYTES]
//
// SIGINT and SIGTERM end it with status 3 when the current read has returned. The end of the file ends it with status 0. It prints "reading" at the start, and then
// how many bytes it has read and whether any read failed.
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace {

constexpr std::size_t kBlockBytes = 1U << 20U;
volatile sig_atomic_t is_told_to_stop = 0;

void stop(int /*number*/) {
  is_told_to_stop = 1;
}

}  // namespace

int main(int argc, char** argv) {
  const int fd = argc > 1 ? open(argv[1], O_RDONLY) : -1;
  if (fd < 0) {
    std::fputs("usage: signalled_reader FILE [BLOCK_BYTES]\n", stderr);
    return 2;
  }
  std::vector<char> block(argc > 2 ? std::strtoul(argv[2], nullptr, 10) : kBlockBytes);
  std::signal(SIGINT, stop);
  std::signal(SIGTERM, stop);
  std::puts("reading");
  std::fflush(stdout);
  long sum = 0;
  ssize_t length = 1;
  while (is_told_to_stop == 0 && (length = read(fd, block.data(), block.size())) > 0) sum += length;
  std::printf("%s after %ld bytes, %s\n", is_told_to_stop != 0 ? "told to stop" : "at the end", sum,
              length < 0 ? "a read failed" : "no read failed");
  return is_told_to_stop != 0 ? 3 : 0;
}
