// SPDX-License-Identifier: MIT
#include "tools/discnice/processes/target.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <vector>

#include <elf.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include "toolbox/cli/diagnostics.hpp"
#include "tools/discnice/processes/go_program.hpp"

namespace discnice::processes {
namespace {

constexpr int kInterpretersMax = 4;  // the kernel's own bound on scripts that are run by scripts
constexpr std::size_t kShebangBytesMax = 256;

#if defined(__x86_64__)
constexpr Elf64_Half kOwnMachine = EM_X86_64;
constexpr char kOwnLoader[] = "/lib64/ld-linux-x86-64.so.2";
#elif defined(__aarch64__)
constexpr Elf64_Half kOwnMachine = EM_AARCH64;
constexpr char kOwnLoader[] = "/lib/ld-linux-aarch64.so.1";
#endif

bool is_executable_file(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && access(path.c_str(), X_OK) == 0;
}

Target failed(const std::string& path, int exit_status, std::string problem) {
  return {path, exit_status, std::move(problem), ""};
}

Target find_in_path(const std::string& name) {
  const char* variable = std::getenv("PATH");
  std::istringstream folders(variable != nullptr ? variable : "/usr/local/bin:/usr/bin:/bin");
  std::string folder;
  std::string unusable;
  while (std::getline(folders, folder, ':')) {
    const std::string path = (folder.empty() ? "." : folder) + "/" + name;
    if (is_executable_file(path)) return {path, 0, "", ""};
    if (access(path.c_str(), F_OK) == 0) unusable = path;
  }
  if (!unusable.empty()) {
    return failed(unusable, gray::cli::kExitCannotInvoke,
                  fmt::format("cannot run '{}': it is not an executable file", unusable));
  }
  return failed(name, gray::cli::kExitNotFound, fmt::format("there is no program '{}' in PATH", name));
}

Target locate(const std::string& name) {
  if (name.empty()) return failed(name, gray::cli::kExitNotFound, "the name of the program to run is empty");
  if (name.find('/') == std::string::npos) return find_in_path(name);
  if (access(name.c_str(), F_OK) != 0) {
    return failed(name, gray::cli::kExitNotFound,
                  fmt::format("cannot run '{}': {}", name, gray::cli::error_text(errno)));
  }
  if (!is_executable_file(name)) {
    return failed(name, gray::cli::kExitCannotInvoke,
                  fmt::format("cannot run '{}': it is not an executable file", name));
  }
  return {name, 0, "", ""};
}

// The dynamic loader that the program header table names. Without a loader nothing is preloaded.
std::string loader_of(std::ifstream& file, const Elf64_Ehdr& header) {
  file.seekg(static_cast<std::streamoff>(header.e_phoff));
  for (int i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    file.read(reinterpret_cast<char*>(&segment), sizeof segment);
    if (!file) return "";
    if (segment.p_type != PT_INTERP) continue;
    std::string name(std::min<std::size_t>(segment.p_filesz, PATH_MAX), '\0');
    file.seekg(static_cast<std::streamoff>(segment.p_offset));
    file.read(name.data(), static_cast<std::streamsize>(name.size()));
    return file ? name.c_str() : "";
  }
  return "";
}

// Tells to which libc a loader belongs when its name does not tell it. glibc's loader has this symbol version, and musl's loader contains
// the name of musl.
const char* loader_obstacle(const std::string& loader) {
  if (loader == kOwnLoader) return nullptr;
  std::ifstream file(loader, std::ios::binary);
  if (!file) return nullptr;  // such a program cannot be run at all, and exec reports that
  const std::string content{std::istreambuf_iterator<char>(file), {}};
  if (content.find("GLIBC_PRIVATE") != std::string::npos) return nullptr;
  return content.find("musl libc") != std::string::npos
             ? "is linked with musl, and libdiscnice.so with glibc"
             : "has a dynamic loader of its own, and libdiscnice.so is for glibc's";
}

// Why a preloaded library could not reach this ELF file, or null if it could.
const char* elf_obstacle(std::ifstream& file, const Elf64_Ehdr& header) {
  if (header.e_ident[EI_CLASS] != ELFCLASS64) return "is a 32-bit program and libdiscnice.so is 64-bit";
  if (header.e_machine != kOwnMachine) return "is a program for another machine";
  const std::string loader = loader_of(file, header);
  if (loader.empty()) return "is statically linked";
  if (is_go_program(file, header)) return "is written in Go and makes its system calls without libc";
  return loader_obstacle(loader);
}

std::string interpreter_of(const std::string& first_line) {
  std::istringstream words(first_line.substr(2));
  std::string interpreter;
  words >> interpreter;
  return interpreter;
}

Target check_reach(const std::string& path, int depth) {
  struct stat status {};
  if (stat(path.c_str(), &status) == 0 && (status.st_mode & (S_ISUID | S_ISGID)) != 0 && geteuid() != 0) {
    return failed(
        path, gray::cli::kExitToolFailed,
        fmt::format("'{}' runs with somebody else's rights (set-user-ID): nobody but root can hold it, so it "
                    "would run without a limit",
                    path));
  }
  std::ifstream file(path, std::ios::binary);
  char start[kShebangBytesMax] = {};
  file.read(start, sizeof start - 1);
  if (std::strncmp(start, "#!", 2) == 0 && depth < kInterpretersMax) {
    const std::string line(start, strcspn(start, "\n"));
    const std::string interpreter = interpreter_of(line);
    if (access(interpreter.c_str(), X_OK) != 0) {
      return failed(path, gray::cli::kExitCannotInvoke,
                    fmt::format("cannot run '{}': its interpreter '{}' is not there", path, interpreter));
    }
    return check_reach(interpreter, depth + 1);
  }
  if (std::memcmp(start, ELFMAG, SELFMAG) != 0)
    return {path, 0, "", ""};  // a script without "#!", or a file that is not judged here
  Elf64_Ehdr header{};
  const std::size_t header_bytes = start[EI_CLASS] == ELFCLASS32 ? sizeof(Elf32_Ehdr) : sizeof header;
  if (file.gcount() < static_cast<std::streamsize>(header_bytes)) {
    return failed(path, gray::cli::kExitCannotInvoke,
                  fmt::format("cannot run '{}': a program's file that is cut short", path));
  }
  std::memcpy(&header, start, sizeof header);
  file.clear();
  const char* obstacle = elf_obstacle(file, header);
  return {path, 0, "", obstacle != nullptr ? obstacle : ""};
}

}  // namespace

Target find_target(const std::string& name) {
  Target target = locate(name);
  if (target.exit_status != 0) return target;
  Target reached = check_reach(target.path, 0);
  reached.path = target.path;
  return reached;
}

std::string obstacle_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  Elf64_Ehdr header{};
  file.read(reinterpret_cast<char*>(&header), sizeof header);
  if (!file || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return "";
  const char* obstacle = elf_obstacle(file, header);
  return obstacle != nullptr ? obstacle : "";
}

}  // namespace discnice::processes
