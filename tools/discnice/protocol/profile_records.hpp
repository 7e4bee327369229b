// SPDX-License-Identifier: MIT
// profile_records: the records that `discnice run --profile` sends through the ring: call stacks, and the addresses of programs and libraries in
// memory. The records go only from a release's library to the launcher of the same release, and never into a file.
#pragma once

#include "tools/discnice/protocol/record_format.hpp"

namespace discnice::protocol {

inline constexpr std::uint16_t kStackRecord = kPrivateTypes;
inline constexpr std::uint16_t kMappingRecord = kPrivateTypes + 1;

inline constexpr std::uint32_t kStackFramesMax = 57;

/// The path at which the library that walks the stacks is installed. It has had this name since release 1.1.
inline constexpr char kUnwindLibrary[] = "libunwind.so.8";

/// The stack of a call that is predicted to cost disk work.
struct StackRecord {
  RecordHead head;
  std::uint64_t read_bytes;  // predicted
  std::uint64_t write_bytes;
  std::uint32_t frame_count;
  std::uint32_t is_cut;                   // there were more frames, further out
  std::uint64_t frames[kStackFramesMax];  // return addresses, the innermost first
  std::uint64_t unused[2];
};
static_assert(sizeof(StackRecord) == kRecordBytesMax);

inline constexpr std::size_t kMappingPathBytesMax = 464;

/// A range of memory that holds code. This record is sent before the first stack that has an address in this range.
struct MappingRecord {
  RecordHead head;
  std::uint64_t start_address;
  std::uint64_t end_address;
  std::uint64_t offset_bytes;  // where in the file the range begins
  std::uint32_t index;         // the place among the image's mappings; 0 is usually the program itself
  std::uint32_t reserved;
  char path[kMappingPathBytesMax];  // ends in a zero; a longer path is cut
};
static_assert(sizeof(MappingRecord) == kRecordBytesMax);

}  // namespace discnice::protocol
