// SPDX-License-Identifier: MIT
#include "tools/gbp/refresh/journal.hpp"

#include <cerrno>
#include <cinttypes>
#include <cstdio>

#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>

namespace gbp::refresh_parts {
namespace {

using gray::base::ScopedFd;

constexpr std::size_t kBytesMax = 512;
constexpr char kForm[] = "gray-refresh 1\nold %" SCNu64 "\nnew %" SCNu64 "\ntimes %" SCNd64 " %" SCNd64
                         " %" SCNd64 " %" SCNd64 "\ndeleting %d\nend";

std::string text_of(const Journal& journal) {
  return fmt::format("gray-refresh 1\nold {}\nnew {}\ntimes {} {} {} {}\ndeleting {}\nend\n",
                     journal.old_inode, journal.new_inode, journal.access.tv_sec, journal.access.tv_nsec,
                     journal.change.tv_sec, journal.change.tv_nsec, journal.is_deleting ? 1 : 0);
}

bool is_removed(int folder_fd, const std::string& name) {
  return unlinkat(folder_fd, name.c_str(), 0) == 0 || errno == ENOENT;
}

}  // namespace

std::string write_journal(const Workplace& place, const Journal& journal) {
  const int parent = place.parent.get();
  if (!is_removed(parent, place.journal_new_name)) return problem_of(place.journal_new_name);
  const ScopedFd file = ScopedFd::open(place.journal_new_name.c_str(),
                                       O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, S_IRUSR | S_IWUSR, parent);
  if (!file.is_open()) return problem_of(place.journal_new_name, file.error());
  const std::string text = text_of(journal);
  const ssize_t written = write(file.get(), text.data(), text.size());
  if (written != static_cast<ssize_t>(text.size()))
    return problem_of(place.journal_new_name, written < 0 ? errno : EIO);
  if (fsync(file.get()) != 0) return problem_of(place.journal_new_name);
  if (renameat(parent, place.journal_new_name.c_str(), parent, place.journal_name.c_str()) != 0 ||
      fsync(parent) != 0)
    return problem_of(place.journal_name);
  return "";
}

int read_journal(const Workplace& place, Journal& journal) {
  const ScopedFd file =
      ScopedFd::open(place.journal_name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0, place.parent.get());
  if (!file.is_open()) return file.error();
  struct stat status {};
  if (fstat(file.get(), &status) != 0) return -errno;
  if (!S_ISREG(status.st_mode) || status.st_uid != geteuid()) return -EBADMSG;
  char text[kBytesMax + 1] = {};
  const ssize_t length = read(file.get(), text, kBytesMax);
  if (length < 0) return -errno;
  std::int64_t times[4] = {};
  int is_deleting = 0;
  if (std::sscanf(text, kForm, &journal.old_inode, &journal.new_inode, &times[0], &times[1], &times[2],
                  &times[3], &is_deleting) != 7 ||
      text_of({journal.old_inode,
               journal.new_inode,
               {times[0], times[1]},
               {times[2], times[3]},
               is_deleting == 1}) != text) {
    return -EBADMSG;
  }
  journal.access = {times[0], times[1]};
  journal.change = {times[2], times[3]};
  journal.is_deleting = is_deleting == 1;
  return 0;
}

std::string remove_journal(const Workplace& place) {
  for (const std::string& name : {place.journal_new_name, place.journal_name})
    if (!is_removed(place.parent.get(), name)) return problem_of(name);
  return fsync(place.parent.get()) == 0 ? "" : problem_of(place.path);
}

}  // namespace gbp::refresh_parts
