// SPDX-License-Identifier: MIT
#include "tools/discnice/cli/profile.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <set>
#include <sstream>

#include <fmt/core.h>

#include "toolbox/cli/quantities.hpp"
#include "tools/discnice/protocol/profile_records.hpp"

namespace discnice::cli {
namespace {

// These limits bound the memory when a program sends impossible records. A real job has some thousands of stacks, maps and files.
constexpr std::size_t kImagesMax = 65536;
constexpr std::size_t kMappingsMax = 4096;
constexpr std::size_t kStacksMax = 1U << 20U;
constexpr char kDeleted[] = " (deleted)";
constexpr char kReadFrame[] = "[read]";
constexpr char kWriteFrame[] = "[write]";

struct Cost {
  std::uint64_t read_bytes = 0;
  std::uint64_t write_bytes = 0;
};

std::vector<NamedStack> sorted(const std::map<std::vector<std::string>, Cost>& sums) {
  std::vector<NamedStack> stacks;
  stacks.reserve(sums.size());
  for (const auto& [functions, cost] : sums) stacks.push_back({functions, cost.read_bytes, cost.write_bytes});
  std::stable_sort(stacks.begin(), stacks.end(), [](const NamedStack& a, const NamedStack& b) {
    return a.read_bytes + a.write_bytes > b.read_bytes + b.write_bytes;
  });
  return stacks;
}

std::string base_of(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

// In folded stacks a semicolon separates two functions and a blank ends the stack. A control character would break the line.
std::string plain(std::string name) {
  for (char& c : name) {
    if (c == ';') c = ':';
    if (static_cast<unsigned char>(c) < ' ') c = '?';
  }
  return name;
}

std::string share_of(std::uint64_t bytes, std::uint64_t all_bytes) {
  return fmt::format(
      "{:.1f} %", all_bytes == 0 ? 0 : 100.0 * static_cast<double>(bytes) / static_cast<double>(all_bytes));
}

}  // namespace

void Profile::take(const protocol::TakenRecord& record) {
  const Image image{record.head().pid, record.head().image};
  if (record.head().type == protocol::kMappingRecord &&
      record.head().bytes == sizeof(protocol::MappingRecord)) {
    const auto& mapping = reinterpret_cast<const protocol::MappingRecord&>(record.bytes);
    if (images_.size() >= kImagesMax && images_.count(image) == 0) return;
    Mappings& mappings = images_[image];
    if (mappings.size() >= kMappingsMax && mappings.count(mapping.start_address) == 0) return;
    std::string path(mapping.path, strnlen(mapping.path, sizeof mapping.path));
    if (path.size() > sizeof kDeleted && path.ends_with(kDeleted))
      path.resize(path.size() - sizeof kDeleted + 1);
    mappings[mapping.start_address] = {mapping.end_address, mapping.offset_bytes, mapping.index,
                                       std::move(path)};
    return;
  }
  if (record.head().type != protocol::kStackRecord || record.head().bytes != sizeof(protocol::StackRecord))
    return;
  const auto& stack = reinterpret_cast<const protocol::StackRecord&>(record.bytes);
  if (stack.frame_count > protocol::kStackFramesMax) return;
  static const Mappings kNone;
  const auto known = images_.find(image);
  const Mappings& mappings = known != images_.end() ? known->second : kNone;
  const auto program = std::min_element(mappings.begin(), mappings.end(), [](const auto& a, const auto& b) {
    return a.second.index < b.second.index;
  });
  Stack key{program == mappings.end() ? "?" : base_of(program->second.path), {}};
  for (std::uint32_t i = 0; i < stack.frame_count; ++i) {
    CodePlace place = place_of(mappings, stack.frames[i]);
    const bool is_ours = key.second.empty() && place.file == library_;
    if (!is_ours) key.second.push_back(std::move(place));
  }
  if (stack.is_cut != 0) key.second.emplace_back();  // stands for all outer frames
  if (stacks_.size() >= kStacksMax && stacks_.count(key) == 0) return;
  Cost& cost = stacks_[std::move(key)];
  cost.read_bytes += stack.read_bytes;
  cost.write_bytes += stack.write_bytes;
}

// The call instruction is just before the return address.
CodePlace Profile::place_of(const Mappings& mappings, std::uint64_t address) const {
  const std::uint64_t call = address - 1;
  auto found = mappings.upper_bound(call);
  if (found == mappings.begin()) return {"", address};
  --found;
  if (call >= found->second.end_address) return {"", address};
  return {found->second.path, call - found->first + found->second.offset_bytes};
}

std::vector<CodePlace> Profile::places() const {
  std::set<CodePlace> places;
  for (const auto& [stack, cost] : stacks_) places.insert(stack.second.begin(), stack.second.end());
  return {places.begin(), places.end()};
}

std::vector<NamedStack> Profile::stacks(const std::map<CodePlace, FunctionNames>& names) const {
  std::map<std::vector<std::string>, cli::Cost> sums;
  for (const auto& [stack, cost] : stacks_) {
    std::vector<std::string> functions{fmt::format("[{}]", plain(stack.first))};
    for (auto place = stack.second.rbegin(); place != stack.second.rend(); ++place) {
      const auto found = names.find(*place);
      if (found != names.end() && !found->second.empty()) {
        for (const std::string& name : found->second) functions.push_back(plain(name));
      } else if (*place == CodePlace{}) {
        functions.emplace_back("[...]");
      } else {
        const std::string file = place->file.empty() ? "?" : base_of(place->file);
        functions.push_back(plain(fmt::format("[{}+{:#x}]", file, place->offset_bytes)));
      }
    }
    cli::Cost& sum = sums[functions];
    sum.read_bytes += cost.read_bytes;
    sum.write_bytes += cost.write_bytes;
  }
  return sorted(sums);
}

std::string folded_text(const std::vector<NamedStack>& stacks) {
  std::string text;
  for (const NamedStack& stack : stacks) {
    std::string line;
    for (const std::string& function : stack.functions) line += function + ";";
    if (stack.read_bytes != 0) text += fmt::format("{}{} {}\n", line, kReadFrame, stack.read_bytes);
    if (stack.write_bytes != 0) text += fmt::format("{}{} {}\n", line, kWriteFrame, stack.write_bytes);
  }
  return text;
}

std::vector<NamedStack> read_folded(std::istream& text, const std::string& name, std::string& problem) {
  std::map<std::vector<std::string>, Cost> sums;
  std::size_t number = 0;
  for (std::string line; std::getline(text, line);) {
    ++number;
    const std::size_t blank = line.rfind(' ');
    const std::size_t last = line.rfind(';', blank);
    std::uint64_t bytes = 0;
    const char* const end = line.data() + line.size();
    const bool has_parts = blank != std::string::npos && last != std::string::npos && last > 0;
    const auto number_read = std::from_chars(has_parts ? line.data() + blank + 1 : end, end, bytes);
    const bool is_folded = number_read.ec == std::errc{} && number_read.ptr == end;
    const std::string way = is_folded ? line.substr(last + 1, blank - last - 1) : "";
    if (way != kReadFrame && way != kWriteFrame) {
      problem = fmt::format("'{}' is not a profile of discnice: line {} is not a stack with its bytes", name,
                            number);
      return {};
    }
    std::vector<std::string> functions;
    std::istringstream frames(line.substr(0, last));
    for (std::string frame; std::getline(frames, frame, ';');) functions.push_back(frame);
    Cost& cost = sums[std::move(functions)];
    (way == kReadFrame ? cost.read_bytes : cost.write_bytes) += bytes;
  }
  return sorted(sums);
}

std::vector<FunctionShare> by_function(const std::vector<NamedStack>& stacks) {
  std::map<std::string, FunctionShare> shares;
  for (const NamedStack& stack : stacks) {
    const std::uint64_t bytes = stack.read_bytes + stack.write_bytes;
    // A function that calls itself counts once.
    const std::set<std::string> functions(stack.functions.begin() + 1, stack.functions.end());
    for (const std::string& function : functions) shares[function].all_bytes += bytes;
    if (stack.functions.size() > 1) shares[stack.functions.back()].own_bytes += bytes;
  }
  std::vector<FunctionShare> result;
  for (auto& [function, share] : shares) {
    share.function = function;
    result.push_back(std::move(share));
  }
  std::stable_sort(result.begin(), result.end(), [](const FunctionShare& a, const FunctionShare& b) {
    return std::pair(a.own_bytes, a.all_bytes) > std::pair(b.own_bytes, b.all_bytes);
  });
  return result;
}

std::string function_table(const std::vector<FunctionShare>& functions, std::size_t count_max) {
  std::uint64_t all_bytes = 0;
  for (const FunctionShare& share : functions) all_bytes += share.own_bytes;
  std::string text =
      fmt::format("  {:>11} {:>8} {:>11} {:>8}  {}\n", "own bytes", "", "with callees", "", "function");
  for (std::size_t i = 0; i < functions.size() && i < count_max; ++i) {
    const FunctionShare& share = functions[i];
    text += fmt::format("  {:>11} {:>8} {:>11} {:>8}  {}\n", gray::cli::format_bytes(share.own_bytes),
                        share_of(share.own_bytes, all_bytes), gray::cli::format_bytes(share.all_bytes),
                        share_of(share.all_bytes, all_bytes), share.function);
  }
  return text;
}

}  // namespace discnice::cli
