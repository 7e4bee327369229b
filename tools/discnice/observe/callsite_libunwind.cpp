// SPDX-License-Identifier: MIT
// callsite_libunwind: walks the stack by the unwind tables that compilers of C, C++ and Rust emit (.eh_frame).
//
// The walk may take libunwind's and the loader's own locks for a moment. For that reason the walk is in a library of its own, which is used only
// on request. libunwind may open files to find tables. These calls come back through the hooks, so a mark of the thread prevents a walk within a
// walk. The walk needs some kilobytes of stack. The walked stack may not have them: a thread's stack may have 16 KiB, a handler's stack 8 KiB. So
// the walk runs on a stack of the library. Signals wait meanwhile, because a handler must neither run on that stack nor leave it by longjmp().
// libunwind is loaded when a profile is wanted, and is not needed by this library. Otherwise a program whose loader does not find libunwind, in a
// container or with another libc, would not start at all.
#define UNW_LOCAL_ONLY
#include "tools/discnice/observe/callsite.hpp"

#include <cerrno>

#include <dlfcn.h>
#include <libunwind.h>

#include "tools/discnice/job/try_lock.hpp"
#include "tools/discnice/protocol/profile_records.hpp"
#include "tools/discnice/throttle/throttle.hpp"

#define DISCNICE_TEXT_OF(name) #name
#define DISCNICE_NAME_OF(name) DISCNICE_TEXT_OF(name)

namespace discnice::guest {
namespace {

constexpr std::size_t kStackBytes = 64 * 1024;
constexpr unsigned kStacks =
    4;  // the threads that may walk at once; the sample of a further thread is left out

// The TLS model is initial-exec, so that an access neither allocates memory nor calls a function.
__attribute__((tls_model("initial-exec"))) thread_local bool is_walking = false;

struct Walker {
  alignas(64) unsigned char stack[kStackBytes];
  unw_context_t context;
  std::uint64_t* frames;
  std::uint32_t frames_max;
  std::uint32_t count;
};
Walker walkers[kStacks];
std::atomic<std::uint32_t> walker_locks[kStacks];

// libunwind's functions; null until they are found.
decltype(&unw_init_local) init_local = nullptr;
decltype(&unw_step) step = nullptr;
decltype(&unw_get_reg) get_reg = nullptr;
#if defined(__x86_64__)
decltype(&unw_tdep_getcontext) get_context = nullptr;
#endif

template <typename Function>
bool find(void* library, const char* name, Function* function) {
  *function = reinterpret_cast<Function>(dlsym(library, name));
  return *function != nullptr;
}

bool find_functions(void* library) {
#if defined(__x86_64__)
  if (!find(library, DISCNICE_NAME_OF(unw_tdep_getcontext), &get_context)) return false;
#endif
  return find(library, DISCNICE_NAME_OF(unw_init_local), &init_local) &&
         find(library, DISCNICE_NAME_OF(unw_get_reg), &get_reg) &&
         find(library, DISCNICE_NAME_OF(unw_step), &step);
}

// Notes the processor's registers of the caller. On other machines a macro of libunwind does this.
__attribute__((always_inline)) inline bool note_context(unw_context_t* context) {
#if defined(__x86_64__)
  return get_context(context) == 0;
#else
  return unw_getcontext(context) == 0;
#endif
}

void walk(Walker* walker) {
  unw_cursor_t cursor;
  if (init_local(&cursor, &walker->context) != 0) return;
  while (walker->count < walker->frames_max && step(&cursor) > 0) {
    unw_word_t address = 0;
    if (get_reg(&cursor, UNW_REG_IP, &address) != 0 || address == 0) break;
    walker->frames[walker->count++] = address;
  }
}

// Calls `function(walker)` with the stack pointer at `stack_end`.
extern "C" __attribute__((visibility("hidden"))) void discnice_call_on_stack(Walker* walker, void* stack_end,
                                                                             void (*function)(Walker*));
#if defined(__x86_64__)
asm(R"(
  .pushsection .text.discnice_call_on_stack, "ax", @progbits
  .globl discnice_call_on_stack
  .hidden discnice_call_on_stack
  .type discnice_call_on_stack, @function
discnice_call_on_stack:
  .cfi_startproc
  endbr64
  pushq %rbp
  .cfi_def_cfa_offset 16
  .cfi_offset %rbp, -16
  movq %rsp, %rbp
  .cfi_def_cfa_register %rbp
  movq %rsi, %rsp
  callq *%rdx
  movq %rbp, %rsp
  popq %rbp
  .cfi_def_cfa %rsp, 8
  retq
  .cfi_endproc
  .size discnice_call_on_stack, . - discnice_call_on_stack
  .popsection
)");
#elif defined(__aarch64__)
asm(R"(
  .pushsection .text.discnice_call_on_stack, "ax", @progbits
  .globl discnice_call_on_stack
  .hidden discnice_call_on_stack
  .type discnice_call_on_stack, @function
discnice_call_on_stack:
  .cfi_startproc
  stp x29, x30, [sp, #-16]!
  .cfi_def_cfa_offset 16
  .cfi_offset 29, -16
  .cfi_offset 30, -8
  mov x29, sp
  .cfi_def_cfa_register 29
  mov sp, x1
  blr x2
  mov sp, x29
  ldp x29, x30, [sp], #16
  .cfi_def_cfa 31, 0
  ret
  .cfi_endproc
  .size discnice_call_on_stack, . - discnice_call_on_stack
  .popsection
)");
#endif

std::uint32_t walk_with(Walker& walker, std::uint64_t* frames, std::uint32_t frames_max) {
  walker.frames = frames;
  walker.frames_max = frames_max;
  walker.count = 0;
  if (!note_context(&walker.context)) return 0;
  discnice_call_on_stack(&walker, walker.stack + sizeof walker.stack, walk);
  return walker.count;
}

}  // namespace

void prepare_walks() {
  const int errno_before = errno;
  void* library = dlopen(protocol::kUnwindLibrary, RTLD_NOW);
  // The step function is stored last, because other code takes its presence as a sign that all functions were found.
  if (library != nullptr) static_cast<void>(find_functions(library));
  errno = errno_before;
}

std::uint32_t walk_stack(std::uint64_t* frames, std::uint32_t frames_max, std::uint32_t epoch) {
  if (is_walking || step == nullptr) return 0;
  throttle::SignalHold signals;
  signals.begin();
  for (unsigned i = 0; i < kStacks; ++i) {
    const TryLock lock(walker_locks[i], epoch);
    if (!lock) continue;
    is_walking = true;
    const std::uint32_t count = walk_with(walkers[i], frames, frames_max);
    is_walking = false;
    return count;
  }
  return 0;
}

}  // namespace discnice::guest
