// SPDX-License-Identifier: MIT
// callsite_libunwind: walks the stack by the unwind tables that compilers of C, C++ and Rust emit (.eh_frame).
//
// The walk may take libunwind's and the loader's own locks for a moment, which is why this is a library of its own that nobody gets
// unasked. libunwind may open files to find tables; those calls come back through our hooks, so a mark of the thread keeps the walk out
// of itself.
#define UNW_LOCAL_ONLY
#include "tools/discnice/shim/callsite.hpp"

#include <libunwind.h>

namespace discnice::shim {
namespace {

// Initial-exec, so that using it neither allocates nor calls anybody.
__attribute__((tls_model("initial-exec"))) thread_local bool is_walking = false;

}  // namespace

std::uint32_t walk_stack(std::uint64_t* frames, std::uint32_t frames_max) {
  if (is_walking) return 0;
  is_walking = true;
  unw_context_t context;
  unw_cursor_t cursor;
  std::uint32_t count = 0;
  if (unw_getcontext(&context) == 0 && unw_init_local(&cursor, &context) == 0) {
    while (count < frames_max && unw_step(&cursor) > 0) {
      unw_word_t address = 0;
      if (unw_get_reg(&cursor, UNW_REG_IP, &address) != 0 || address == 0) break;
      frames[count++] = address;
    }
  }
  is_walking = false;
  return count;
}

}  // namespace discnice::shim
