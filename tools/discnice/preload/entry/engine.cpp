// SPDX-License-Identifier: MIT
// engine: the functions of the preload library that the transfer code calls (transfer/engine.hpp).
#include "tools/discnice/transfer/engine.hpp"

#include <pthread.h>

#include "tools/discnice/preload/entry/direct_calls.hpp"
#include "tools/discnice/preload/entry/real_calls.hpp"

namespace discnice::guest {
namespace {

// Before glibc 2.34 this function is in libpthread, which only programs with threads have.
using TestCancel = void (*)();
constinit TestCancel test_cancel = nullptr;

}  // namespace

void engine::test_cancellation() {
  if (auto* test = DISCNICE_SELDOM(test_cancel, pthread_testcancel); test != nullptr) test();
}

void engine::prepare_quick_calls() {
  prepare_direct_calls();
}

}  // namespace discnice::guest
