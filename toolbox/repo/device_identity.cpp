// SPDX-License-Identifier: MIT
#include "toolbox/repo/device_identity.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>

namespace gray::repo {
namespace {

// The struct of linux/fs.h since 6.9; it is defined here because older headers lack it.
struct FileSystemUuid {
  std::uint8_t length;
  std::uint8_t bytes[16];
};
constexpr unsigned long kGetFileSystemUuid = _IOR(0x15, 0, FileSystemUuid);

std::string format_uuid(const FileSystemUuid& uuid) {
  std::string text = "uuid:";
  for (std::size_t i = 0; i < sizeof uuid.bytes; ++i) {
    std::array<char, 4> hex;
    std::snprintf(hex.data(), hex.size(), "%02x", uuid.bytes[i]);
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += hex.data();
  }
  return text;
}

std::string uuid_from_kernel(int fd) {
  FileSystemUuid uuid{};
  if (ioctl(fd, kGetFileSystemUuid, &uuid) != 0 || uuid.length != sizeof uuid.bytes) return "";
  return format_uuid(uuid);
}

std::string uuid_from_links(dev_t device) {
  const std::string folder = "/dev/disk/by-uuid/";
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(opendir(folder.c_str()), closedir);
  if (!entries) return "";
  while (const dirent* entry = readdir(entries.get())) {
    struct stat target {};
    if (stat((folder + entry->d_name).c_str(), &target) == 0 && S_ISBLK(target.st_mode) &&
        target.st_rdev == device) {
      return std::string("uuid:") + entry->d_name;
    }
  }
  return "";
}

// A serial number may hold any characters. Characters that are not allowed in a name become '-'.
std::string as_device_word(std::string text) {
  const std::size_t last = text.find_last_not_of(" \n");
  text.resize(last == std::string::npos ? 0 : last + 1);
  constexpr std::size_t kSerialLengthMax = 64;
  if (text.size() > kSerialLengthMax) text.resize(kSerialLengthMax);
  for (char& c : text) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!is_plain && std::strchr(":._-", c) == nullptr) c = '-';
  }
  return text;
}

std::string device_numbers(dev_t device) {
  return std::to_string(major(device)) + ":" + std::to_string(minor(device));
}

std::string serial_from_sysfs(dev_t device) {
  const std::string folder = "/sys/dev/block/" + device_numbers(device);
  for (const char* name : {"/wwid", "/serial", "/device/wwid", "/device/serial"}) {
    std::ifstream file(folder + name);
    std::string line;
    if (std::getline(file, line) && !as_device_word(line).empty()) return "serial:" + as_device_word(line);
  }
  return "";
}

std::string fsid(int fd) {
  struct statfs info {};
  std::array<std::uint32_t, 2> words{};
  static_assert(sizeof info.f_fsid == sizeof words);
  if (fstatfs(fd, &info) != 0) return "";
  std::memcpy(words.data(), &info.f_fsid, sizeof words);
  if (words[0] == 0 && words[1] == 0) return "";
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "fsid:%08x%08x", words[0], words[1]);
  return text.data();
}

std::string identify(int fd, const struct stat& info) {
  const bool is_block_device = S_ISBLK(info.st_mode);
  const dev_t device = is_block_device ? info.st_rdev : info.st_dev;
  std::string name;
  if (!is_block_device) name = uuid_from_kernel(fd);
  if (name.empty()) name = uuid_from_links(device);
  if (name.empty()) name = serial_from_sysfs(device);
  if (name.empty() && !is_block_device) name = fsid(fd);
  if (name.empty()) name = "dev:" + device_numbers(device);
  return name;
}

}  // namespace

base::Result<std::string> device_identity(const std::string& path) {
  using Identity = base::Result<std::string>;
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return Identity::failure(-errno);
  struct stat info {};
  const int status = fstat(fd, &info);
  const int error = -errno;
  Identity identity = status == 0 ? Identity(identify(fd, info)) : Identity::failure(error);
  close(fd);
  return identity;
}

}  // namespace gray::repo
