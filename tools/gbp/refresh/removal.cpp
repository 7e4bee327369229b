// SPDX-License-Identifier: MIT
#include "tools/gbp/refresh/removal.hpp"

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "tools/gbp/refresh/attributes.hpp"
#include "tools/gbp/refresh/place.hpp"

namespace gbp::refresh_parts {
namespace {

using gray::base::ScopedFd;

constexpr char kPrefix[] = ".gray-doomed-";  // followed by the place of the entry

std::string doomed_name(std::size_t entry) {
  return kPrefix + std::to_string(entry);
}

bool rename_within(int folder, const std::string& from, const std::string& to) {
  return renameat2(folder, from.c_str(), folder, to.c_str(), RENAME_NOREPLACE) == 0;
}

bool look(int folder, const std::string& name, struct stat& status) {
  return fstatat(folder, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
}

bool is_leased(int file) {
  return fcntl(file, F_GETLEASE) == F_RDLCK;
}

ScopedFd open_leased(int folder, const std::string& name) {
  constexpr int kFlags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK;
  ScopedFd file = ScopedFd::open(name.c_str(), kFlags | O_NOATIME, 0, folder);
  if (file.error() == -EPERM) file = ScopedFd::open(name.c_str(), kFlags, 0, folder);
  // The kernel sends SIGIO when it wants a lease back. This signal is ignored, and is_leased() checks the lease.
  std::signal(SIGIO, SIG_IGN);
  if (file.is_open() && fcntl(file.get(), F_SETLEASE, F_RDLCK) != 0) file.reset(-errno);
  return file;
}

}  // namespace

bool is_name_of_removal(const std::string& name) {
  return name.rfind(kPrefix, 0) == 0;
}

bool Removal::remove(const std::string& name, std::size_t entry, const struct stat& seen) {
  return S_ISREG(seen.st_mode) ? remove_file(name, entry, seen) : remove_other(name, entry, seen);
}

bool Removal::remove_file(const std::string& name, std::size_t entry, const struct stat& seen) {
  const ScopedFd file = open_leased(folder_, name);
  struct stat before {};
  Facts facts_before;
  if (!file.is_open() || !read_facts(file.get(), facts_before) || fstat(file.get(), &before) != 0 ||
      !is_same(identity_of(seen), identity_of(before)))
    return false;
  const std::string doomed = doomed_name(entry);
  if (!rename_within(folder_, name, doomed)) return false;
  struct stat after {};
  struct stat named {};
  Facts facts_after;
  const bool is_still_it = look(folder_, doomed, named) && named.st_ino == before.st_ino &&
                           read_facts(file.get(), facts_after) && facts_after == facts_before &&
                           fstat(file.get(), &after) == 0 &&
                           is_same_but_status_time(identity_of(before), identity_of(after));
  if (is_still_it) records_.note_renamed(before, after);
  if (!is_still_it || !is_leased(file.get()) || unlinkat(folder_, doomed.c_str(), 0) != 0) {
    rename_within(folder_, doomed, name);
    return false;
  }
  struct stat last {};  // the last status, for the other names of the file
  if (fstat(file.get(), &last) == 0) records_.note_renamed(after, last);
  return true;
}

bool Removal::remove_other(const std::string& name, std::size_t entry, const struct stat& seen) {
  const std::string doomed = doomed_name(entry);
  if (!rename_within(folder_, name, doomed)) return false;
  struct stat now {};
  if (look(folder_, doomed, now) && now.st_ino == seen.st_ino && now.st_mode == seen.st_mode &&
      unlinkat(folder_, doomed.c_str(), 0) == 0)
    return true;
  rename_within(folder_, doomed, name);
  return false;
}

bool Removal::end_begun() {
  std::vector<std::string> names;
  if (!list_names(folder_, names)) return false;
  bool is_all = true;
  for (const std::string& name : names) {
    if (!is_name_of_removal(name)) continue;
    std::size_t entry = 0;
    const char* digits = name.data() + sizeof kPrefix - 1;
    const char* end = name.data() + name.size();
    if (const auto read = std::from_chars(digits, end, entry); read.ptr != end || read.ec != std::errc())
      continue;
    if (entry < records_.entries().size()) is_all = end_one(name, records_.entries()[entry]) && is_all;
  }
  return is_all;
}

// The file got this name only after a check had shown that no other file needs it.
bool Removal::end_one(const std::string& doomed, const Recorded& entry) {
  struct stat now {};
  if (!look(folder_, doomed, now)) return false;
  bool is_free = entry.is_folder() ? S_ISLNK(now.st_mode) && now.st_ino == entry.new_one.inode
                                   : records_.is_unchanged_but_renamed(entry, now);
  ScopedFd file;
  if (is_free && S_ISREG(now.st_mode)) {
    file = open_leased(folder_, doomed);
    is_free = file.is_open();
  }
  if (is_free && unlinkat(folder_, doomed.c_str(), 0) == 0) return true;
  return rename_within(folder_, doomed, entry.name);
}

}  // namespace gbp::refresh_parts
