// SPDX-License-Identifier: MIT
#include "tools/discnice/cli/go_program.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace discnice::cli {
namespace {

// Each of these is left out by some way of building; a program without all of them was made to be unrecognisable.
constexpr std::string_view kNoteName{"Go\0\0", 4};            // of the note that holds the build's number
constexpr std::string_view kBuildMark = "\xff Go buildinf:";  // in front of the data
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

template <typename Header>
bool read_header(std::istream& file, std::uint64_t table, unsigned number, Header& header) {
  file.clear();
  file.seekg(static_cast<std::streamoff>(table + number * sizeof header));
  return static_cast<bool>(file.read(reinterpret_cast<char*>(&header), sizeof header));
}

bool is_marked_segment(std::istream& file, const Elf64_Phdr& segment) {
  const bool is_data = segment.p_type == PT_LOAD && (segment.p_flags & PF_W) != 0;
  if (segment.p_type != PT_NOTE && !is_data) return false;
  const std::uint64_t bytes = std::min(segment.p_filesz, is_data ? kDataBytesMax : kNotesBytesMax);
  const std::string content = read_at(file, segment.p_offset, bytes);
  return content.find(is_data ? kBuildMark : kNoteName) != std::string::npos;
}

bool has_go_section(std::istream& file, const Elf64_Ehdr& header) {
  Elf64_Shdr section{};
  if (!read_header(file, header.e_shoff, header.e_shstrndx, section)) return false;
  const std::string names = read_at(file, section.sh_offset, std::min(section.sh_size, kNamesBytesMax));
  for (unsigned i = 0; i < header.e_shnum && i < kHeadersMax; ++i) {
    if (!read_header(file, header.e_shoff, i, section)) return false;
    if (section.sh_name >= names.size()) continue;
    const std::string_view name = names.c_str() + section.sh_name;
    if (std::find(kSections.begin(), kSections.end(), name) != kSections.end()) return true;
  }
  return false;
}

}  // namespace

bool is_go_program(std::istream& file, const Elf64_Ehdr& header) {
  for (unsigned i = 0; i < header.e_phnum && i < kHeadersMax; ++i) {
    Elf64_Phdr segment{};
    if (!read_header(file, header.e_phoff, i, segment)) break;
    if (is_marked_segment(file, segment)) return true;
  }
  return header.e_shoff != 0 && has_go_section(file, header);
}

}  // namespace discnice::cli
