// SPDX-License-Identifier: MIT
#include "tools/discnice/shim/real_calls.hpp"

#include <atomic>
#include <cerrno>

#include <dlfcn.h>

namespace discnice::shim {
namespace {

// Its first libraries share the page that a start writes (start_order.ld).
__attribute__((section(".bss.start"))) constinit NextSymbols symbols;
constinit std::atomic<bool> are_symbols_read{false};

void read_symbols() {
  if (are_symbols_read.load(std::memory_order_acquire)) return;
  symbols.read_loaded();
  are_symbols_read.store(true, std::memory_order_release);  // pairs with look_up_real_call()
}

void* ask_loader(const char* name) {
  const int errno_before = errno;
  void* address = dlsym(RTLD_NEXT, name);
  errno = errno_before;
  return address;
}

// Long and seldom needed: not among what a start touches (start_order.ld).
__attribute__((cold)) void look_up_all() {
#define DISCNICE_EACH(type, name, parameters) static_cast<void>(DISCNICE_REAL(name));
#include "tools/discnice/shim/interposed_each.inc"
}

}  // namespace

RealCalls real;

void prepare_real_calls() {
  read_symbols();
  if (!symbols.are_all_known()) return look_up_all();
    // The wrappers of these are no place to look anything up.
#define DISCNICE_SYSCALL(type, name, parameters, ...) static_cast<void>(DISCNICE_REAL(name));
#include "tools/discnice/shim/interposed_syscall.def"
#undef DISCNICE_SYSCALL
}

void* look_up_real_call(const char* name, std::uint32_t hash, LookUp when) {
  if (when == LookUp::always) read_symbols();
  if (!are_symbols_read.load(std::memory_order_acquire)) return nullptr;
  const NextSymbols::Finding found = symbols.find(name, hash);
  return found.is_certain ? found.address : ask_loader(name);
}

}  // namespace discnice::shim
