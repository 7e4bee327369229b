// SPDX-License-Identifier: MIT
#include "tools/gbp/refresh/sibling.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <map>
#include <unordered_set>
#include <vector>

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <fmt/core.h>

#include <gray/layout.h>

#include "toolbox/base/units.hpp"
#include "toolbox/cli/progress.hpp"
#include "tools/gbp/refresh/attributes.hpp"
#include "tools/gbp/refresh/copy.hpp"

namespace gbp::refresh_parts {
namespace {

using gray::base::ScopedFd;

// Makes the empty files of the new directory, with i-numbers that rise in the order of the entries.
//
// Knowledge assumed: a file system gives a new file the lowest free i-number near its folder, so the i-numbers of files made one after the other rise as long as no other program
// makes or removes files there. Output observed: the i-number that each file got. Inference drawn: an i-number that is lower than the i-number before it was
// freed in the meantime. All files are made first. Then such files exchange their names until the i-numbers rise. What breaks it: a file system whose
// i-numbers change with a rename, and a file system that cannot exchange two names (there the directory cannot be exchanged either). Other programs cannot
// break it.
class RisingFiles {
 public:
  /// Makes a file for each of `names`, in `folder`. Returns a problem, or an empty text.
  static std::string make(int folder, const std::vector<std::string>& names) {
    std::vector<Made> files;
    files.reserve(names.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
      const ScopedFd file =
          ScopedFd::open(names[i].c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, S_IRUSR | S_IWUSR, folder);
      struct stat status {};
      if (!file.is_open()) return problem_of(names[i], file.error());
      if (fstat(file.get(), &status) != 0) return problem_of(names[i]);
      files.push_back({status.st_ino, i});
    }
    return exchange_names(folder, names, files);
  }

 private:
  struct Made {
    ino_t inode;
    std::size_t name;
  };

  static std::string exchange_names(int folder, const std::vector<std::string>& names,
                                    std::vector<Made>& files) {
    std::vector<std::size_t> holder(
        names.size());  // by name: the file, counted in the order of i-numbers, that has the name
    std::sort(files.begin(), files.end(), [](const Made& a, const Made& b) { return a.inode < b.inode; });
    for (std::size_t i = 0; i < files.size(); ++i) holder[files[i].name] = i;
    for (std::size_t i = 0; i < files.size(); ++i) {
      const std::size_t other = files[i].name;
      if (other == i) continue;
      if (renameat2(folder, names[i].c_str(), folder, names[other].c_str(), RENAME_EXCHANGE) != 0)
        return problem_of(names[i]);
      files[holder[i]].name = other;
      holder[other] = holder[i];
    }
    return "";
  }
};

// Checks whether the copies lie one behind the other.
//
// Knowledge assumed: ext4 takes the blocks of small files from a stretch of 2 MiB that it has set aside for any small files. When the stretch is used up, ext4 takes another,
// which may lie at the other end of the disk. Output observed: the start of each copy, once it is on disk. Inference drawn: a copy that is not close behind the copy before has
// opened a new stretch, and later copies stay in that stretch. So when the same copies are made once more, they lie together. What breaks it: no contiguous
// free space. So the copies are made at most once more, and only if they fit into the rest of that stretch.
class Places {
 public:
  static constexpr std::uint64_t kTogetherBytesMax = gray::base::kMiB;

  void note(int file) {
    gb_layout_place where{};
    where.size = sizeof where;
    struct stat status {};
    if (gb_layout_find_fd(file, &where) != 0 || where.has_first_extent == 0 || fstat(file, &status) != 0)
      return;
    if (length_bytes_ > 0 && !lies_close_behind(where.first_extent_bytes, start_bytes_, length_bytes_))
      is_torn_ = true;
    start_bytes_ = where.first_extent_bytes;
    length_bytes_ = static_cast<std::uint64_t>(status.st_blocks) * kBlockBytes;
    sum_bytes_ += length_bytes_;
  }

  [[nodiscard]] bool would_lie_together() const { return is_torn_ && sum_bytes_ <= kTogetherBytesMax; }

 private:
  static constexpr std::uint64_t kBlockBytes = 512;  // of st_blocks

