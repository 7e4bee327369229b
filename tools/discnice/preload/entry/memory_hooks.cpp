// SPDX-License-Identifier: MIT
// memory_hooks: the wrappers of interposed_memory.def. The reads of mapped files are charged by the kernel's account.
//
// munmap() has no wrapper: allocators call it while they hold their locks, and no wait may begin there.
#include <atomic>
#include <cerrno>
#include <cstdint>

#include <sys/mman.h>
#include <sys/syscall.h>

#include "tools/discnice/preload/entry/hooks.hpp"
#include "tools/discnice/transfer/settled_call.hpp"

namespace discnice::guest {
namespace {

#ifndef MADV_POPULATE_READ
constexpr int kPopulateRead = 22;
constexpr int kPopulateWrite = 23;
#else
constexpr int kPopulateRead = MADV_POPULATE_READ;
constexpr int kPopulateWrite = MADV_POPULATE_WRITE;
#endif

bool does_read_at_once(int advice) {
  return advice == MADV_WILLNEED || advice == kPopulateRead || advice == kPopulateWrite;
}

// A program that goes through a file map by map makes no other call, and a fast disk brings in megabytes between two ticks of the clock. So the
// account is looked at after this many mapped bytes. Small maps wait for the clock.
constexpr std::uint64_t kMappedBytesMax = 128UL * 1024;
std::atomic<std::uint64_t> mapped_bytes{
    0};  // since the account was last looked at for mappings; a race between threads causes one look more

// The reads through earlier maps are charged here, so that they are paid before the program reads through the new map.
Job* before_mapping(Job* job, std::uint64_t length_bytes) {
  if (job == nullptr) return job;
  const std::uint64_t before_bytes = mapped_bytes.load(std::memory_order_relaxed);
  if (before_bytes >= kMappedBytesMax) settle(*job);
  mapped_bytes.store(before_bytes >= kMappedBytesMax ? length_bytes : before_bytes + length_bytes,
                     std::memory_order_relaxed);
  return job;
}

}  // namespace

#define DISCNICE_MAP(type, name, parameters, arguments, system, is_file)                              \
  DISCNICE_EXPORT(type, name, parameters);                                                            \
  type discnice_hook_##name parameters {                                                              \
    const SettledCall settled(before_mapping((is_file) ? job() : nullptr, length));                   \
    return DISCNICE_REAL(name) != nullptr ? real.name arguments : reinterpret_cast<type>(raw system); \
  }

// posix_madvise() returns its error instead of setting errno. The raw form, used before the constructors, only says that there was an error.
#define DISCNICE_ADVISE_MEMORY(type, name, parameters, arguments, system, advice) \
  DISCNICE_EXPORT(type, name, parameters);                                        \
  type discnice_hook_##name parameters {                                          \
    const SettledCall settled(does_read_at_once(advice) ? job() : nullptr);       \
    return DISCNICE_CALL(type, name, arguments, system);                          \
  }

#include "tools/discnice/preload/entry/interposed_memory.def"

}  // namespace discnice::guest
