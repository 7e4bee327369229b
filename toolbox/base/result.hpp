// SPDX-License-Identifier: MIT
// result: a value or a negative errno, without exceptions or heap.
//
// The rule of the whole project: the lowest wrapper turns an error into a negative errno, and no layer above changes this errno until a message shows
// the error to a person.
#pragma once

#include <cstdint>

namespace gray::base {

/// Holds either a value of a trivially copyable type T, or a negative errno.
/// Thread-safe as any plain value; never allocates.
template <typename T>
class [[nodiscard]] Result {
 public:
  constexpr Result(T value)
      : value_(value), error_(0) {}  // NOLINT(google-explicit-constructor): success reads as the value

  /// error_negative must be below zero, as returned by the raw system calls.
  static constexpr Result failure(int error_negative) {
    Result result{T{}};
    result.error_ = error_negative;
    return result;
  }

  [[nodiscard]] constexpr bool is_ok() const { return error_ == 0; }
  constexpr explicit operator bool() const { return is_ok(); }

  /// Only meaningful when is_ok().
  [[nodiscard]] constexpr const T& value() const { return value_; }
  [[nodiscard]] constexpr T value_or(T fallback) const { return is_ok() ? value_ : fallback; }

  /// 0 when is_ok(), else a negative errno.
  [[nodiscard]] constexpr int error() const { return error_; }

 private:
  T value_;
  int error_;
};

}  // namespace gray::base
