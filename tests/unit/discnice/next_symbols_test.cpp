// SPDX-License-Identifier: MIT
// next_symbols_test: what is found in the libraries' tables is what dlsym() finds.
//
// How: the test program stands where the preload library would; its next libraries are those it was linked with. Left out: a library
// without a hash table of this kind, and more libraries than there is room for.
#include "tools/discnice/shim/next_symbols.hpp"

#include <dlfcn.h>

#include <cstdio>

#include <sys/types.h>
#include <sys/uio.h>

#include "tests/support/catch.hpp"

using namespace discnice::shim;

namespace {

void check(const NextSymbols& symbols, const char* name, unsigned* found) {
  void* wanted = dlsym(RTLD_NEXT, name);
  void* seen = symbols.find(name, symbol_hash(name));
  INFO(name);
  if (wanted == nullptr) CHECK(seen == nullptr);  // another libc may lack some
  if (seen == nullptr) return;
  CHECK(seen == wanted);
  ++*found;
}

}  // namespace

TEST_CASE("each interposed function is found where dlsym() finds it", "[next_symbols]") {
  const NextSymbols symbols;
  unsigned names = 0;
  unsigned found = 0;
#define DISCNICE_EACH(type, name, parameters) \
  ++names;                                    \
  check(symbols, #name, &found);
#include "tools/discnice/shim/interposed_each.inc"
  // Those of this libc; a name it lacks, or that chooses its code at run time, is left to dlsym().
  CHECK(found * 10 >= names * 9);
}

TEST_CASE("of a name with several versions the default one is found", "[next_symbols]") {
  const NextSymbols symbols;
  // In glibc for x86-64 both have had more than one version.
  for (const char* name : {"pthread_cond_wait", "fmemopen"}) {
    INFO(name);
    void* seen = symbols.find(name, symbol_hash(name));
    if (seen != nullptr) CHECK(seen == dlsym(RTLD_NEXT, name));
  }
}

TEST_CASE("a name that nobody has is not found", "[next_symbols]") {
  const NextSymbols symbols;
  constexpr const char* kName = "gray_no_such_function";
  CHECK(symbols.find(kName, symbol_hash(kName)) == nullptr);
  CHECK(symbols.find("", symbol_hash("")) == nullptr);
}

TEST_CASE("a function that chooses its code at run time is left to dlsym()", "[next_symbols]") {
  const NextSymbols symbols;
  void* seen = symbols.find("memcpy", symbol_hash("memcpy"));
  if (seen != nullptr) CHECK(seen == dlsym(RTLD_NEXT, "memcpy"));  // plain on machines without choices
}