  std::uint64_t start_bytes_ = 0;  // start of the last copy
  std::uint64_t length_bytes_ = 0;
  std::uint64_t sum_bytes_ = 0;
  bool is_torn_ = false;
};

std::string copy_file(const ScopedFd& to, const Entry& entry, int from) {
  if (!to.is_open()) return problem_of(entry.name, to.error());
  const auto bytes = static_cast<std::uint64_t>(entry.status.st_size);
  std::string problem = copy_data(from, to.get(), bytes);
  if (problem.empty()) problem = copy_attributes(from, to.get(), entry.status);
  if (problem.empty() && !set_times(to.get(), entry.status)) return problem_of(entry.name);
  if (!problem.empty()) return fmt::format("'{}': {}", entry.name, problem);
  // fsync() keeps this order on disk; delayed allocation would choose another order.
  return fsync(to.get()) == 0 ? "" : problem_of(entry.name);
}

std::string compare_file(int to_folder, const Entry& entry, int from) {
  const ScopedFd to = ScopedFd::open(entry.name.c_str(), O_RDONLY | O_NOFOLLOW | O_NOATIME, 0, to_folder);
  if (!to.is_open()) return problem_of(entry.name, to.error());
  std::string problem = compare_attributes(from, to.get());
  if (problem.empty())
    problem = compare_data(from, to.get(), static_cast<std::uint64_t>(entry.status.st_size));
  return problem.empty() ? "" : fmt::format("'{}': {}", entry.name, problem);
}

// Knowledge assumed: ext4 keeps, for small files, a stretch of preallocated blocks for each processor (its locality
// groups), and places data when it is written back, on the processor that does so. If the copying thread moved between processors, the copies would lie in
// several places, one for each processor. So this object keeps the thread on its processor during the object's lifetime.
class OneProcessor {
 public:
  OneProcessor() : is_pinned_(sched_getaffinity(0, sizeof before_, &before_) == 0) {
    cpu_set_t here;
    CPU_ZERO(&here);
    const int processor = sched_getcpu();
    if (processor < 0) return;
    CPU_SET(static_cast<std::size_t>(processor), &here);
    sched_setaffinity(0, sizeof here, &here);
  }
  ~OneProcessor() {
    if (is_pinned_) sched_setaffinity(0, sizeof before_, &before_);
  }
  OneProcessor(const OneProcessor&) = delete;
  OneProcessor& operator=(const OneProcessor&) = delete;

 private:
  cpu_set_t before_{};
  bool is_pinned_;
};

class Filling {
 public:
  Filling(const Workplace& place, int old_folder, int new_folder)
      : place_(place), old_(old_folder), new_(new_folder) {}

  std::string add(const Entry& entry, int file) {
    const char* name = entry.name.c_str();
    if (entry.is_folder()) {
      return symlinkat(stand_in(place_, entry.name).c_str(), new_, name) == 0 ? "" : problem_of(entry.name);
    }
    if (!entry.is_file()) return linkat(old_, name, new_, name, 0) == 0 ? "" : problem_of(entry.name);
    const auto first = first_names_.find(entry.status.st_ino);
    if (first != first_names_.end())
      return linkat(new_, first->second.c_str(), new_, name, 0) == 0 ? "" : problem_of(entry.name);
    first_names_[entry.status.st_ino] = entry.name;
    const ScopedFd copy = ScopedFd::open(name, O_RDWR | O_NOFOLLOW, 0, new_);
    std::string problem = copy_file(copy, entry, file);
    if (problem.empty()) places_.note(copy.get());
    return problem;
  }

  [[nodiscard]] const Places& places() const { return places_; }

