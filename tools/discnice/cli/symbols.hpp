// SPDX-License-Identifier: MIT
// symbols: the names of functions at places in programs and libraries, by the tools that know how: llvm-symbolizer or addr2line.
#pragma once

#include <istream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tools/discnice/cli/profile.hpp"

namespace discnice::cli {

/// Where the byte at `offset_bytes` of an ELF file stands in memory, by its program headers; nothing for what is no such file.
std::optional<std::uint64_t> virtual_address(const std::string& file, std::uint64_t offset_bytes);

/// Reads what "addr2line -a -f -C -i" or "llvm-symbolizer --output-style=GNU -a ..." says of addresses, in their order; a place without a
/// name gets an empty list. Pure.
std::vector<FunctionNames> parse_addr2line(std::istream& output, std::size_t count);

/// Names of all places; runs the tool once for each file. What has none is left out. `problem` gets one line when no tool is there.
std::map<CodePlace, FunctionNames> find_names(const std::vector<CodePlace>& places, std::string& problem);

}  // namespace discnice::cli
