// SPDX-License-Identifier: MIT
#include "tools/gbp/names.hpp"

#include <algorithm>
#include <cstring>

namespace gbp {
namespace {

constexpr std::size_t kBlockBytes = 1U << 18U;

}  // namespace

void Names::add(std::string_view name) {
  const std::size_t bytes = name.size() + 1;
  if (bytes > left_bytes_) {
    left_bytes_ = std::max(bytes, kBlockBytes);
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(left_bytes_));
    next_ = blocks_.back().get();
  }
  std::memcpy(next_, name.data(), name.size());
  next_[name.size()] = '\0';
  names_.push_back(next_);
  next_ += bytes;
  left_bytes_ -= bytes;
}

}  // namespace gbp
