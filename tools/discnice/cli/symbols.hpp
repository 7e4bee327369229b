// SPDX-License-Identifier: MIT
// symbols: finds the names of functions at places in programs and libraries. It runs addr2line or llvm-symbolizer.
#pragma once

#include <istream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tools/discnice/cli/profile.hpp"

namespace discnice::cli {

/// Returns the address at which the byte at `offset_bytes` of an ELF file is loaded, by the program headers. Returns nothing when the file is no ELF
/// file or maps no such byte.
std::optional<std::uint64_t> virtual_address(const std::string& file, std::uint64_t offset_bytes);

/// Parses what "addr2line -a -f -C -i" or "llvm-symbolizer --output-style=GNU -a ..." prints for `count` addresses, in the order of the addresses. A
/// place without a name gets an empty list. Pure.
std::vector<FunctionNames> parse_addr2line(std::istream& output, std::size_t count);

/// Finds the names of all places. Runs the tool for each file. A place without a name is left out. `problem` gets one line when there is no tool.
std::map<CodePlace, FunctionNames> find_names(const std::vector<CodePlace>& places, std::string& problem);

}  // namespace discnice::cli
