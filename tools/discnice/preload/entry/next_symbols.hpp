// SPDX-License-Identifier: MIT
// next_symbols: finds many functions of the libraries behind this one at once. Each result is the same as that of dlsym(RTLD_NEXT).
//
// Here the hash tables of the loaded libraries are read: the hash of a name is made by the compiler, and no lock is taken, nothing is allocated
// and nothing is written. So a function may be looked up at its first call, wherever that is, and a program that is started pays only for
// those it calls: all of them at once take some 20 microseconds, and by dlsym() several times that.
//
// Source: the ELF hash table of GNU (DT_GNU_HASH: Bloom filter, buckets, chains) and of versions (DT_VERSYM: a symbol whose version is
// hidden is not the one a program that names no version gets).
// What breaks it: a library without such a table, a function that chooses itself at run time (STT_GNU_IFUNC), a library that was not
// loaded with the program. Then the name is not found here, and dlsym() has to be asked.
#pragma once

#include <cstdint>

#include <link.h>

namespace discnice::guest {

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

/// The symbols of the libraries that come behind this one in the order of search. Libraries that were loaded with the program are never unloaded.
class NextSymbols {
 public:
  /// Notes where the tables of these libraries are. To be called before the program runs, while no library is loaded or unloaded. A second call changes nothing.
  void read_loaded();

  /// True if no library was left out.
  [[nodiscard]] bool are_all_known() const { return are_all_known_; }

  /// The address of a function. Null means: ask dlsym(), or, if `is_certain`, no library has it.
  struct Finding {
    void* address;
    bool is_certain;
    unsigned owner_number = 0;  // of the library whose it is, counted from the first behind this one
  };
  [[nodiscard]] Finding find(const char* name, std::uint32_t hash) const;

  /// A variable of one of those libraries, in the copy that the program uses. A program that is linked to a fixed address has a copy of its own, and the library uses this copy,
  /// too. Null if there is none, or if it can't be found.
  [[nodiscard]] Finding find_datum(const char* name, std::uint32_t hash) const;

 private:
  // The tables of one library. The structure is short, because those of a dozen libraries must fit on the page that a start writes.
  struct Tables {
    ElfAddress base;
    const ElfSymbol* symbols;
    const char* names;
    const ElfVersion* versions;  // null: no versions
    const std::uint32_t* hash_table;
  };
  static constexpr unsigned kLibrariesMax = 96;

  static bool read_tables(const link_map& library, Tables* tables);
  static const ElfSymbol* find_in(const Tables& tables, const char* name, std::uint32_t hash);

  unsigned library_count_ =
      0;  // in front: with the first libraries it shares the page that a start writes (start_order.ld)
  bool are_all_known_ = false;
  Tables libraries_[kLibrariesMax] = {};
};

}  // namespace discnice::guest
