// SPDX-License-Identifier: MIT
// profile: gathers the call stacks of a job, and tells by function who makes the disk work.
#pragma once

#include <cstdint>
#include <istream>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tools/discnice/protocol/ring.hpp"

namespace discnice::cli {

/// A place in a program or library: what a symbolizer is asked for.
struct CodePlace {
  std::string file;  // empty: not in a file
  std::uint64_t offset_bytes = 0;
  friend bool operator==(const CodePlace& a, const CodePlace& b) {
    return a.offset_bytes == b.offset_bytes && a.file == b.file;
  }
  friend bool operator<(const CodePlace& a, const CodePlace& b) {
    return std::tie(a.file, a.offset_bytes) < std::tie(b.file, b.offset_bytes);
  }
};

/// The names of the functions at a place, the outermost first: more than one where some were inlined.
using FunctionNames = std::vector<std::string>;

/// One call stack with names, the outermost function first, and what it cost.
struct NamedStack {
  std::vector<std::string> functions;
  std::uint64_t read_bytes = 0;
  std::uint64_t write_bytes = 0;
};

/// What one function was charged: on the innermost place of a stack, or anywhere in it.
struct FunctionShare {
  std::string function;
  std::uint64_t own_bytes = 0;
  std::uint64_t all_bytes = 0;
};

/// Takes the records of protocol/profile_records.hpp, from one thread; everything else after it has ended.
class Profile {
 public:
  /// Frames in the file `library`, the preload library itself, are left out.
  explicit Profile(std::string library) : library_(std::move(library)) {}

  void take(const protocol::TakenRecord& record);

  /// All places that stacks lead through, each once.
  [[nodiscard]] std::vector<CodePlace> places() const;

  /// The stacks with the names found for their places, equal ones summed up, the dearest first. A place without a name is shown as
  /// "[file+0xOFFSET]". The first function is the program's name, in brackets.
  [[nodiscard]] std::vector<NamedStack> stacks(const std::map<CodePlace, FunctionNames>& names) const;

 private:
  struct Mapping {
    std::uint64_t end_address;
    std::uint64_t offset_bytes;
    std::uint32_t index;
    std::string path;
  };
  struct Cost {
    std::uint64_t read_bytes = 0;
    std::uint64_t write_bytes = 0;
  };
  using Image = std::pair<std::uint32_t, std::uint32_t>;  // process, number of the image
  using Mappings = std::map<std::uint64_t, Mapping>;      // by start address
  using Stack =
      std::pair<std::string, std::vector<CodePlace>>;  // the program, and places, the innermost first

  [[nodiscard]] CodePlace place_of(const Mappings& mappings, std::uint64_t address) const;

  std::string library_;
  std::map<Image, Mappings> images_;
  std::map<Stack, Cost> stacks_;
};

/// "a;b;c BYTES", a line a stack: what flame-graph viewers read. Reads and writes end in frames of their own, "[read]" and "[write]".
std::string folded_text(const std::vector<NamedStack>& stacks);

/// Reads such a text. Nothing, and one line on what is wrong in `problem`, where it is none; `name` is what that calls it.
std::vector<NamedStack> read_folded(std::istream& text, const std::string& name, std::string& problem);

/// Sums up by function, the dearest (by own, then by all bytes) first.
std::vector<FunctionShare> by_function(const std::vector<NamedStack>& stacks);

/// A table of the first `count_max` functions for a person.
std::string function_table(const std::vector<FunctionShare>& functions, std::size_t count_max);

}  // namespace discnice::cli
