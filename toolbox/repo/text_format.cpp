// SPDX-License-Identifier: MIT
#include "toolbox/repo/text_format.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <set>

namespace gray::repo {
namespace {

constexpr std::string_view kMagic = "gray-parameters";
constexpr std::string_view kMachineId = "machine-id ";
constexpr std::string_view kCpuModel = "cpu-model ";
constexpr std::string_view kKernelRelease = "kernel-release ";
constexpr std::string_view kHypervisor = "hypervisor ";
constexpr std::string_view kTrailer = "end ";
constexpr std::string_view kLegend = "# key value unit spread samples method date\n";
constexpr std::string_view kUnknown = "-";

// FNV-1a with 64 bits (Fowler, Noll, Vo): protects against accidents and not against forgery. A forger could also write a complete false
// file.
std::uint64_t checksum(std::string_view text) {
  std::uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= UINT64_C(0x100000001b3);
  }
  return hash;
}

std::string trailer(std::string_view body, std::size_t parameter_count) {
  std::array<char, 64> line;
  std::snprintf(line.data(), line.size(), "end %zu %016llx\n", parameter_count,
                static_cast<unsigned long long>(checksum(body)));
  return line.data();
}

std::string name_of(const Parameter& parameter) {
  return format_name(parameter.key, parameter.device);
}

std::string line_of(const Parameter& parameter) {
  const std::string spread = parameter.spread ? format_number(*parameter.spread) : std::string(kUnknown);
  return name_of(parameter) + " " + format_number(parameter.value) + " " + parameter.unit + " " + spread +
         " " + std::to_string(parameter.samples) + " " + parameter.method + " " + parameter.date + "\n";
}

template <typename Integer>
bool read_integer(std::string_view text, Integer& value) {
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && stop == text.data() + text.size();
}

// Removes the first line from `rest` and returns it without its newline.
std::string_view take_line(std::string_view& rest) {
  const std::size_t end = rest.find('\n');
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return line;
}

bool take_field(std::string_view& rest, std::string_view label, std::string& value) {
  const std::string_view line = take_line(rest);
  if (line.substr(0, label.size()) != label) return false;
  value = line.substr(label.size());
  return !value.empty();
}

bool take_fingerprint(std::string_view& rest, Fingerprint& fingerprint) {
  std::string hypervisor;
  if (!take_field(rest, kMachineId, fingerprint.machine_id)) return false;
  if (!take_field(rest, kCpuModel, fingerprint.cpu_model)) return false;
  if (!take_field(rest, kKernelRelease, fingerprint.kernel_release)) return false;
  if (!take_field(rest, kHypervisor, hypervisor)) return false;
  fingerprint.has_hypervisor = hypervisor == "yes";
  return hypervisor == "yes" || hypervisor == "no";
}

std::string_view take_word(std::string_view& line) {
  const std::size_t end = line.find(' ');
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
  return word;
}

bool parse_line(std::string_view line, Parameter& parameter) {
  const std::optional<Name> name = parse_name(take_word(line));
  const std::optional<double> value = parse_number(take_word(line));
  parameter.unit = take_word(line);
  const std::string_view spread = take_word(line);
  const std::optional<double> spread_number = parse_number(spread);
  if (!name || !value || (spread != kUnknown && !spread_number)) return false;
  if (!read_integer(take_word(line), parameter.samples)) return false;
  parameter.method = take_word(line);
  parameter.date = take_word(line);
  parameter.key = name->key;
  parameter.device = name->device;
  parameter.value = *value;
  parameter.spread = spread_number;
  return line.empty() && is_well_formed(parameter);
}

Decoded unusable(FileStatus status, std::string problem) {
  Decoded decoded;
  decoded.status = status;
  decoded.problem = std::move(problem);
  return decoded;
}

// kUsable, or the error that the first line shows. A first line without its newline means a torn file, not another version.
Decoded check_first_line(std::string_view text) {
  if (text.empty()) return unusable(FileStatus::kEmpty, "is empty");
  std::string_view rest = text;
  std::string_view line = take_line(rest);
  const std::string first = std::string(kMagic) + " ";
  if (line.size() == text.size()) {
    const std::string whole = first + std::to_string(kFormatVersion);
    if (whole.compare(0, line.size(), line) == 0) return unusable(FileStatus::kTorn, "is cut off");
  }
  unsigned version = 0;
  if (line.substr(0, first.size()) != first || !read_integer(line.substr(first.size()), version) ||
      version == 0) {
    return unusable(FileStatus::kNotOurs, "is not a file of gray parameters");
  }
  if (version > kFormatVersion) {
    return unusable(FileStatus::kFutureVersion, "has format version " + std::to_string(version) +
                                                    ", this program knows up to " +
                                                    std::to_string(kFormatVersion));
  }
  return unusable(FileStatus::kUsable, "");
}

// Splits off and checks the trailer. `body` is the text before the trailer. False if the text is not whole.
bool split_trailer(std::string_view text, std::string_view& body, std::size_t& count) {
  if (text.empty() || text.back() != '\n') return false;
  const std::size_t start = text.rfind('\n', text.size() - 2);
  if (start == std::string_view::npos) return false;
  body = text.substr(0, start + 1);
  std::string_view line = text.substr(start + 1, text.size() - start - 2);
  if (line.substr(0, kTrailer.size()) != kTrailer) return false;
  line.remove_prefix(kTrailer.size());
  if (!read_integer(take_word(line), count)) return false;
  return text.substr(body.size()) == trailer(body, count);
}

Decoded decode_body(std::string_view body, std::size_t count) {
  Decoded decoded;
  std::string_view rest = body;
  take_line(rest);
  if (!take_fingerprint(rest, decoded.fingerprint)) {
    return unusable(FileStatus::kMalformed, "has no readable host fingerprint");
  }
  std::set<std::string> names;
  while (!rest.empty()) {
    const std::string_view line = take_line(rest);
    if (line.empty() || line.front() == '#') continue;
    Parameter parameter;
    if (!parse_line(line, parameter) || !names.insert(name_of(parameter)).second) {
      return unusable(FileStatus::kMalformed, "has a line that is no parameter or one twice, number " +
                                                  std::to_string(decoded.parameters.size() + 1));
    }
    decoded.parameters.push_back(std::move(parameter));
  }
  if (decoded.parameters.size() != count) {
    return unusable(FileStatus::kTorn, "has another number of parameters than its last line says");
  }
  decoded.status = FileStatus::kUsable;
  return decoded;
}

}  // namespace

