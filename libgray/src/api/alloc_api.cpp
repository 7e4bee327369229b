// SPDX-License-Identifier: MIT
// alloc_api: the C interface of memory admission. No exception leaves this file.
#include <cerrno>
#include <cstdlib>
#include <mutex>

#include <poll.h>
#include <pthread.h>

#include "gray/alloc.h"
#include "libgray/src/api/guarded.hpp"
#include "libgray/src/api/sized_struct.hpp"
#include "libgray/src/memory/allocator.hpp"
#include "libgray/src/memory/pressure.hpp"
#include "libgray/src/memory/touch_times.hpp"
#include "toolbox/repo/repository.hpp"

namespace {

using gray::api::guarded;
using gray::memory::Allocator;
using gray::memory::CachePolicy;
using gray::memory::Request;

constexpr std::size_t kOptionsSizeFirst = 40;  // release 0.1
static_assert(sizeof(gb_alloc_options) >= kOptionsSizeFirst);
static_assert(GB_SIGNALS_ALL == gray::memory::kSignalsAll);

constexpr std::uint64_t kNanosecondsPerMillisecond = 1'000'000;
constexpr std::uint64_t kForEver = ~std::uint64_t{0};

Allocator* the_allocator = nullptr;

// The allocator is never destroyed, because a destructor that runs later than this library's destructors may still free a grant.
Allocator& allocator() {
  static std::once_flag is_made;
  std::call_once(is_made, [] {
    the_allocator = new Allocator(
        [] { return gray::memory::recorded_times(gray::repo::Repository(gray::repo::default_places())); });
    pthread_atfork([] { the_allocator->lock_for_fork(); }, [] { the_allocator->unlock_after_fork(); },
                   [] { the_allocator->unlock_after_fork(); });
  });
  return *the_allocator;
}

int read_options(const struct gb_alloc_options* given, Request& request) {
  const auto signals = gray::memory::parse_signals(std::getenv("GRAY_MAC"));
  if (!signals) return signals.error();
  request.signals = signals.value();
  if (given == nullptr) return 0;
  struct gb_alloc_options asked {};
  const int status = gray::api::read_sized(given, kOptionsSizeFirst, asked);
  if (status != 0) return status;
  if (asked.cache > GB_CACHE_STEAL || asked.reserved != 0) return -EINVAL;
  if ((asked.flags &
       ~std::uint32_t{GB_ALLOC_HUGE | GB_ALLOC_CANARY | GB_ALLOC_FILES | GB_ALLOC_RETURNABLE}) != 0)
    return -EINVAL;
  if ((asked.signals_off & ~std::uint32_t{GB_SIGNALS_ALL}) != 0) return -EINVAL;
  request.cache = static_cast<CachePolicy>(asked.cache);
  request.margin_bytes = asked.margin_bytes;
  const bool is_endless = asked.timeout_ms > kForEver / kNanosecondsPerMillisecond;
  request.timeout_ns = is_endless ? kForEver : asked.timeout_ms * kNanosecondsPerMillisecond;
  request.signals &= ~asked.signals_off;
  request.wants_huge_pages = (asked.flags & GB_ALLOC_HUGE) != 0;
  request.has_files = (asked.flags & GB_ALLOC_FILES) != 0;
  request.is_returnable = (asked.flags & GB_ALLOC_RETURNABLE) != 0;
  request.wants_canary = (asked.flags & GB_ALLOC_CANARY) != 0;
  return 0;
}

void* allocate(std::size_t min, std::size_t max, std::size_t multiple, std::size_t* got,
               const struct gb_alloc_options* options) {
  const int errno_before = errno;
  void* memory = nullptr;
  if (got != nullptr) *got = 0;
  const int status = guarded([&] {
    Request request;
    const int wrong = read_options(options, request);
    if (wrong != 0) return wrong;
    if (got == nullptr && min != max) return -EINVAL;
    request.min_bytes = min;
    request.max_bytes = max;
    request.multiple_bytes = multiple;
    const auto grant = allocator().allocate(request);
    if (!grant) return grant.error();
    memory = grant.value().address;
    if (got != nullptr) *got = grant.value().bytes;
    return 0;
  });
  errno = status == 0 ? errno_before : -status;
  return memory;
}

}  // namespace

extern "C" void* gb_alloc(size_t min, size_t max, size_t multiple, size_t* got) {
  return allocate(min, max, multiple, got, nullptr);
}

extern "C" void* gb_alloc_wait(size_t min, size_t max, size_t multiple, size_t* got, int64_t timeout_ms) {
  struct gb_alloc_options options {};
  options.size = sizeof options;
  options.timeout_ms = timeout_ms < 0 ? kForEver : static_cast<std::uint64_t>(timeout_ms);
  return allocate(min, max, multiple, got, &options);
}

extern "C" void* gb_alloc_with(size_t min, size_t max, size_t multiple, size_t* got,
                               const struct gb_alloc_options* options) {
  return allocate(min, max, multiple, got, options);
}

extern "C" gb_status_t gb_available(size_t min, size_t max, size_t multiple, size_t* bytes,
                                    const struct gb_alloc_options* options) {
  if (bytes == nullptr) return -EINVAL;
  *bytes = 0;
  return guarded([&] {
    Request request;
    const int wrong = read_options(options, request);
    if (wrong != 0) return wrong;
    request.min_bytes = min;
    request.max_bytes = max;
    request.multiple_bytes = multiple;
    const auto estimate = allocator().estimate(request);
    if (estimate) *bytes = estimate.value().bytes;
    return estimate.error();
  });
}

extern "C" gb_status_t gb_return_wait(void* memory, int64_t timeout_ms, size_t* bytes) {
  if (bytes == nullptr) return -EINVAL;
  *bytes = 0;
  const bool is_endless =
      timeout_ms < 0 || static_cast<std::uint64_t>(timeout_ms) > kForEver / kNanosecondsPerMillisecond;
  const std::uint64_t timeout_ns =
      is_endless ? kForEver : static_cast<std::uint64_t>(timeout_ms) * kNanosecondsPerMillisecond;
  return guarded([&] {
    const auto wanted = allocator().wanted_back(memory, timeout_ns);
    if (wanted) *bytes = wanted.value();
    return wanted.error();
  });
}

extern "C" gb_status_t gb_return_wanted(void* memory, size_t* bytes) {
  return gb_return_wait(memory, 0, bytes);
}

extern "C" gb_status_t gb_shrink(void* memory, size_t bytes) {
  return guarded([&] { return allocator().shrink(memory, bytes); });
}

extern "C" gb_status_t gb_free(void* memory) {
  if (memory == nullptr) return 0;
  const int errno_before = errno;
  const int status = guarded([&] { return allocator().release(memory); });
  errno = errno_before;
  return status;
}

extern "C" int gb_pressure_fd(short* events) {
  if (events == nullptr) return -EINVAL;
  int fd = -ENOTSUP;
  const int status = guarded([&] {
    const auto source = gray::memory::open_pressure(gray::memory::HostAccounts());
    if (!source) return source.error();
    fd = source.value().fd;
    *events = source.value().is_readable ? POLLIN : POLLPRI;
    return 0;
  });
  return status == 0 ? fd : status;
}
