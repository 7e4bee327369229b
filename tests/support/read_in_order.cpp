// SPDX-License-Identifier: MIT
// read_in_order: reads a file from its beginning to its end by calls of BYTES bytes.
//
//   read_in_order FILE BYTES
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  std::vector<char> block(std::strtoul(argv[2], nullptr, 10));
  const int file = open(argv[1], O_RDONLY);
  ssize_t length = file < 0 ? -1 : 1;
  while (length > 0) length = read(file, block.data(), block.size());
  if (length < 0) std::perror(argv[1]);
  return length < 0 ? 1 : 0;
}
