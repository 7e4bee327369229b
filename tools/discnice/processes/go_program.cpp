// SPDX-License-Identifier: MIT
#include "tools/discnice/processes/go_program.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace discnice::processes {
namespace {

// Some ways to build a Go program leave out one of these marks. A program without any of them was made to be unrecognisable.
constexpr std::string_view kNoteName{"Go\0\0", 4};  // the name of the note that holds the build's number
constexpr std::string_view kBuildMark = "\xff Go buildinf:";  // at the beginning of the data
constexpr std::array<std::string_view, 3> kSections = {".go.buildinfo", ".gopclntab", ".note.go.buildid"};

constexpr std::uint64_t kNotesBytesMax = 4096;
constexpr std::uint64_t kDataBytesMax = 65536;
constexpr std::uint64_t kNamesBytesMax = 65536;
constexpr unsigned kHeadersMax = 4096;

std::string read_at(std::istream& file, std::uint64_t offset, std::uint64_t bytes) {
  std::string content(bytes, '\0');
  file.clear();
  file.seekg(static_cast<std::streamoff>(offset));
  file.read(content.data(), static_cast<std::streamsize>(bytes));
  content.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  return content;
}

// Reads the headers of a table in one read, as many as the file holds.
template <typename Header>
std::vector<Header> read_table(std::istream& file, std::uint64_t table, unsigned count) {
  const std::string content = read_at(file, table, std::min(count, kHeadersMax) * sizeof(Header));
  std::vector<Header> headers(content.size() / sizeof(Header));
  if (!headers.empty()) std::memcpy(headers.data(), content.data(), headers.size() * sizeof(Header));
  return headers;
}

bool is_marked_segment(std::istream& file, const Elf64_Phdr& segment) {
  const bool is_data = segment.p_type == PT_LOAD && (segment.p_flags & PF_W) != 0;
  if (segment.p_type != PT_NOTE && !is_data) return false;
  const std::uint64_t bytes = std::min(segment.p_filesz, is_data ? kDataBytesMax : kNotesBytesMax);
  const std::string content = read_at(file, segment.p_offset, bytes);
  return content.find(is_data ? kBuildMark : kNoteName) != std::string::npos;
}

bool has_go_section(std::istream& file, const Elf64_Ehdr& header) {
  const auto sections = read_table<Elf64_Shdr>(file, header.e_shoff, header.e_shnum);
  if (header.e_shstrndx >= sections.size()) return false;
  const Elf64_Shdr& names_at = sections[header.e_shstrndx];
  const std::string names = read_at(file, names_at.sh_offset, std::min(names_at.sh_size, kNamesBytesMax));
  return std::any_of(sections.begin(), sections.end(), [&](const Elf64_Shdr& section) {
    if (section.sh_name >= names.size()) return false;
    const std::string_view name = names.c_str() + section.sh_name;
    return std::find(kSections.begin(), kSections.end(), name) != kSections.end();
  });
}

}  // namespace

bool is_go_program(std::istream& file, const Elf64_Ehdr& header) {
  const auto segments = read_table<Elf64_Phdr>(file, header.e_phoff, header.e_phnum);
  if (std::any_of(segments.begin(), segments.end(),
                  [&](const Elf64_Phdr& segment) { return is_marked_segment(file, segment); }))
    return true;
  return header.e_shoff != 0 && has_go_section(file, header);
}

}  // namespace discnice::processes
