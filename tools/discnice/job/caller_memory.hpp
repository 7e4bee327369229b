// SPDX-License-Identifier: MIT
// caller_memory: reads memory through a pointer that a program passed, without trusting the pointer.
//
// For a bad pointer the program must get the EFAULT of the real call, and not a crash in the wrapper. So the kernel does the copying (process_vm_readv on this process). If a
// sandbox forbids that call, the prediction does without the data.
#pragma once

#include <cstddef>
#include <cstdint>

#include <sys/uio.h>

namespace discnice::guest {

/// Copies `bytes` bytes from the program's `source`. False if they can't be read. Takes about 300 ns and does not change errno.
bool read_caller(const void* source, void* target, std::size_t bytes);

/// The sum of the lengths in a vector of buffers. 0 if the vector can't be read, is empty, or is longer than the kernel accepts.
std::uint64_t vector_bytes(const iovec* vector, int count);

}  // namespace discnice::guest
