// SPDX-License-Identifier: MIT
// order: files in the order in which they are best read, as libgray finds it (gray/order.h), with their names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gray/order.h>

#include "tools/gbp/cost.hpp"

namespace gbp {

enum class Mode {
  mem,      // by what is cached
  file,     // as they lie on disk
  compose,  // by what is cached, and then as they lie on disk
};

/// How the files are ordered, and which facts are looked up.
struct OrderRule {
  Mode mode = Mode::compose;
  bool is_by_directory = false;  // in the place of the disk's order
  bool are_levels_told = false;  // levels of the store are looked for also where nothing needs them
};

/// The files as the library keeps them: there is one list for a million names, and no copy.
class OrderedFiles {
 public:
  /// `names` must outlive it. If the order could not be found, says why on stderr; the list is then empty.
  OrderedFiles(const Names& names, const Wanted& wanted, const OrderRule& rule);

  [[nodiscard]] bool is_found() const { return list_ != nullptr; }
  [[nodiscard]] std::size_t size() const { return gb_order_count(list_.get()); }
  [[nodiscard]] File operator[](std::size_t rank) const;
  [[nodiscard]] std::vector<gb_order_level> levels() const;

  [[nodiscard]] std::vector<File> in_order() const;
  [[nodiscard]] std::vector<File> as_given() const;

 private:
  struct FreeList {
    void operator()(gb_order_list_t* list) const { gb_order_free(list); }
  };

  const Names* names_;
  std::unique_ptr<gb_order_list_t, FreeList> list_;
};

/// Whether the file counts as cached, whatever is missing of the others: as a whole, or half of it and much.
bool is_cached(const File& file);

/// The kind of a level's times: "memory", "flash", "disk", "server".
const char* kind_name(std::uint32_t kind);

/// The lines of `gbp --explain` on the levels of the store.
std::string describe(const std::vector<gb_order_level>& levels);

}  // namespace gbp
