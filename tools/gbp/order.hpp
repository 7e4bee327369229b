// SPDX-License-Identifier: MIT
// order: the files in the order in which they are best read. libgray finds the order (gray/order.h).
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
  mem,      // by how much of each file is cached
  file,     // in their order on disk
  compose,  // by how much is cached, and then in their order on disk
};

/// The rule by which the files are ordered.
struct OrderRule {
  Mode mode = Mode::compose;
  bool is_by_directory = false;  // by directory, instead of by the order on disk
  bool are_levels_told = false;  // find the levels of the store even if the order does not need them
};

/// The ordered files, kept in the library's list, so that a million names are not copied.
class OrderedFiles {
 public:
  /// `names` must outlive this object. If the order cannot be found, the reason is printed on stderr, and the list is empty.
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

/// Whether the file counts as cached: it is cached as a whole, or at least half of it and a large amount. Other files do not matter.
bool is_cached(const File& file);

/// The name of a level's kind: "memory", "flash", "disk", "server".
const char* kind_name(std::uint32_t kind);

/// The lines of `gbp --explain` on the levels of the store.
std::string describe(const std::vector<gb_order_level>& levels);

}  // namespace gbp
