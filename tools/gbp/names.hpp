// SPDX-License-Identifier: MIT
// names: stores very many file names compactly.
//
// A million names on standard input are usual. As separate strings, each name would take three times its length.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

namespace gbp {

/// A list that only grows. A name that was added stays at its address.
class Names {
 public:
  /// Copies a name, which may not contain a NUL.
  void add(std::string_view name);

  [[nodiscard]] std::size_t size() const { return names_.size(); }
  [[nodiscard]] bool empty() const { return names_.empty(); }
  [[nodiscard]] const char* const* data() const { return names_.data(); }
  [[nodiscard]] const char* operator[](std::size_t index) const { return names_[index]; }

 private:
  std::vector<std::unique_ptr<char[]>> blocks_;
  std::size_t left_bytes_ = 0;  // free bytes in the last block
  char* next_ = nullptr;
  std::vector<const char*> names_;
};

}  // namespace gbp
