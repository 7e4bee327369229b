// SPDX-License-Identifier: MIT
#include "tools/heapnice/runtime.hpp"

#include <climits>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include <elf.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/discnice/processes/go_program.hpp"

namespace heapnice {
namespace {

bool is_file(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

std::string real_path(const std::string& path) {
  char resolved[PATH_MAX];
  return realpath(path.c_str(), resolved) == nullptr ? path : std::string(resolved);
}

std::string base_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

// All programs of a JDK start a JVM, and lie near the library of the JDK's launcher.
bool is_of_jdk(const std::string& path) {
  const std::string folder = path.substr(0, path.rfind('/') + 1);
  for (const char* place :
       {"../lib/libjli.so", "../lib/amd64/jli/libjli.so", "../jre/lib/amd64/jli/libjli.so"})
    if (is_file(folder + place)) return true;
  return base_name(path) == "java";
}

bool is_node(const std::string& name) {
  return name == "node" || name == "nodejs";
}

// "#!/usr/bin/env -S node --x": the interpreter is the first word after env and its options.
Runtime of_script(const std::string& line) {
  std::string word;
  for (std::size_t place = 2; place < line.size();) {
    const std::size_t start = line.find_first_not_of(" \t", place);
    if (start == std::string::npos) break;
    place = std::min(line.find_first_of(" \t", start), line.size());
    word = base_name(line.substr(start, place - start));
    if (word != "env" && word[0] != '-') break;
  }
  return is_node(word) ? Runtime::node : Runtime::java;
}

}  // namespace

std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  const char* path = std::getenv("PATH");
  std::string folders = path == nullptr ? "/bin:/usr/bin" : path;
  folders += ':';
  for (std::size_t place = 0; place < folders.size();) {
    const std::size_t end = folders.find(':', place);
    std::string file = end == place ? "." : folders.substr(place, end - place);
    file.append("/").append(name);
    if (is_file(file) && access(file.c_str(), X_OK) == 0) return file;
    place = end + 1;
  }
  return "";
}

Runtime find_runtime(const std::string& name, std::string& problem) {
  const std::string path = real_path(find_program(name));
  std::ifstream file(path, std::ios::binary);
  std::string line;
  if (path.empty() || !is_file(path) || !file)
    return Runtime::java;  // the error is reported when the command is run
  char mark[2] = {};
  file.read(mark, sizeof mark);
  if (file.gcount() == 2 && std::memcmp(mark, "#!", 2) == 0) {
    file.seekg(0);
    std::getline(file, line);
    return of_script(line.substr(0, PATH_MAX));
  }
  if (is_node(base_name(path))) return Runtime::node;
  if (is_of_jdk(path)) return Runtime::java;
  Elf64_Ehdr header{};
  file.clear();
  file.seekg(0);
  file.read(reinterpret_cast<char*>(&header), sizeof header);
  const bool is_elf = file.gcount() == sizeof header && std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0;
  if (is_elf && header.e_ident[EI_CLASS] == ELFCLASS64 && discnice::processes::is_go_program(file, header))
    return Runtime::go;
  problem = "has no heap that heapnice knows";
  return Runtime::none;
}

const char* name_of(Runtime runtime) {
  switch (runtime) {
    case Runtime::java:
      return "java";
    case Runtime::go:
      return "go";
    case Runtime::node:
      return "node";
    case Runtime::none:
      break;
  }
  return "none";
}

}  // namespace heapnice
