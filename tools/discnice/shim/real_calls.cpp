// SPDX-License-Identifier: MIT
#include "tools/discnice/shim/real_calls.hpp"

#include <dlfcn.h>

#include "tools/discnice/shim/next_symbols.hpp"

namespace discnice::shim {
namespace {

void* find_real_call(const NextSymbols& symbols, const char* name, std::uint32_t hash) {
  const NextSymbols::Finding found = symbols.find(name, hash);
  return found.is_certain ? found.address : dlsym(RTLD_NEXT, name);
}

}  // namespace

RealCalls real;

void resolve_real_calls() {
  const NextSymbols symbols;
#define DISCNICE_EACH(type, name, parameters)                                                \
  {                                                                                          \
    constexpr std::uint32_t kHash = symbol_hash(#name);                                      \
    real.name = reinterpret_cast<type(*) parameters>(find_real_call(symbols, #name, kHash)); \
  }
#include "tools/discnice/shim/interposed_each.inc"
}

}  // namespace discnice::shim
