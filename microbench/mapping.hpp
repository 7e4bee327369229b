// SPDX-License-Identifier: MIT
// mapping: a range of memory directly from the kernel. It is given back at the end of its scope.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>

#include "microbench/benchmark.hpp"

namespace microbench {

class Mapping {
 public:
  /// Private memory, or with `fd` a shared view of a file. Throws NotAvailable.
  explicit Mapping(std::size_t bytes, int flags = 0, int fd = -1) : bytes_(bytes) {
    const int kind = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
    void* p = mmap(nullptr, bytes, fd < 0 ? PROT_READ | PROT_WRITE : PROT_READ, kind | flags, fd, 0);
    if (p == MAP_FAILED) throw NotAvailable("no address space for the test's memory");
    data_ = static_cast<char*>(p);
  }
  ~Mapping() { munmap(data_, bytes_); }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  [[nodiscard]] char* data() const { return data_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] bool advise(int advice) const { return madvise(data_, bytes_, advice) == 0; }

  /// The first place in it that is a multiple of `alignment`.
  [[nodiscard]] char* aligned(std::size_t alignment) const {
    const auto address = reinterpret_cast<std::uintptr_t>(data_);
    return data_ + (alignment - address % alignment) % alignment;
  }

 private:
  std::size_t bytes_;
  char* data_ = nullptr;
};

}  // namespace microbench
