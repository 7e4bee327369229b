// SPDX-License-Identifier: MIT
// caller_memory: reads what a program passed by pointer without trusting the pointer.
//
// A bad pointer must give the program the EFAULT of the real call, not a crash in our wrapper, so the kernel
// does the copying (process_vm_readv on ourselves). Where a sandbox forbids that call, nothing is learned and
// the prediction does without.
#pragma once

#include <cstddef>
#include <cstdint>

#include <sys/uio.h>

namespace discnice::guest {

/// Copies `bytes` bytes from the program's `source`; false when they can't be read. About 300 ns; errno is
/// left alone.
bool read_caller(const void* source, void* target, std::size_t bytes);

/// The sum of the lengths of a vector of buffers; 0 when it can't be read, is empty or is longer than the
/// kernel takes.
std::uint64_t vector_bytes(const iovec* vector, int count);

}  // namespace discnice::guest
