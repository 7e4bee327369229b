// SPDX-License-Identifier: MIT
// fixed_table: a map from integers to small values, of fixed size, in which every operation is bounded.
//
// A key may stand in any of kProbes neighbouring slots that its hash names, and nowhere else. A look-up
// therefore reads all of them and no more, an erased slot needs no tombstone, and the table does not age. The
// price: a key may find its slots taken while others are free. insert() then fails, and the caller chooses
// between doing without and insert_evicting(), which tells what it threw out; nothing is lost silently.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace gray::base {

/// At most kCapacity values (a power of two) by 64-bit key. Plain data in place: no allocation, valid when
/// zeroed, so it may stand in static storage. One thread at a time; a fork copies it. Pointers to values hold
/// until their key is erased or evicted, or clear().
template <typename Value, std::size_t kCapacity, std::size_t kProbes = 8>
class FixedTable {
  static_assert(std::is_trivially_copyable_v<Value>, "eviction hands values out by copy");
  static_assert(kCapacity >= kProbes && (kCapacity & (kCapacity - 1)) == 0, "slots are found by masking");
  static_assert(kProbes > 0);

 public:
  /// A key and its value, as it left the table.
  struct Entry {
    std::uint64_t key = 0;
    Value value{};
    bool is_present = false;
  };

  [[nodiscard]] static constexpr std::size_t capacity() { return kCapacity; }
  [[nodiscard]] std::size_t size() const { return size_; }

  /// The value of `key`, or null. Does not make it younger.
  [[nodiscard]] Value* find(std::uint64_t key) {
    Slot* const slot = slot_of(key);
    return slot == nullptr ? nullptr : &slot->value;
  }

  /// As find(), and makes the key the youngest.
  Value* use(std::uint64_t key) {
    Slot* const slot = slot_of(key);
    if (slot == nullptr) return nullptr;
    slot->born = ++clock_;
    return &slot->value;
  }

  /// The value of `key`, made zero if it was not there; null when its slots are all taken by others.
  Value* insert(std::uint64_t key) {
    if (Value* const known = find(key)) return known;
    for (std::size_t i = 0; i < kProbes; ++i) {
      Slot& slot = at(key, i);
      if (slot.born == 0) return fill(slot, key);
    }
    return nullptr;
  }

  /// As insert(), but makes room by throwing out the one of the key's rivals that was inserted or used
  /// longest ago. `evicted` (may be null) receives it, or an entry that is not present.
  Value* insert_evicting(std::uint64_t key, Entry* evicted) {
    if (evicted != nullptr) *evicted = Entry{};
    if (Value* const value = insert(key)) return value;
    Slot* oldest = &at(key, 0);
    for (std::size_t i = 1; i < kProbes; ++i) {
      if (at(key, i).born < oldest->born) oldest = &at(key, i);
    }
    if (evicted != nullptr) *evicted = {oldest->key, oldest->value, true};
    --size_;
    return fill(*oldest, key);
  }

  /// False when the key is not there.
  bool erase(std::uint64_t key) {
    Slot* const slot = slot_of(key);
    if (slot == nullptr) return false;
    *slot = Slot{};
    --size_;
    return true;
  }

  /// Calls visit(key, value) once for each entry, in no order; visit must not change the table.
  template <typename Visit>
  void for_each(Visit visit) {
    for (Slot& slot : slots_) {
      if (slot.born != 0) visit(slot.key, slot.value);
    }
  }

  void clear() {
    for (Slot& slot : slots_) slot = Slot{};
    size_ = 0;
  }

 private:
  struct Slot {
    std::uint64_t key = 0;
    std::uint64_t born = 0;  // when inserted or last used, by clock_; 0: the slot is free
    Value value{};
  };

  // Fibonacci hashing (Knuth, "The Art of Computer Programming" 6.4): the multiplier is 2^64 over the golden
  // ratio, which spreads the runs that descriptors and page numbers come in. Keys that differ in their upper
  // half alone (a device beside an inode) are folded into the lower first, for the product carries upwards
  // only.
  static std::size_t hash(std::uint64_t key) {
    return static_cast<std::size_t>(((key ^ (key >> 32)) * UINT64_C(0x9e3779b97f4a7c15)) >> 32);
  }

  Slot& at(std::uint64_t key, std::size_t probe) { return slots_[(hash(key) + probe) & (kCapacity - 1)]; }

  Slot* slot_of(std::uint64_t key) {
    for (std::size_t i = 0; i < kProbes; ++i) {
      Slot& slot = at(key, i);
      if (slot.born != 0 && slot.key == key) return &slot;
    }
    return nullptr;
  }

  Value* fill(Slot& slot, std::uint64_t key) {
    slot = Slot{};
    slot.key = key;
    slot.born = ++clock_;
    ++size_;
    return &slot.value;
  }

  Slot slots_[kCapacity] = {};
  std::uint64_t clock_ = 0;
  std::size_t size_ = 0;
};

}  // namespace gray::base
