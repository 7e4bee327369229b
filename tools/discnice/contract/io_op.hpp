// SPDX-License-Identifier: MIT
// io_op: one file operation that a program is about to make, as plain values.
#pragma once

#include <cstdint>

namespace discnice {

inline constexpr std::uint64_t kPageBytes =
    4096;  // the unit of the page cache models; see predictor/readahead_model.hpp

/// The classes of calls. Predictions are made and reported for each class.
enum class OpKind : std::uint8_t { read, write, remove, truncate, replace, settle, create };
inline constexpr unsigned kOpKindCount = 7;

/// Identity of a file as the kernel gives it. An all-zero identity is no file.
struct FileId {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  friend constexpr bool operator==(const FileId&, const FileId&) = default;
};

/// One operation. Offsets and lengths in bytes; `file_size_bytes` is the size before the operation.
struct IoOp {
  OpKind kind = OpKind::read;
  FileId file;
  std::uint64_t offset_bytes = 0;
  std::uint64_t length_bytes = 0;
  std::uint64_t file_size_bytes = 0;
  bool is_direct = false;       // O_DIRECT: no page cache, no read-ahead, no delayed write
  bool is_synchronous = false;  // O_SYNC, O_DSYNC: a write is on disk when the call returns, each time anew
};

}  // namespace discnice
