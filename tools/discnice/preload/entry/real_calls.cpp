// SPDX-License-Identifier: MIT
#include "tools/discnice/preload/entry/real_calls.hpp"

#include <atomic>
#include <cerrno>

#include <dlfcn.h>

namespace discnice::guest {
namespace {

// The tables of the first libraries share the page that a start writes (start_order.ld).
__attribute__((section(".bss.start"))) constinit NextSymbols symbols;
constinit std::atomic<bool> are_symbols_read{false};

// The one library that has all functions looked up so far, counted from 1. kSeveral when there are several libraries, or a library that is not
// known.
constexpr unsigned kSeveral = UINT32_MAX;
constinit std::atomic<unsigned> provider{0};

constexpr char kNotAlone = 0;

// The library is noted before the function can be called.
void note_provider(const NextSymbols::Finding& found) {
  const unsigned library = found.is_certain ? found.owner_number + 1 : kSeveral;
  const unsigned before = provider.load(std::memory_order_relaxed);
  if (before == library || (found.is_certain && found.address == nullptr)) return;
  provider.store(before == 0 ? library : kSeveral, std::memory_order_relaxed);
  if (before != 0) detail::thread_mark.store(&kNotAlone, std::memory_order_relaxed);
}

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

// This code is long and rarely needed, so it lies apart from the code that a start uses (start_order.ld).
__attribute__((cold)) void look_up_all() {
#define DISCNICE_EACH(type, name, parameters) static_cast<void>(DISCNICE_REAL(name));
#include "tools/discnice/preload/entry/interposed_each.inc"
  // A name that was not found must not show up when the program asks dlerror() for an error of its own.
  if (auto* forget = reinterpret_cast<char* (*)()>(ask_loader("dlerror")); forget != nullptr) forget();
}

// Looks up the functions whose hook may make the system call itself. This code lies apart, too, because it never runs during a start.
__attribute__((cold)) void look_up_direct_ones() {
#define DISCNICE_EACH(type, name, parameters)
#define DISCNICE_EACH_DIRECT(type, name, parameters) static_cast<void>(DISCNICE_REAL(name));
#include "tools/discnice/preload/entry/interposed_each.inc"
}

}  // namespace

RealCalls real;
constinit std::atomic<const char*> detail::thread_mark{&kNotAlone};

void prepare_real_calls() {
  read_symbols();
  if (!symbols.are_all_known()) return look_up_all();
    // The wrappers of these functions cannot look anything up.
#define DISCNICE_SYSCALL(type, name, parameters, ...) static_cast<void>(DISCNICE_REAL(name));
#include "tools/discnice/preload/entry/interposed_syscall.def"
#undef DISCNICE_SYSCALL
}

void* look_up_real_call(const char* name, std::uint32_t hash, LookUp when) {
  if (when == LookUp::always) read_symbols();
  if (!are_symbols_read.load(std::memory_order_acquire)) return nullptr;
  const NextSymbols::Finding found = symbols.find(name, hash);
  note_provider(found);
  return found.is_certain ? found.address : ask_loader(name);
}

void look_for_thread_mark() {
  constexpr char kName[] = "__libc_single_threaded";
  if (!are_symbols_read.load(std::memory_order_acquire)) return;
  look_up_direct_ones();
  const NextSymbols::Finding mark =
      symbols.find_datum(kName, std::integral_constant<std::uint32_t, symbol_hash(kName)>::value);
  const bool is_of_provider = provider.load(std::memory_order_relaxed) == mark.owner_number + 1;
  if (is_of_provider && mark.address != nullptr)
    detail::thread_mark.store(static_cast<const char*>(mark.address), std::memory_order_relaxed);
}

}  // namespace discnice::guest
