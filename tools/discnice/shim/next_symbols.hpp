// SPDX-License-Identifier: MIT
// next_symbols: finds many functions of the libraries behind this one at once, as dlsym(RTLD_NEXT) finds one.
//
// Every program that is started pays for it: a hundred calls of dlsym() take 40 microseconds, which is most of what this library costs a short
// program. So the hash tables of the loaded libraries are read here: the hash of a name is made by the compiler, and no lock is taken, nothing
// is allocated and nothing is written.
//
// Source: the ELF hash table of GNU (DT_GNU_HASH: Bloom filter, buckets, chains) and of versions (DT_VERSYM: a symbol whose version is
// hidden is not the one a program that names no version gets).
// What breaks it: a library without such a table, a function that chooses itself at run time (STT_GNU_IFUNC), a library that was not
// loaded with the program. Then the name is not found here, and dlsym() has to be asked.
#pragma once

#include <cstdint>

#include <link.h>

namespace discnice::shim {

// Of this machine's width.
using ElfAddress = ElfW(Addr);
using ElfSymbol = ElfW(Sym);
using ElfVersion = ElfW(Half);
using ElfEntry = ElfW(Dyn);

/// The hash by which a symbol is found in a DT_GNU_HASH table.
constexpr std::uint32_t symbol_hash(const char* name) {
  std::uint32_t hash = 5381;
  for (; *name != '\0'; ++name) hash = hash * 33 + static_cast<unsigned char>(*name);
  return hash;
}

/// The symbols of the libraries that come behind this one in the order of search. To be made and used in a constructor, while no library
/// is loaded or unloaded.
class NextSymbols {
 public:
  NextSymbols();

  /// A function's address. Null: dlsym() has to say, or, when `is_certain`, no library has it.
  struct Finding {
    void* address;
    bool is_certain;
  };
  [[nodiscard]] Finding find(const char* name, std::uint32_t hash) const;

 private:
  // One library's tables.
  struct Tables {
    ElfAddress base;
    const ElfSymbol* symbols;
    const char* names;
    const ElfVersion* versions;  // null: no versions
    const ElfAddress* bloom;
    std::uint32_t bloom_words;
    std::uint32_t bloom_shift;
    const std::uint32_t* buckets;
    std::uint32_t bucket_count;
    const std::uint32_t* chains;  // of the symbol with that index
  };
  static constexpr unsigned kLibrariesMax = 96;

  static bool read_tables(const link_map& library, Tables* tables);
  static const ElfSymbol* find_in(const Tables& tables, const char* name, std::uint32_t hash);

  Tables libraries_[kLibrariesMax];
  unsigned library_count_ = 0;
  bool are_all_known_ = false;  // no library was left out
};

}  // namespace discnice::shim