std::string encode(const Fingerprint& fingerprint, std::vector<Parameter> parameters) {
  std::sort(parameters.begin(), parameters.end(),
            [](const Parameter& a, const Parameter& b) { return name_of(a) < name_of(b); });
  std::string text = std::string(kMagic) + " " + std::to_string(kFormatVersion) + "\n";
  text.append(kMachineId).append(fingerprint.machine_id).append("\n");
  text.append(kCpuModel).append(fingerprint.cpu_model).append("\n");
  text.append(kKernelRelease).append(fingerprint.kernel_release).append("\n");
  text.append(kHypervisor).append(fingerprint.has_hypervisor ? "yes" : "no").append("\n");
  text.append(kLegend);
  for (const Parameter& parameter : parameters) text += line_of(parameter);
  return text + trailer(text, parameters.size());
}

Decoded decode(std::string_view text, const Fingerprint& here) {
  Decoded first = check_first_line(text);
  if (first.status != FileStatus::kUsable) return first;
  std::string_view body;
  std::size_t count = 0;
  if (!split_trailer(text, body, count)) {
    return unusable(FileStatus::kTorn, "is cut off or was changed by hand: its last line does not fit");
  }
  Decoded decoded = decode_body(body, count);
  if (decoded.status != FileStatus::kUsable) return decoded;
  const std::string difference = describe_difference(decoded.fingerprint, here);
  if (difference.empty()) return decoded;
  return unusable(FileStatus::kForeign, "was measured on another host (" + difference + ")");
}

}  // namespace gray::repo