 private:
  const Workplace& place_;
  int old_;
  int new_;
  // The first name of each copied file, for files with several links.
  std::map<ino_t, std::string> first_names_;
  Places places_;
};

std::string remove_names(int folder, const std::vector<std::string>& names) {
  for (const std::string& name : names)
    if (unlinkat(folder, name.c_str(), 0) != 0) return problem_of(name);
  return "";
}

// The first name of each file, in the order of the entries.
std::vector<std::string> names_of_files(const Survey& found) {
  std::vector<std::string> names;
  std::unordered_set<ino_t> seen;
  for (const Entry& entry : found.entries)
    if (entry.is_file() && seen.insert(entry.status.st_ino).second) names.push_back(entry.name);
  return names;
}

std::string fill(Filling& filling, const Survey& found, const Guard& guard) {
  gray::cli::Progress progress("copying", found.entries.size());
  for (std::size_t i = 0; i < found.entries.size(); ++i) {
    std::string problem = filling.add(found.entries[i], guard.file(i));
    if (!problem.empty()) return problem;
    progress.set(i);
  }
  return "";
}

std::string fill_in_order(const Workplace& place, int old_folder, int new_folder, const Survey& found,
                          const Guard& guard) {
  const OneProcessor pinned;
  std::string problem = RisingFiles::make(new_folder, names_of_files(found));
  if (!problem.empty()) return problem;
  Filling filling(place, old_folder, new_folder);
  problem = fill(filling, found, guard);
  if (!problem.empty() || !filling.places().would_lie_together()) return problem;
  std::vector<std::string> names;
  if (!list_names(new_folder, names)) return problem_of(place.work_name);
  problem = remove_names(new_folder, names);
  if (problem.empty()) problem = RisingFiles::make(new_folder, names_of_files(found));
  if (!problem.empty()) return problem;
  Filling again(place, old_folder, new_folder);
  return fill(again, found, guard);
}

std::string compare_all(int new_folder, const Survey& found, const Guard& guard) {
  for (std::size_t i = 0; i < found.entries.size(); ++i) {
    if (!found.entries[i].is_file()) continue;
    std::string problem = compare_file(new_folder, found.entries[i], guard.file(i));
    if (!problem.empty()) return problem;
  }
  std::vector<std::string> names;
  if (!list_names(new_folder, names)) return problem_of("the copy");
  return names.size() == found.entries.size() ? "" : "the copy has other names";
}

// A change within the same tick of the kernel's clock as the recorded time could get the same time. So this function waits until the tick is over, before other programs can
// change the copies.
void wait_for_another_time(const std::vector<Recorded>& entries) {
  timespec latest{};
  const auto is_later = [](const timespec& a, const timespec& b) {
    return a.tv_sec != b.tv_sec ? a.tv_sec > b.tv_sec : a.tv_nsec > b.tv_nsec;
  };
  for (const Recorded& entry : entries)
    if (is_later(entry.new_one.status_change, latest)) latest = entry.new_one.status_change;
  constexpr int kTicksMax = 100;  // limits the wait if the clock is set back
  constexpr timespec kTick{0, 1000000};
  timespec now{};
  for (int i = 0; i < kTicksMax; ++i) {
    if (clock_gettime(CLOCK_REALTIME_COARSE, &now) != 0 || is_later(now, latest)) return;
    nanosleep(&kTick, nullptr);
  }
}

}  // namespace

std::string fill_sibling(const Workplace& place, const Survey& found, const Guard& guard) {
  const ScopedFd old_folder = open_folder(place.parent.get(), place.name);
  const ScopedFd new_folder = open_folder(place.parent.get(), place.work_name);
  if (!old_folder.is_open()) return problem_of(place.name, old_folder.error());
  if (!new_folder.is_open()) return problem_of(place.work_name, new_folder.error());
  std::string problem = fill_in_order(place, old_folder.get(), new_folder.get(), found, guard);
  if (!problem.empty()) return problem;
  problem = copy_attributes(old_folder.get(), new_folder.get(), found.directory);
  if (problem.empty() && !set_times(new_folder.get(), found.directory)) return problem_of(place.name);
  if (!problem.empty()) return fmt::format("'{}': {}", place.name, problem);
  if (fsync(new_folder.get()) != 0) return problem_of(place.work_name);
  problem = compare_all(new_folder.get(), found, guard);
  if (!problem.empty()) return problem;
  problem = compare_attributes(old_folder.get(), new_folder.get());
  return problem.empty() ? "" : fmt::format("'{}': {}", place.name, problem);
}

std::string record_sibling(const Workplace& place, Journal& journal) {
  const ScopedFd folder = open_folder(place.parent.get(), place.work_name);
  if (!folder.is_open()) return problem_of(place.work_name, folder.error());
  Facts facts;
  if (!read_facts(folder.get(), facts)) return problem_of(place.work_name);
  journal.attributes_digest = digest_of(facts);
  for (Recorded& entry : journal.entries) {
    struct stat status {};
    if (fstatat(folder.get(), entry.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
      return problem_of(entry.name);
    entry.new_one = identity_of(status);
    if (!entry.is_file() || status.st_nlink < 2) continue;
    const ScopedFd file =
        ScopedFd::open(entry.name.c_str(), O_RDONLY | O_NOFOLLOW | O_NOATIME, 0, folder.get());
    if (file.is_open() && read_facts(file.get(), facts)) entry.attributes_digest = digest_of(facts);
  }
  journal.stage = Stage::ready;
  wait_for_another_time(journal.entries);
  return write_journal(place, journal);
}

std::string exchange(const Workplace& place) {
  const int parent = place.parent.get();
  if (renameat2(parent, place.name.c_str(), parent, place.work_name.c_str(), RENAME_EXCHANGE) != 0)
    return problem_of(place.name);
  return fsync(parent) == 0 ? "" : problem_of(place.path);
}

std::string remove_unfinished(const Workplace& place, const Journal& journal) {
  const ScopedFd folder = open_folder(place.parent.get(), place.work_name);
  if (folder.error() == -ENOENT) return "";
  if (!folder.is_open()) return problem_of(place.work_name, folder.error());
  struct stat status {};
  if (fstat(folder.get(), &status) != 0) return problem_of(place.work_name);
  if (status.st_ino != journal.new_inode)
    return fmt::format("'{}' is not the directory that may be removed", place.work_path);
  for (const Recorded& entry : journal.entries)
    if (unlinkat(folder.get(), entry.name.c_str(), 0) != 0 && errno != ENOENT) return problem_of(entry.name);
  if (unlinkat(place.parent.get(), place.work_name.c_str(), AT_REMOVEDIR) != 0)
    return problem_of(place.work_path);
  return fsync(place.parent.get()) == 0 ? "" : problem_of(place.path);
}

}  // namespace gbp::refresh_parts
