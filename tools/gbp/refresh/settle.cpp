// SPDX-License-Identifier: MIT
#include "tools/gbp/refresh/settle.hpp"

#include <cerrno>
#include <cstdio>
#include <set>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include <fmt/core.h>

#include "toolbox/cli/diagnostics.hpp"
#include "tools/gbp/refresh/attributes.hpp"
#include "tools/gbp/refresh/copy.hpp"
#include "tools/gbp/refresh/folders.hpp"
#include "tools/gbp/refresh/records.hpp"
#include "tools/gbp/refresh/removal.hpp"

namespace gbp::refresh_parts {
namespace {

using gray::base::ScopedFd;

// After this many rounds another program makes new files in the sibling faster than they are moved.
constexpr int kRoundsMax = 100;

constexpr int kFolderTriesMax = 3;

bool look(int folder, const std::string& name, struct stat& status) {
  return fstatat(folder, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
}

bool is_time(const timespec& a, const timespec& b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

// Whether one of the two files may be removed, because the other is equal in all respects.
bool is_equal_file(int folder_a, int folder_b, const std::string& name) {
  const ScopedFd a = ScopedFd::open(name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0, folder_a);
  const ScopedFd b = ScopedFd::open(name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0, folder_b);
  struct stat of_a {};
  struct stat of_b {};
  return a.is_open() && b.is_open() && fstat(a.get(), &of_a) == 0 && fstat(b.get(), &of_b) == 0 &&
         S_ISREG(of_a.st_mode) && S_ISREG(of_b.st_mode) && of_a.st_size == of_b.st_size &&
         compare_attributes(a.get(), b.get()).empty() &&
         compare_data(a.get(), b.get(), static_cast<std::uint64_t>(of_a.st_size)).empty();
}

class Settling {
 public:
  Settling(const Workplace& place, Journal& journal, Settled& settled)
      : place_(place),
        journal_(journal),
        settled_(settled),
        live_(open_folder(place.parent.get(), place.name)),
        sibling_(open_folder(place.parent.get(), place.work_name)),
        records_(journal.entries),
        removal_(sibling_.get(), records_) {}

  std::string run() {
    if (!live_.is_open()) return problem_of(place_.path, live_.error());
    if (sibling_.error() == -ENOENT) return finish();
    if (!sibling_.is_open()) return problem_of(place_.work_path, sibling_.error());
    std::string problem = check_directories();
    if (!problem.empty()) return problem;
    removal_.end_begun();
    merge_attributes();
    if (journal_.stage != Stage::draining) {
      move_folders();
      settle_removals();
      if (fsync(live_.get()) != 0 || fsync(sibling_.get()) != 0) return problem_of(place_.path);
      journal_.stage = Stage::draining;
      problem = write_journal(place_, journal_);
      if (!problem.empty()) return problem;
    }
    problem = drain();
    return problem.empty() ? finish() : problem;
  }

  // Removes from the sibling the files that somebody has removed from the directory.
  std::string hand_back_removals() {
    if (!live_.is_open() || !sibling_.is_open())
      return live_.is_open() ? problem_of(place_.work_path, sibling_.error())
                             : problem_of(place_.path, live_.error());
    std::string problem = check_directories();
    if (!problem.empty()) return problem;
    removal_.end_begun();
    for (std::size_t i = 0; i < records_.entries().size(); ++i) {
      const Recorded& entry = records_.entries()[i];
      struct stat theirs {};
      struct stat mine {};
      if (entry.is_folder() || look(live_.get(), entry.name, theirs) || errno != ENOENT) continue;
      if (look(sibling_.get(), entry.name, mine) && is_unchanged(sibling_.get(), entry, mine))
        removal_.remove(entry.name, i, mine);
    }
    return fsync(sibling_.get()) == 0 ? "" : problem_of(place_.work_path);
  }

 private:
  void tell(const std::string& what) {
    gray::cli::write_diagnostic(what);
    ++settled_.kept;
  }

  void keep(const std::string& name, const char* why) {
    if (kept_.insert(name).second) tell(fmt::format("'{}/{}' is kept: {}", place_.work_path, name, why));
  }

  void move_folders() {
    std::vector<LeftFolder> left = FolderMove(place_, records_, live_.get(), sibling_.get()).move_all();
    // A folder may have been renamed between the check and the move, so it is tried again.
    for (int i = 0; i < kFolderTriesMax && !left.empty(); ++i)
      left = FolderMove(place_, records_, live_.get(), sibling_.get()).move_all();
    for (const LeftFolder& folder : left) {
      if (!folder.sibling_name.empty()) kept_.insert(folder.sibling_name);
      tell(folder.why);
    }
  }

  std::string check_directories() const {
    struct stat live {};
    struct stat sibling {};
    if (fstat(live_.get(), &live) != 0 || fstat(sibling_.get(), &sibling) != 0)
      return problem_of(place_.path);
    const bool is_old_live = live.st_ino == journal_.old_inode;
    if (sibling.st_ino == (is_old_live ? journal_.new_inode : journal_.old_inode)) return "";
    return fmt::format("'{}' is not the directory that may be removed", place_.work_path);
  }

  // Merges owner, mode and access lists of the directory itself.
  void merge_attributes() {
    Facts live;
    Facts sibling;
    struct stat status {};
    if (!read_facts(live_.get(), live) || !read_facts(sibling_.get(), sibling) ||
        fstat(live_.get(), &status) != 0 || live == sibling ||
        digest_of(sibling) == journal_.attributes_digest)
      return;
    std::string problem = "they were changed in both";
    if (digest_of(live) == journal_.attributes_digest) {
      status.st_mode = sibling.mode;
      status.st_uid = sibling.user;
      status.st_gid = sibling.group;
      problem = copy_attributes(sibling_.get(), live_.get(), status);
    }
    if (problem.empty()) return;
    tell(fmt::format("'{}' is kept for its owner, mode and attributes: {}", place_.work_path, problem));
    is_sibling_kept_ = true;
  }

  // Handles files that are no longer in the sibling but still in the directory. Right after the exchange this means that a program removed or renamed the file by its name, so
  // the file in the directory goes, too. Later it is not known whether the removal was meant: perhaps somebody only cleaned up the
  // sibling.
  void settle_removals() {
    for (const Recorded& entry : records_.entries()) {
      struct stat mine {};
      struct stat theirs {};
      if (entry.is_folder() || look(sibling_.get(), entry.name, mine) || errno != ENOENT ||
          !look(live_.get(), entry.name, theirs) ||
          (theirs.st_ino != entry.old_one.inode && theirs.st_ino != entry.new_one.inode))
        continue;
      if (settled_.is_just_exchanged && is_unchanged(live_.get(), entry, theirs) &&
          renameat2(live_.get(), entry.name.c_str(), sibling_.get(), entry.name.c_str(), RENAME_NOREPLACE) ==
              0) {
        if (look(sibling_.get(), entry.name, mine)) records_.note_renamed(theirs, mine);
        continue;
      }
      tell(fmt::format("'{}/{}' is still there: it was removed only from the directory that is replaced",
                       place_.path, entry.name));
    }
  }

  std::string drain() {
    for (int round = 0; round < kRoundsMax; ++round) {
      std::vector<std::string> names;
      if (!list_names(sibling_.get(), names)) return problem_of(place_.work_path);
      bool is_any = false;
      for (const std::string& name : names) {
        if (kept_.count(name) != 0) continue;
        is_any = true;
        settle_name(name);
      }
      if (is_any) continue;
      if (!kept_.empty() || is_sibling_kept_) return "";
      if (unlinkat(place_.parent.get(), place_.work_name.c_str(), AT_REMOVEDIR) == 0) return "";
      if (errno != ENOTEMPTY && errno != EEXIST) return problem_of(place_.work_path);
    }
    return fmt::format("somebody fills '{}' as fast as it is emptied", place_.work_path);
  }

  void settle_name(const std::string& name) {
    struct stat mine {};
    if (!look(sibling_.get(), name, mine)) return;
    if (is_name_of_removal(name))
      return keep(name, "it was being removed, and something else has its name now");
    if (const auto folder = records_.find_folder(mine.st_ino)) {
      const Recorded& entry = records_.entries()[*folder];
      if (S_ISDIR(mine.st_mode) && mine.st_ino == entry.old_one.inode)
        return keep(name, "a folder is not removed");
      if (is_stand_in(place_, entry, sibling_.get(), name, mine) && removal_.remove(name, *folder, mine))
        return;
    }
    const auto entry = records_.find(name);
    if (!entry || records_.entries()[*entry].is_folder()) return move_new(name);
    settle_entry(*entry, mine);
  }

  void move_new(const std::string& name) {
    if (renameat2(sibling_.get(), name.c_str(), live_.get(), name.c_str(), RENAME_NOREPLACE) == 0)
      ++settled_.merged;
    else if (errno == EEXIST)
      keep(name, "it is new here, and the directory has something of that name");
    else if (errno != ENOENT)
      keep(name, gray::cli::error_text(errno).c_str());
  }

  // Whether the file is as recorded. A name of it that a killed gbp has removed does not count as a change.
  [[nodiscard]] bool is_unchanged(int folder, const Recorded& entry, const struct stat& now) const {
    if (records_.is_unchanged(entry, now)) return true;
    if (entry.attributes_digest == 0 || !records_.is_unchanged_but_unlinked(entry, now)) return false;
    const ScopedFd file = ScopedFd::open(entry.name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0, folder);
    Facts facts;
    return file.is_open() && read_facts(file.get(), facts) && digest_of(facts) == entry.attributes_digest;
  }

  void settle_entry(std::size_t number, const struct stat& mine) {
    const Recorded& entry = records_.entries()[number];
    const std::string& name = entry.name;
    if (is_unchanged(sibling_.get(), entry, mine) && removal_.remove(name, number, mine)) return;
    struct stat theirs {};
    if (!look(live_.get(), name, theirs))
      return keep(name, "it was changed here, or is in use, and removed from the directory");
    const bool is_same_one = theirs.st_ino == mine.st_ino || is_equal_file(live_.get(), sibling_.get(), name);
    if (is_same_one && removal_.remove(name, number, mine)) return;
    if (!is_unchanged(live_.get(), entry, theirs))
      return keep(name, "it was changed here, or is in use, and changed in the directory, too");
    if (renameat2(sibling_.get(), name.c_str(), live_.get(), name.c_str(), RENAME_EXCHANGE) != 0)
      return keep(name, gray::cli::error_text(errno).c_str());
    ++settled_.merged;
    note_exchanged(name, theirs, mine);
    struct stat exchanged {};
    if (!look(sibling_.get(), name, exchanged) || !is_unchanged(sibling_.get(), entry, exchanged) ||
        !removal_.remove(name, number, exchanged))
      keep(name, "it was changed while the changed file from here took its place");
  }

  void note_exchanged(const std::string& name, const struct stat& to_sibling, const struct stat& to_live) {
    struct stat after {};
    if (look(sibling_.get(), name, after)) records_.note_renamed(to_sibling, after);
    if (look(live_.get(), name, after)) records_.note_renamed(to_live, after);
  }

  std::string finish() {
    restore_times();
    if (fsync(live_.get()) != 0 || fsync(place_.parent.get()) != 0) return problem_of(place_.path);
    return remove_journal(place_);
  }

  // Whether the directory has the same entries as at the exchange. With `is_each_asked`, also whether none of them was changed.
  [[nodiscard]] bool is_as_recorded(bool is_each_asked) const {
    std::vector<std::string> names;
    if (!list_names(live_.get(), names) || names.size() != records_.entries().size()) return false;
    for (const Recorded& entry : records_.entries()) {
      struct stat now {};
      if (!look(live_.get(), entry.name, now) ||
          (now.st_ino != entry.old_one.inode && now.st_ino != entry.new_one.inode) ||
          (is_each_asked && !records_.is_unchanged(entry, now)))
        return false;
    }
    return true;
  }

  // The moves of this program also change the directory's time. The time is restored if nothing else has changed. If a file came in the meantime, the time must show a change,
  // because some programs look for new mail by it.
  void restore_times() const {
    const timespec times[2] = {journal_.access, journal_.change};
    const bool is_restored = settled_.kept == 0 && is_as_recorded(true) && futimens(live_.get(), times) == 0;
    struct stat status {};
    const timespec now[2] = {{0, UTIME_OMIT}, {0, UTIME_NOW}};
    if (fstat(live_.get(), &status) == 0 && is_time(status.st_mtim, journal_.change) &&
        (settled_.kept > 0 || !is_as_recorded(is_restored)))
      futimens(live_.get(), now);
  }

  const Workplace& place_;
  Journal& journal_;
  Settled& settled_;
  ScopedFd live_;
  ScopedFd sibling_;
  Records records_;
  Removal removal_;
  std::set<std::string> kept_;
  bool is_sibling_kept_ = false;
};

}  // namespace

std::string settle(const Workplace& place, Journal& journal, Settled& settled) {
  return Settling(place, journal, settled).run();
}

std::string hand_back_removals(const Workplace& place, const Journal& journal) {
  Journal own;
  own.old_inode = journal.old_inode;
  own.new_inode = journal.new_inode;
  own.entries = journal.entries;
  Settled none;
  return Settling(place, own, none).hand_back_removals();
}

}  // namespace gbp::refresh_parts
