// SPDX-License-Identifier: MIT
#include "tools/gbp/refresh/attributes.hpp"

#include <algorithm>
#include <cerrno>
#include <map>
#include <vector>

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <fmt/core.h>

#include "toolbox/cli/diagnostics.hpp"

namespace gbp::refresh_parts {
namespace {

constexpr unsigned kEncrypted = 0x00000800;  // FS_ENCRYPT_FL and others, by number: older headers lack some
constexpr unsigned kVerity = 0x00100000;
// Flags that a person may set with chattr and that a copy must have as well.
constexpr unsigned kKeptFlags = FS_SECRM_FL | FS_UNRM_FL | FS_COMPR_FL | FS_SYNC_FL | FS_NODUMP_FL |
                                FS_NOATIME_FL | FS_JOURNAL_DATA_FL | FS_NOTAIL_FL | FS_DIRSYNC_FL |
                                FS_TOPDIR_FL | FS_NOCOW_FL | 0x02000000U /* DAX */ | FS_PROJINHERIT_FL |
                                0x40000000U /* casefold */;

constexpr mode_t kModeBits = 07777;

using Attributes = decltype(Facts::extended);

// If the file system has no flags, the result is no flags.
unsigned flags_of(int fd) {
  unsigned flags = 0;
  return ioctl(fd, FS_IOC_GETFLAGS, &flags) == 0 ? flags : 0;
}

unsigned project_of(int fd) {
  fsxattr facts{};
  return ioctl(fd, FS_IOC_FSGETXATTR, &facts) == 0 ? facts.fsx_projid : 0;
}

bool set_project(int fd, unsigned project) {
  fsxattr facts{};
  if (ioctl(fd, FS_IOC_FSGETXATTR, &facts) != 0) return false;
  facts.fsx_projid = project;
  return ioctl(fd, FS_IOC_FSSETXATTR, &facts) == 0;
}

// What `read` gives, which tells the size when it is asked with none. Somebody may make it larger between the two: then once more.
// False with errno.
template <typename Read>
bool read_sized(const Read& read, std::vector<char>& bytes) {
  constexpr int kTriesMax = 10;
  for (int i = 0; i < kTriesMax; ++i) {
    const ssize_t size = read(nullptr, 0);
    if (size < 0) return false;
    bytes.resize(static_cast<std::size_t>(size));
    if (size == 0) return true;
    const ssize_t got = read(bytes.data(), bytes.size());
    if (got < 0 && errno == ERANGE) continue;
    bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    return got >= 0;
  }
  return false;
}

// False with errno. A file system without extended attributes has none.
bool read_attributes(int fd, Attributes& attributes) {
  std::vector<char> names;
  if (!read_sized([fd](char* to, std::size_t bytes) { return flistxattr(fd, to, bytes); }, names))
    return errno == ENOTSUP;
  for (auto name = names.begin(); name < names.end();) {
    const std::string text(&*name);
    if (!read_sized([&](char* to, std::size_t bytes) { return fgetxattr(fd, text.c_str(), to, bytes); },
                    attributes[text]))
      return false;
    name += static_cast<std::ptrdiff_t>(text.size()) + 1;
  }
  return true;
}

// A hash of bytes (FNV-1a), continued.
void mix(std::uint64_t& digest, const void* data, std::size_t bytes) {
  constexpr std::uint64_t kPrime = 1099511628211U;
  for (std::size_t i = 0; i < bytes; ++i)
    digest = (digest ^ static_cast<const unsigned char*>(data)[i]) * kPrime;
}

std::string failed(const std::string& what) {
  return fmt::format("{} can't be kept: {}", what, gray::cli::error_text(errno));
}

}  // namespace

std::string find_unchangeable(int fd) {
  const unsigned flags = flags_of(fd);
  if ((flags & FS_IMMUTABLE_FL) != 0) return "immutable (chattr +i)";
  if ((flags & FS_APPEND_FL) != 0) return "append-only (chattr +a)";
  if ((flags & kVerity) != 0) return "under fs-verity, which a copy would not be";
  if ((flags & kEncrypted) != 0) return "encrypted by the file system";
  return "";
}

std::string copy_attributes(int from, int to, const struct stat& status) {
  if (const unsigned project = project_of(from); project != project_of(to) && !set_project(to, project))
    return failed("the project");
  struct stat made {};
  if (fstat(to, &made) != 0) return failed("the owner");
  if ((made.st_uid != status.st_uid || made.st_gid != status.st_gid) &&
      fchown(to, status.st_uid, status.st_gid) != 0)
    return failed("the owner");
  Attributes attributes;
  Attributes before;
  if (!read_attributes(from, attributes) || !read_attributes(to, before))
    return failed("the list of extended attributes");
  for (const auto& [name, value] : before)
    if (attributes.count(name) == 0 && fremovexattr(to, name.c_str()) != 0)
      return failed("the lack of the attribute " + name);
  for (const auto& [name, value] : attributes)
    if (fsetxattr(to, name.c_str(), value.data(), value.size(), 0) != 0)
      return failed("the attribute " + name);
  if (fchmod(to, status.st_mode & kModeBits) != 0) return failed("the mode");
  const unsigned wanted = flags_of(from) & kKeptFlags;
  unsigned flags = flags_of(to);
  if ((flags & kKeptFlags) != wanted) {
    flags = (flags & ~kKeptFlags) | wanted;
    if (ioctl(to, FS_IOC_SETFLAGS, &flags) != 0) return failed("the flags");
  }
  return "";
}

bool read_facts(int fd, Facts& facts) {
  struct stat status {};
  if (fstat(fd, &status) != 0) return false;
  facts = {status.st_mode, status.st_uid, status.st_gid, flags_of(fd) & kKeptFlags, project_of(fd), {}};
  return read_attributes(fd, facts.extended);
}

std::uint64_t digest_of(const Facts& facts) {
  std::uint64_t digest = 14695981039346656037U;
  for (const std::uint32_t number : {facts.mode, facts.user, facts.group, facts.flags, facts.project})
    mix(digest, &number, sizeof number);
  for (const auto& [name, value] : facts.extended) {
    const std::size_t bytes = value.size();
    mix(digest, name.c_str(), name.size() + 1);
    mix(digest, &bytes, sizeof bytes);
    mix(digest, value.data(), bytes);
  }
  return digest;
}

std::string compare_attributes(int from, int to) {
  struct stat a {};
  struct stat b {};
  if (fstat(from, &a) != 0 || fstat(to, &b) != 0) return "it can't be read again";
  if (a.st_mtim.tv_sec != b.st_mtim.tv_sec || a.st_mtim.tv_nsec != b.st_mtim.tv_nsec)
    return "the time differs";
  Facts of_a;
  Facts of_b;
  if (!read_facts(from, of_a) || !read_facts(to, of_b)) return "its attributes can't be read";
  if (of_a.user != of_b.user || of_a.group != of_b.group) return "the owner differs";
  if (of_a.mode != of_b.mode) return "the mode differs";
  if (of_a.flags != of_b.flags) return "the flags differ";
  if (of_a.project != of_b.project) return "the project differs";
  return of_a.extended == of_b.extended ? "" : "the extended attributes differ";
}

bool set_times(int fd, const struct stat& status) {
  const timespec times[2] = {status.st_atim, status.st_mtim};
  return futimens(fd, times) == 0;
}

}  // namespace gbp::refresh_parts
