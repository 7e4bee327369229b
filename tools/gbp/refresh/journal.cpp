// SPDX-License-Identifier: MIT
#include "tools/gbp/refresh/journal.hpp"

#include <cerrno>
#include <cstdio>
#include <sstream>
#include <tuple>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <fmt/core.h>

namespace gbp::refresh_parts {
namespace {

using gray::base::ScopedFd;

constexpr std::size_t kReadBytes = 1U << 16U;
constexpr char kHead[] = "gray-refresh 2";

void append(std::string& text, const Identity& identity) {
  text += fmt::format("{} {} {} {} {} {} {} {} {} ", identity.inode, identity.bytes, identity.change.tv_sec,
                      identity.change.tv_nsec, identity.status_change.tv_sec, identity.status_change.tv_nsec,
                      identity.mode, identity.user, identity.group);
}

std::string text_of(const Journal& journal) {
  std::string text = fmt::format("{}\n{} {} {} {} {} {} {} {} {}\n", kHead, journal.old_inode,
                                 journal.new_inode, journal.access.tv_sec, journal.access.tv_nsec,
                                 journal.change.tv_sec, journal.change.tv_nsec, journal.attributes_digest,
                                 static_cast<int>(journal.stage), journal.entries.size());
  for (const Recorded& entry : journal.entries) {
    append(text, entry.old_one);
    append(text, entry.new_one);
    // A name may hold anything but NUL and a slash: its length tells where it ends.
    text += fmt::format("{} {} {}\n", entry.attributes_digest, entry.name.size(), entry.name);
  }
  return text + "end\n";
}

void take(std::istream& text, Identity& identity) {
  text >> identity.inode >> identity.bytes >> identity.change.tv_sec >> identity.change.tv_nsec >>
      identity.status_change.tv_sec >> identity.status_change.tv_nsec >> identity.mode >> identity.user >>
      identity.group;
}

// A file that is not written exactly in this form is not a journal of gbp.
bool parse(const std::string& text, Journal& journal) {
  std::istringstream in(text);
  std::string head;
  int stage = 0;
  std::size_t count = 0;
  std::getline(in, head);
  in >> journal.old_inode >> journal.new_inode >> journal.access.tv_sec >> journal.access.tv_nsec >>
      journal.change.tv_sec >> journal.change.tv_nsec >> journal.attributes_digest >> stage >> count;
  if (!in || stage < 0 || stage > static_cast<int>(Stage::draining)) return false;
  journal.stage = static_cast<Stage>(stage);
  for (std::size_t i = 0; i < count && in; ++i) {
    Recorded entry;
    std::size_t bytes = 0;
    take(in, entry.old_one);
    take(in, entry.new_one);
    in >> entry.attributes_digest >> bytes;
    if (!in || bytes > text.size()) return false;
    entry.name.resize(bytes);
    in.get();
    in.read(entry.name.data(), static_cast<std::streamsize>(bytes));
    journal.entries.push_back(std::move(entry));
  }
  return in && text_of(journal) == text;
}

bool is_removed(int folder_fd, const std::string& name) {
  return unlinkat(folder_fd, name.c_str(), 0) == 0 || errno == ENOENT;
}

int read_all(int fd, std::string& text) {
  std::vector<char> buffer(kReadBytes);
  while (true) {
    const ssize_t length = read(fd, buffer.data(), buffer.size());
    if (length < 0 && errno == EINTR) continue;
    if (length <= 0) return length < 0 ? -errno : 0;
    text.append(buffer.data(), static_cast<std::size_t>(length));
  }
}

bool write_whole(int fd, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t length = write(fd, text.data() + done, text.size() - done);
    if (length < 0 && errno == EINTR) continue;
    if (length <= 0) return false;
    done += static_cast<std::size_t>(length);
  }
  return true;
}

auto time_of(const timespec& time) {
  return std::tuple(time.tv_sec, time.tv_nsec);
}

}  // namespace

Identity identity_of(const struct stat& status) {
  return {status.st_ino,  status.st_size, status.st_mtim, status.st_ctim,
          status.st_mode, status.st_uid,  status.st_gid};
}

bool is_same_but_status_time(const Identity& a, const Identity& b) {
  return a.inode == b.inode && a.bytes == b.bytes && time_of(a.change) == time_of(b.change) &&
         a.mode == b.mode && a.user == b.user && a.group == b.group;
}

bool is_same(const Identity& a, const Identity& b) {
  return is_same_but_status_time(a, b) && time_of(a.status_change) == time_of(b.status_change);
}

std::string write_journal(const Workplace& place, Journal& journal) {
  const int parent = place.parent.get();
  if (!is_removed(parent, place.journal_new_name)) return problem_of(place.journal_new_name);
  ScopedFd file = ScopedFd::open(place.journal_new_name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW,
                                 S_IRUSR | S_IWUSR, parent);
  if (!file.is_open()) return problem_of(place.journal_new_name, file.error());
  if (flock(file.get(), LOCK_EX | LOCK_NB) != 0) return problem_of(place.journal_new_name);
  if (!write_whole(file.get(), text_of(journal)) || fsync(file.get()) != 0)
    return problem_of(place.journal_new_name);
  if (renameat(parent, place.journal_new_name.c_str(), parent, place.journal_name.c_str()) != 0 ||
      fsync(parent) != 0)
    return problem_of(place.journal_name);
  journal.lock = std::move(file);
  return "";
}

int read_journal(const Workplace& place, Journal& journal) {
  ScopedFd file =
      ScopedFd::open(place.journal_name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0, place.parent.get());
  if (!file.is_open()) return file.error();
  struct stat status {};
  if (fstat(file.get(), &status) != 0) return -errno;
  if (!S_ISREG(status.st_mode) || status.st_uid != geteuid()) return -EBADMSG;
  if (flock(file.get(), LOCK_EX | LOCK_NB) != 0) return errno == EWOULDBLOCK ? -EBUSY : -errno;
  // It may have been replaced between opening and locking: then the process that did so is at work.
  struct stat named {};
  if (fstatat(place.parent.get(), place.journal_name.c_str(), &named, AT_SYMLINK_NOFOLLOW) != 0 ||
      named.st_ino != status.st_ino)
    return -EBUSY;
  std::string text;
  if (const int error = read_all(file.get(), text); error != 0) return error;
  if (!parse(text, journal)) return -EBADMSG;
  journal.lock = std::move(file);
  return 0;
}

std::string remove_journal(const Workplace& place) {
  for (const std::string& name : {place.journal_new_name, place.journal_name})
    if (!is_removed(place.parent.get(), name)) return problem_of(name);
  return fsync(place.parent.get()) == 0 ? "" : problem_of(place.path);
}

}  // namespace gbp::refresh_parts
