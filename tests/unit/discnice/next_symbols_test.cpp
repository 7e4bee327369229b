// SPDX-License-Identifier: MIT
// next_symbols_test: the look-up in the libraries' tables finds the same addresses as dlsym().
//
// How: the test program takes the place of the preload library; the libraries behind it are those with which the program was linked.
// Left out: a library without a hash table of this kind, and more libraries than the table has room for.
#include "tools/discnice/preload/entry/next_symbols.hpp"

#include <dlfcn.h>

#include <cstdio>

#include <sys/types.h>
#include <sys/uio.h>

#include "tests/support/catch.hpp"

using namespace discnice::guest;

namespace {

NextSymbols::Finding find(const char* name) {
  static const NextSymbols symbols = [] {
    NextSymbols loaded;
    loaded.read_loaded();
    return loaded;
  }();
  return symbols.find(name, symbol_hash(name));
}

// If the look-up is certain of an address, it must be the address from dlsym(). Returns whether the look-up is certain.
bool agrees(const char* name) {
  INFO(name);
  const NextSymbols::Finding seen = find(name);
  if (seen.is_certain) CHECK(seen.address == dlsym(RTLD_NEXT, name));
  return seen.is_certain;
}

}  // namespace

TEST_CASE("each interposed function is found where dlsym() finds it", "[next_symbols]") {
  unsigned names = 0;
  unsigned certain = 0;
#define DISCNICE_EACH(type, name, parameters) \
  ++names;                                    \
  if (agrees(#name)) ++certain;
#include "tools/discnice/preload/entry/interposed_each.inc"
  // A name whose library chooses its code at run time is left to dlsym().
  CHECK(certain * 10 >= names * 9);
}

TEST_CASE("reading the loaded libraries a second time changes nothing", "[next_symbols]") {
  static NextSymbols symbols;
  CHECK_FALSE(symbols.find("read", symbol_hash("read")).is_certain);  // nothing is known yet
  symbols.read_loaded();
  const void* first = symbols.find("read", symbol_hash("read")).address;
  symbols.read_loaded();
  CHECK(first != nullptr);
  CHECK(symbols.find("read", symbol_hash("read")).address == first);
  CHECK(symbols.are_all_known());
}

TEST_CASE("a datum is found where the program and the library use it", "[next_symbols]") {
  static NextSymbols symbols;
  symbols.read_loaded();
  for (const char* name : {"__libc_single_threaded", "environ", "stdin"}) {
    INFO(name);
    const void* here = dlsym(RTLD_DEFAULT, name);
    if (here == nullptr) continue;  // glibc is older than 2.32
    CHECK(symbols.find_datum(name, symbol_hash(name)).address == here);
  }
  CHECK(symbols.find_datum("gray_no_such_datum", symbol_hash("gray_no_such_datum")).address == nullptr);
}

TEST_CASE("functions of one library are told to be of one", "[next_symbols]") {
  const NextSymbols::Finding read = find("read");
  REQUIRE(read.is_certain);
  CHECK(find("openat").owner_number == read.owner_number);
}

TEST_CASE("of a name with several versions the default one is found", "[next_symbols]") {
  // In glibc for x86-64 these functions have more than one version.
  for (const char* name : {"pthread_cond_wait", "fmemopen", "nftw"}) agrees(name);
}

TEST_CASE("that nobody has a name is certain", "[next_symbols]") {
  const NextSymbols::Finding seen = find("gray_no_such_function");
  CHECK(seen.address == nullptr);
  CHECK(seen.is_certain);
  CHECK(find("").address == nullptr);
}

TEST_CASE("a function that chooses its code at run time is left to dlsym()", "[next_symbols]") {
  agrees("memcpy");  // an ordinary function on machines where its code is not chosen at run time
}
