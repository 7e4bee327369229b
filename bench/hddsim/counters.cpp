// SPDX-License-Identifier: MIT
#include "bench/hddsim/counters.hpp"

#include <cerrno>
#include <new>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace hddsim {

Counters* map_counters(const std::string& path, bool is_new) {
  const int fd =
      open(path.c_str(), is_new ? O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC : O_RDONLY | O_CLOEXEC, 0644);
  if (fd < 0) return nullptr;
  struct stat status {};
  const bool is_sized =
      is_new ? ftruncate(fd, sizeof(Counters)) == 0
             : fstat(fd, &status) == 0 && status.st_size >= static_cast<off_t>(sizeof(Counters));
  void* address = is_sized ? mmap(nullptr, sizeof(Counters), is_new ? PROT_READ | PROT_WRITE : PROT_READ,
                                  MAP_SHARED, fd, 0)
                           : MAP_FAILED;
  close(fd);
  if (address == MAP_FAILED) return nullptr;
  if (is_new) return new (address) Counters;
  auto* counters = static_cast<Counters*>(address);
  if (counters->magic == kCountersMagic) return counters;
  errno = EINVAL;
  return nullptr;
}

}  // namespace hddsim
