// SPDX-License-Identifier: MIT
#include "tools/discnice/cli/symbols.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include <elf.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace discnice::cli {
namespace {

// The most addresses in one call of the tool. The tool reads them from a file: with a pipe in each direction, both pipes could fill up, and both
// programs would wait for ever.
constexpr std::size_t kAddressesMax = 4096;

struct Tool {
  std::string path;
  std::vector<std::string> options;
};

std::string find_in_path(const char* name) {
  const char* variable = std::getenv("PATH");
  std::istringstream folders(variable != nullptr ? variable : "/usr/local/bin:/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    std::string path = (folder.empty() ? "." : folder) + "/" + name;
    if (access(path.c_str(), X_OK) == 0) return path;
  }
  return "";
}

// addr2line comes first, because it falls back on the dynamic symbols of stripped libraries.
std::optional<Tool> find_tool() {
  if (std::string path = find_in_path("addr2line"); !path.empty())
    return Tool{path, {"-a", "-f", "-C", "-i", "-e"}};
  if (std::string path = find_in_path("llvm-symbolizer"); !path.empty())
    return Tool{path, {"--output-style=GNU", "-a", "-f", "-C", "-i", "-e"}};
  return std::nullopt;
}

[[noreturn]] void become(const Tool& tool, const std::string& file, int input, int output) {
  std::vector<char*> arguments{const_cast<char*>(tool.path.c_str())};
  for (const std::string& option : tool.options) arguments.push_back(const_cast<char*>(option.c_str()));
  arguments.push_back(const_cast<char*>(file.c_str()));
  arguments.push_back(nullptr);
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (dup2(input, 0) >= 0 && dup2(output, 1) >= 0 && dup2(nowhere, 2) >= 0)
    execv(tool.path.c_str(), arguments.data());
  _exit(127);
}

bool write_all(int fd, const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t written = write(fd, text.data() + done, text.size() - done);
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) done += static_cast<std::size_t>(written);
  }
  return lseek(fd, 0, SEEK_SET) == 0;
}

std::string read_all(int fd) {
  std::string text;
  char part[4096];
  while (true) {
    const ssize_t got = read(fd, part, sizeof part);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(part, static_cast<std::size_t>(got));
  }
}

// Returns the output of the tool for these addresses of the file.
std::string ask(const Tool& tool, const std::string& file, const std::string& addresses) {
  const int input = memfd_create("addresses", MFD_CLOEXEC);
  int output[2];
  if (input < 0) return "";
  if (!write_all(input, addresses) || pipe2(output, O_CLOEXEC) != 0) {
    close(input);
    return "";
  }
  const pid_t pid = fork();
  if (pid == 0) become(tool, file, input, output[1]);
  close(input);
  close(output[1]);
  std::string text = pid < 0 ? "" : read_all(output[0]);
  close(output[0]);
  int status = 0;
  while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return text;
}

bool is_name(const std::string& line) {
  return !line.empty() && line != "??";
}

}  // namespace

std::optional<std::uint64_t> virtual_address(const std::string& file, std::uint64_t offset_bytes) {
  std::error_code error;  // a member has sent the name: opening a pipe would wait
  if (!std::filesystem::is_regular_file(file, error)) return std::nullopt;
  std::ifstream stream(file, std::ios::binary);
  Elf64_Ehdr header{};
  stream.read(reinterpret_cast<char*>(&header), sizeof header);
  if (!stream || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64)
    return std::nullopt;
  stream.seekg(static_cast<std::streamoff>(header.e_phoff));
  for (int i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    stream.read(reinterpret_cast<char*>(&segment), sizeof segment);
    if (!stream) return std::nullopt;
    const bool has_it = segment.p_type == PT_LOAD && offset_bytes >= segment.p_offset &&
                        offset_bytes - segment.p_offset < segment.p_filesz;
    if (has_it) return offset_bytes - segment.p_offset + segment.p_vaddr;
  }
  return std::nullopt;
}

// The tool prints an address in hexadecimal, then pairs of lines: a function, and its file and line. The innermost inlined function comes first.
std::vector<FunctionNames> parse_addr2line(std::istream& output, std::size_t count) {
  std::vector<FunctionNames> names;
  std::string function;
  std::string place;
  while (std::getline(output, function)) {
    if (function.rfind("0x", 0) == 0) {
      if (names.size() == count) break;
      names.emplace_back();
      continue;
    }
    if (names.empty() || !std::getline(output, place)) break;
    if (is_name(function)) names.back().insert(names.back().begin(), function);
  }
  names.resize(count);
  return names;
}

std::map<CodePlace, FunctionNames> find_names(const std::vector<CodePlace>& places, std::string& problem) {
  std::map<CodePlace, FunctionNames> names;
  const std::optional<Tool> tool = find_tool();
  if (!tool) {
    if (!places.empty())
      problem = "there is neither addr2line nor llvm-symbolizer in PATH: functions are shown as addresses";
    return names;
  }
  std::map<std::string, std::vector<const CodePlace*>> by_file;
  for (const CodePlace& place : places) {
    if (!place.file.empty() && place.file.front() == '/') by_file[place.file].push_back(&place);
  }
  for (const auto& [file, of_file] : by_file) {
    for (std::size_t first = 0; first < of_file.size(); first += kAddressesMax) {
      std::string addresses;
      std::vector<const CodePlace*> asked;
      for (std::size_t i = first; i < std::min(of_file.size(), first + kAddressesMax); ++i) {
        const auto address = virtual_address(file, of_file[i]->offset_bytes);
        if (!address) continue;
        addresses += fmt::format("{:#x}\n", *address);
        asked.push_back(of_file[i]);
      }
      if (asked.empty()) continue;
      std::istringstream output(ask(*tool, file, addresses));
      const std::vector<FunctionNames> found = parse_addr2line(output, asked.size());
      for (std::size_t i = 0; i < asked.size(); ++i) {
        if (!found[i].empty()) names[*asked[i]] = found[i];
      }
    }
  }
  return names;
}

}  // namespace discnice::cli
