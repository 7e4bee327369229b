// SPDX-License-Identifier: MIT
// caller_memory: reads data that a program passed by pointer, without trusting the pointer.
//
// A bad pointer must give the program the EFAULT of the real call, and must not crash the wrapper. So the kernel does the copying (process_vm_readv
// on this process itself). If a sandbox forbids that call, the data stays unknown, and the prediction is made without it.
#pragma once

#include <cstddef>
#include <cstdint>

#include <sys/uio.h>

namespace discnice::guest {

/// Copies `bytes` bytes from the program's `source`. Returns false when they cannot be read. Takes about 300 ns. Keeps errno.
bool read_caller(const void* source, void* target, std::size_t bytes);

/// The sum of the lengths of a vector of buffers; 0 when the vector cannot be read, is empty, or is longer than the kernel accepts.
std::uint64_t vector_bytes(const iovec* vector, int count);

}  // namespace discnice::guest
