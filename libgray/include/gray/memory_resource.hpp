// SPDX-License-Identifier: MIT
// memory_resource: a std::pmr::memory_resource over gb_alloc() that refuses requests beyond its grant. So a program can spill to disk instead of thrashing.
// C++17, header only; link with libgray.
//
//   gray::memory_resource memory(64 << 20, 4UL << 30);
//   std::pmr::vector<record> batch(&memory);
//   try { batch.push_back(r); } catch (const std::bad_alloc&) { spill(batch); }
#ifndef GRAY_MEMORY_RESOURCE_HPP
#define GRAY_MEMORY_RESOURCE_HPP

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <new>
#include <system_error>

#include <gray/alloc.h>

namespace gray {

/// Hands out pieces of one grant. Throws std::bad_alloc when no free piece is large enough. It takes the first fitting piece from a list of free pieces in the order of their
/// addresses, and joins free neighbours at once. This method suits few large pieces. For many small pieces put a std::pmr::unsynchronized_pool_resource in
/// front. One thread at a time.
class memory_resource : public std::pmr::memory_resource {
 public:
  /// Asks for max_bytes, and takes the free memory if that is at least min_bytes. Otherwise throws std::system_error with the errno of gb_alloc(). `options` may be null.
  memory_resource(std::size_t min_bytes, std::size_t max_bytes, const gb_alloc_options* options = nullptr)
      : memory_(gb_alloc_with(min_bytes, max_bytes, 1, &bytes_, options)) {
    if (memory_ == nullptr) throw std::system_error(errno, std::generic_category(), "gb_alloc");
    void* place = memory_;
    bytes_ -= bytes_ % kUnit;
    if (bytes_ >= kUnit) free_ = new (place) Piece{bytes_, nullptr};
  }
  memory_resource(const memory_resource&) = delete;
  memory_resource& operator=(const memory_resource&) = delete;
  ~memory_resource() override { gb_free(memory_); }

  /// The number of granted bytes, and the number of bytes that are handed out. Both numbers are multiples of kUnit.
  std::size_t granted_bytes() const noexcept { return bytes_; }
  std::size_t used_bytes() const noexcept { return used_bytes_; }

 private:
  struct Piece {
    std::size_t bytes;
    Piece* next;
  };
  static constexpr std::size_t kUnit = std::max(sizeof(Piece), alignof(std::max_align_t));

  static char* start_of(Piece* piece) { return static_cast<char*>(static_cast<void*>(piece)); }
  static std::size_t rounded(std::size_t bytes) {
    return (std::max<std::size_t>(bytes, 1) + kUnit - 1) / kUnit * kUnit;
  }

  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    if (bytes > bytes_) throw std::bad_alloc();
    const std::size_t wanted = rounded(bytes);
    const std::size_t step = std::max(alignment, kUnit);
    for (Piece** link = &free_; *link != nullptr; link = &(*link)->next) {
      Piece* piece = *link;
      const auto address = reinterpret_cast<std::uintptr_t>(piece);
      const std::size_t gap = (step - address % step) % step;
      if (piece->bytes < gap || piece->bytes - gap < wanted) continue;
      const std::size_t rest = piece->bytes - gap - wanted;
      char* found = start_of(piece) + gap;
      Piece* behind = rest == 0 ? piece->next : new (found + wanted) Piece{rest, piece->next};
      if (gap == 0) {
        *link = behind;
      } else {
        piece->bytes = gap;
        piece->next = behind;
      }
      used_bytes_ += wanted;
      return found;
    }
    throw std::bad_alloc();
  }

  void do_deallocate(void* memory, std::size_t bytes, std::size_t) override {
    const std::size_t given = rounded(bytes);
    used_bytes_ -= given;
    Piece* before = nullptr;
    Piece* next = free_;
    while (next != nullptr && start_of(next) < static_cast<char*>(memory)) {
      before = next;
      next = next->next;
    }
    Piece* piece = new (memory) Piece{given, next};
    (before == nullptr ? free_ : before->next) = piece;
    join(piece);
    if (before != nullptr) join(before);
  }

  static void join(Piece* piece) {
    if (piece->next == nullptr || start_of(piece) + piece->bytes != start_of(piece->next)) return;
    piece->bytes += piece->next->bytes;
    piece->next = piece->next->next;
  }

  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }

  std::size_t bytes_ = 0;
  std::size_t used_bytes_ = 0;
  void* memory_;
  Piece* free_ = nullptr;
};

}  // namespace gray

#endif
