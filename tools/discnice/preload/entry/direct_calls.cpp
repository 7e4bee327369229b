// SPDX-License-Identifier: MIT
#include "tools/discnice/preload/entry/direct_calls.hpp"

#include "tools/discnice/preload/entry/real_calls.hpp"

namespace discnice::shim {
namespace {

constexpr char kNotAlone = 0;
constinit std::atomic<bool> is_looked_for{false};

}  // namespace

constinit std::atomic<const char*> detail::thread_mark{&kNotAlone};

void prepare_direct_calls() {
  if (is_looked_for.load(std::memory_order_relaxed)) return;
  is_looked_for.store(true, std::memory_order_relaxed);
  if (const char* mark = find_thread_mark(); mark != nullptr)
    detail::thread_mark.store(mark, std::memory_order_relaxed);
}

void forbid_direct_calls() {
  is_looked_for.store(true, std::memory_order_relaxed);
  detail::thread_mark.store(&kNotAlone, std::memory_order_relaxed);
}

}  // namespace discnice::shim
