// SPDX-License-Identifier: MIT
#include "tools/discnice/preload/entry/next_symbols.hpp"

#include <cerrno>
#include <cstring>

#include <dlfcn.h>

extern "C" __attribute__((visibility("hidden")))
const char __ehdr_start[];  // the linker's name for the beginning of this library

namespace discnice::guest {
namespace {

constexpr ElfVersion kHiddenVersion = 0x8000;  // only programs that name the symbol's version get it
constexpr std::uint32_t kAddressBits = sizeof(ElfAddress) * 8;

// The head of a DT_GNU_HASH table. The filter, the buckets and the chains follow it.
enum HashHead : unsigned { kBucketCount, kFirstSymbol, kBloomWords, kBloomShift, kHeadWords };

// The loader has converted the values in a library's dynamic table to addresses, except in read-only tables.
const void* address_of(const link_map& library, ElfAddress value) {
  return reinterpret_cast<const void*>(value < library.l_addr ? value + library.l_addr : value);
}

// Two entries have no path and are not searched: the kernel's own library, and the program itself, which comes before this library.
bool is_searched(const link_map& library) {
  return library.l_name != nullptr && std::strchr(library.l_name, '/') != nullptr;
}

// A library that is bound lazily has its own place in the loader's list behind the head of its table of addresses, by the ABI of the machine.
// _DYNAMIC is the linker's name for this library's own table.
const link_map* place_by_lazy_binding() {
  const auto start = reinterpret_cast<ElfAddress>(__ehdr_start);
  for (const ElfEntry* entry = _DYNAMIC; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag != DT_PLTGOT) continue;
    const ElfAddress value = entry->d_un.d_ptr;
    const auto* addresses = reinterpret_cast<const link_map* const*>(value < start ? value + start : value);
    const link_map* library = addresses[1];
    return library != nullptr && library->l_ld == _DYNAMIC ? library : nullptr;
  }
  return nullptr;
}

// This library's place, found in the list that the loader keeps for debuggers. The list's name is looked up only here, and not at each start.
const link_map* place_by_list() {
  const int errno_before = errno;
  const auto* list = static_cast<const r_debug*>(dlsym(RTLD_DEFAULT, "_r_debug"));
  errno = errno_before;
  const link_map* library = list != nullptr ? list->r_map : nullptr;
  while (library != nullptr && library->l_ld != _DYNAMIC) library = library->l_next;
  return library;
}

const link_map* own_place() {
  const link_map* place = place_by_lazy_binding();
  return place != nullptr ? place : place_by_list();
}

}  // namespace

void NextSymbols::read_loaded() {
  const link_map* library = own_place();
  if (library == nullptr) return;  // this library is in another namespace
  unsigned count = 0;
  for (library = library->l_next; library != nullptr && count < kLibrariesMax; library = library->l_next) {
    if (!is_searched(*library)) continue;
    Tables
        tables;  // stored as a whole, because another thread that comes here at the same time writes the same
    if (!read_tables(*library, &tables)) break;  // a library behind this one must not be searched before it
    libraries_[count++] = tables;
  }
  library_count_ = count;
  are_all_known_ = library == nullptr;
}

bool NextSymbols::read_tables(const link_map& library, Tables* tables) {
  *tables = Tables{};
  tables->base = library.l_addr;
  for (const ElfEntry* entry = library.l_ld; entry->d_tag != DT_NULL; ++entry) {
    const void* address = address_of(library, entry->d_un.d_ptr);
    switch (entry->d_tag) {
      case DT_SYMTAB:
        tables->symbols = static_cast<const ElfSymbol*>(address);
        break;
      case DT_STRTAB:
        tables->names = static_cast<const char*>(address);
        break;
      case DT_VERSYM:
        tables->versions = static_cast<const ElfVersion*>(address);
        break;
      case DT_GNU_HASH:
        tables->hash_table = static_cast<const std::uint32_t*>(address);
        break;
      default:
        break;
    }
  }
  if (tables->hash_table == nullptr || tables->symbols == nullptr || tables->names == nullptr) return false;
  return tables->hash_table[kBucketCount] != 0 && tables->hash_table[kBloomWords] != 0;
}

const ElfSymbol* NextSymbols::find_in(const Tables& tables, const char* name, std::uint32_t hash) {
  const std::uint32_t* head = tables.hash_table;
  const auto* bloom = reinterpret_cast<const ElfAddress*>(head + kHeadWords);
  const ElfAddress word = bloom[(hash / kAddressBits) % head[kBloomWords]];
  const ElfAddress both =
      word >> (hash % kAddressBits) & word >> ((hash >> head[kBloomShift]) % kAddressBits);
  if ((both & 1U) == 0) return nullptr;
  const auto* buckets = reinterpret_cast<const std::uint32_t*>(bloom + head[kBloomWords]);
  const std::uint32_t* chains = buckets + head[kBucketCount];
  std::uint32_t index = buckets[hash % head[kBucketCount]];
  if (index < head[kFirstSymbol]) return nullptr;
  for (;; ++index) {
    const std::uint32_t found = chains[index - head[kFirstSymbol]];
    const ElfSymbol& symbol = tables.symbols[index];
    const bool is_hidden = tables.versions != nullptr && (tables.versions[index] & kHiddenVersion) != 0;
    if ((found | 1U) == (hash | 1U) && !is_hidden && symbol.st_shndx != SHN_UNDEF &&
        std::strcmp(tables.names + symbol.st_name, name) == 0)
      return &symbol;
    if ((found & 1U) != 0) return nullptr;  // the end of the chain
  }
}

NextSymbols::Finding NextSymbols::find(const char* name, std::uint32_t hash) const {
  for (unsigned i = 0; i < library_count_; ++i) {
    const ElfSymbol* symbol = find_in(libraries_[i], name, hash);
    if (symbol == nullptr) continue;
    if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC) return {nullptr, false};
    return {reinterpret_cast<void*>(libraries_[i].base + symbol->st_value), true, i};
  }
  return {nullptr, are_all_known_};
}

NextSymbols::Finding NextSymbols::find_datum(const char* name, std::uint32_t hash) const {
  const link_map* program = own_place();
  while (program != nullptr && program->l_prev != nullptr) program = program->l_prev;
  Tables own;
  if (program == nullptr || !read_tables(*program, &own)) return {nullptr, false};
  const ElfSymbol* copy = find_in(own, name, hash);
  for (unsigned i = 0; i < library_count_; ++i) {
    const ElfSymbol* symbol = find_in(libraries_[i], name, hash);
    if (symbol == nullptr) continue;
    const ElfAddress address =
        copy != nullptr ? own.base + copy->st_value : libraries_[i].base + symbol->st_value;
    return {reinterpret_cast<void*>(address), true, i};
  }
  return {nullptr, are_all_known_};
}

}  // namespace discnice::guest
