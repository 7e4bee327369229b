// SPDX-License-Identifier: MIT
#include "toolbox/repo/fingerprint.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <sstream>

namespace gray::repo {
namespace {

// A value becomes the rest of one line. Control characters become blanks, and blanks at the ends are removed,
// because a reader could not get them back.
std::string one_line(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = ' ';
  }
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return one_line(line);
}

bool is_there(const std::string& path) {
  return access(path.c_str(), F_OK) == 0;
}

// The kernel needs longer for this text than for all others here, so it is read once.
std::string read_cpuinfo(const std::string& root) {
  std::ifstream file(root + "/proc/cpuinfo");
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// The first "label : value" of /proc/cpuinfo, for the first processor that has it.
std::string cpuinfo_field(const std::string& cpuinfo, const std::string& label) {
  std::istringstream lines(cpuinfo);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t colon = line.find(':');
    if (colon != std::string::npos && one_line(line.substr(0, colon)) == label) {
      return one_line(line.substr(colon + 1));
    }
  }
  return "";
}

std::string read_cpu_model(const std::string& cpuinfo) {
  std::string name = cpuinfo_field(cpuinfo, "model name");
  if (!name.empty()) return name;
  // arm64 has no model name; implementer and part number identify the processor as well.
  const std::string implementer = cpuinfo_field(cpuinfo, "CPU implementer");
  const std::string part = cpuinfo_field(cpuinfo, "CPU part");
  if (!implementer.empty()) return "implementer " + implementer + " part " + part;
  return "unknown";
}

bool read_has_hypervisor(const std::string& root, const std::string& cpuinfo) {
  const std::string flags = " " + cpuinfo_field(cpuinfo, "flags") + " ";
  return flags.find(" hypervisor ") != std::string::npos || is_there(root + "/sys/hypervisor/type") ||
         is_there(root + "/proc/device-tree/hypervisor");
}

std::string read_machine_id(const std::string& root, const utsname& names) {
  for (const char* path : {"/etc/machine-id", "/var/lib/dbus/machine-id"}) {
    std::string id = first_line(root + path);
    // In an image that was never booted the file says "uninitialized".
    if (!id.empty() && id.find_first_not_of("0123456789abcdef") == std::string::npos) return id;
  }
  return "host:" + one_line(names.nodename);
}

std::string difference(const char* what, const std::string& stored, const std::string& here) {
  return stored == here ? "" : std::string(what) + " " + stored + ", here " + here;
}

}  // namespace

Fingerprint read_fingerprint(const std::string& root) {
  utsname names{};
  uname(&names);
  const std::string cpuinfo = read_cpuinfo(root);
  return {read_machine_id(root, names), read_cpu_model(cpuinfo), one_line(names.release),
          read_has_hypervisor(root, cpuinfo)};
}

std::string describe_difference(const Fingerprint& stored, const Fingerprint& here) {
  std::string text = difference("machine id", stored.machine_id, here.machine_id);
  if (text.empty()) text = difference("processor", stored.cpu_model, here.cpu_model);
  if (text.empty()) text = difference("kernel", stored.kernel_release, here.kernel_release);
  if (text.empty() && stored.has_hypervisor != here.has_hypervisor) {
    text = stored.has_hypervisor ? "under a hypervisor, here none" : "no hypervisor, here one";
  }
  return text;
}

}  // namespace gray::repo
