// SPDX-License-Identifier: MIT
// profile: collects the call stacks of a job, and tells which functions cause disk traffic.
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

/// A place in a program or library, in the form that a symbolizer needs.
struct CodePlace {
  std::string file;  // empty: the place is in no file
  std::uint64_t offset_bytes = 0;
  friend bool operator==(const CodePlace& a, const CodePlace& b) {
    return a.offset_bytes == b.offset_bytes && a.file == b.file;
  }
  friend bool operator<(const CodePlace& a, const CodePlace& b) {
    return std::tie(a.file, a.offset_bytes) < std::tie(b.file, b.offset_bytes);
  }
};

/// The names of the functions at a place, the outermost first. There is more than one name when functions were inlined.
using FunctionNames = std::vector<std::string>;

/// One call stack with names, the outermost function first, and the disk bytes that it cost.
struct NamedStack {
  std::vector<std::string> functions;
  std::uint64_t read_bytes = 0;
  std::uint64_t write_bytes = 0;
};

/// The bytes that one function was charged: as the innermost function of a stack, and anywhere in a stack.
struct FunctionShare {
  std::string function;
  std::uint64_t own_bytes = 0;
  std::uint64_t all_bytes = 0;
};

/// Takes the records of protocol/profile_records.hpp, from one thread. All other functions are to be called when that thread has ended.
class Profile {
 public:
  /// Leaves out frames in the file `library`, which is the preload library.
  explicit Profile(std::string library) : library_(std::move(library)) {}

  void take(const protocol::TakenRecord& record);

  /// Returns all places in the stacks, each of them once.
  [[nodiscard]] std::vector<CodePlace> places() const;

  /// Returns the stacks with the names of their places. Equal stacks are summed up. The stack that cost most comes first. A place without a name is
  /// shown as "[file+0xOFFSET]". The first function is the program's name, in brackets.
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

/// Returns one line "a;b;c BYTES" for each stack, as viewers of flame graphs read it. The innermost frame of a stack is "[read]" or "[write]".
std::string folded_text(const std::vector<NamedStack>& stacks);

/// Reads a text in the form that folded_text() writes. When the text has another form, returns nothing, and writes one line about the error to `problem`.
/// `name` is the name of the text in that line.
std::vector<NamedStack> read_folded(std::istream& text, const std::string& name, std::string& problem);

/// Sums up by function. The function that cost most comes first, by its own bytes and then by all bytes.
std::vector<FunctionShare> by_function(const std::vector<NamedStack>& stacks);

/// Returns a table of the first `count_max` functions, for a person.
std::string function_table(const std::vector<FunctionShare>& functions, std::size_t count_max);

}  // namespace discnice::cli
