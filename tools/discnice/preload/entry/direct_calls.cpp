// SPDX-License-Identifier: MIT
#include "tools/discnice/preload/entry/direct_calls.hpp"

namespace discnice::guest {
namespace {

constinit std::atomic<bool> is_looked_for{false};

}  // namespace

void prepare_direct_calls() {
  if (is_looked_for.load(std::memory_order_relaxed)) return;
  is_looked_for.store(true, std::memory_order_relaxed);
  look_for_thread_mark();
}

}  // namespace discnice::guest
