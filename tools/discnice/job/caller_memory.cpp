// SPDX-License-Identifier: MIT
#include "tools/discnice/job/caller_memory.hpp"

#include <sys/syscall.h>

#include "toolbox/base/raw_sys.hpp"

namespace discnice::guest {
namespace {

constexpr int kVectorMax = 1024;  // UIO_MAXIOV; the kernel refuses more
constexpr int kVectorPart = 64;   // copied at once, to the stack

}  // namespace

bool read_caller(const void* source, void* target, std::size_t bytes) {
  const iovec to{target, bytes};
  const iovec from{const_cast<void*>(source), bytes};
  const long pid = gray::base::raw_syscall(SYS_getpid);
  const long copied = gray::base::raw_syscall(SYS_process_vm_readv, pid, gray::base::word(&to), 1,
                                              gray::base::word(&from), 1, 0);
  return copied == static_cast<long>(bytes);
}

std::uint64_t vector_bytes(const iovec* vector, int count) {
  if (count <= 0 || count > kVectorMax) return 0;
  iovec part[kVectorPart];
  std::uint64_t bytes = 0;
  for (int first = 0; first < count; first += kVectorPart) {
    const int entries = count - first < kVectorPart ? count - first : kVectorPart;
    if (!read_caller(vector + first, part, static_cast<std::size_t>(entries) * sizeof(iovec))) return 0;
    for (int i = 0; i < entries; ++i) bytes += part[i].iov_len;
  }
  return bytes;
}

}  // namespace discnice::guest
