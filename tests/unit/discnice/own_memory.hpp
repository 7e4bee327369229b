// SPDX-License-Identifier: MIT
// own_memory: a table with memory of its own: zero bytes, as in the segment of a new job.
#pragma once

#include <memory>

namespace discnice::test {

template <typename Table>
class OwnMemory {
 public:
  Table* operator->() { return &table_; }
  Table& operator*() { return table_; }
  typename Table::Memory& memory() { return *memory_; }

 private:
  std::unique_ptr<typename Table::Memory> memory_ = std::make_unique<typename Table::Memory>();
  Table table_{*memory_};
};

}  // namespace discnice::test
