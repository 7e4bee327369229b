// SPDX-License-Identifier: MIT
// next_symbols: finds many functions of the libraries behind this one, as dlsym(RTLD_NEXT) finds one.
//
// It reads the hash tables of the loaded libraries. The compiler computes the hash of each name. No lock is taken, nothing is allocated and nothing
// is written. So a function may be looked up at its first call, in any state of the program, and a program pays only for the functions that it
// calls. The look-up of all functions at once takes some 20 microseconds, and dlsym() takes several times as long.
//
// Source: GNU's ELF hash table (DT_GNU_HASH: Bloom filter, buckets, chains) and the table of versions (DT_VERSYM: a program that names no version
//   does not get a symbol whose version is hidden).
// What breaks it: a library without such a table, a function that chooses itself at run time (STT_GNU_IFUNC), a library that was not loaded with the
//   program. Then the name is not found here, and dlsym() has to be asked.
#pragma once

#include <cstdint>

#include <link.h>

namespace discnice::guest {

// The ELF types of this machine's width.
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
  /// Notes where the tables of these libraries are. Call this before the program runs, while no library is loaded or unloaded. A second call has no effect.
  void read_loaded();

  /// True when no library had to be left out.
  [[nodiscard]] bool are_all_known() const { return are_all_known_; }

  /// A function's address. When the address is null and `is_certain` is set, no library has the function. When it is null
  /// and `is_certain` is not set, dlsym() must be asked.
  struct Finding {
    void* address;
    bool is_certain;
    unsigned owner_number =
        0;  // the number of the library that has the function, counted from the first behind this one
  };
  [[nodiscard]] Finding find(const char* name, std::uint32_t hash) const;

  /// Finds a variable of one of these libraries, at the address that the program uses. A program that is linked to a fixed address has a copy of its
  /// own, which the library uses, too. Null when there is no such variable, or when this is not known.
  [[nodiscard]] Finding find_datum(const char* name, std::uint32_t hash) const;

 private:
  // The tables of one library. They are short, so that the tables of a dozen libraries fit on the page that a start writes.
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
      0;  // at the front: it shares the page that a start writes with the first libraries (start_order.ld)
  bool are_all_known_ = false;
  Tables libraries_[kLibrariesMax] = {};
};

}  // namespace discnice::guest
