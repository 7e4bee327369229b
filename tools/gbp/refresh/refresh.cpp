// SPDX-License-Identifier: MIT
#include "tools/gbp/refresh/refresh.hpp"

#include <cerrno>
#include <fstream>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include <gray/layout.h>

#include "toolbox/cli/diagnostics.hpp"
#include "toolbox/cli/quantities.hpp"
#include "tools/gbp/host_parameters.hpp"
#include "tools/gbp/refresh/guard.hpp"
#include "tools/gbp/refresh/journal.hpp"
#include "tools/gbp/refresh/place.hpp"
#include "tools/gbp/refresh/sibling.hpp"
#include "tools/gbp/refresh/survey.hpp"

namespace gbp {
namespace {

using namespace refresh_parts;

// A seek of a common disk, for the expected gain, where none was measured.
constexpr double kSeekS = 0.008;

int fail(const std::string& problem) {
  gray::cli::write_diagnostic(problem);
  return gray::cli::kExitSomeFailed;
}

std::vector<std::string> read_order(const RefreshOptions& options, std::string& problem) {
  std::vector<std::string> names;
  if (options.order_path.empty()) return names;
  std::ifstream list(options.order_path);
  if (!list) problem = problem_of(options.order_path);
  for (std::string name; std::getline(list, name);) {
    const std::size_t slash = name.rfind('/');
    names.push_back(slash == std::string::npos ? name : name.substr(slash + 1));
  }
  return names;
}

void forbid_where_it_gains_nothing(const Workplace& place, const RefreshOptions& options, Survey& found) {
  gb_order_t order = GB_ORDER_NONE;
  const HostParameters host = read_host_parameters(place.path, false);
  if (options.is_forced || gb_layout_advise(place.path.c_str(), host.random_over_sequential, &order) != 0)
    return;
  if (order == GB_ORDER_NONE)
    found.blockers.emplace_back(
        "seeks cost little there, or places mean nothing: --force does it all the same");
}

void describe(const Workplace& place, const Survey& found, const HostParameters& host) {
  const double read_s = static_cast<double>(found.bytes) / host.disk_bytes_per_s;
  const double now_s = read_s + kSeekS * static_cast<double>(found.jumps + 1);
  fmt::print("directory       {}\n", place.path);
  fmt::print("files           {}, {} on disk\n", found.files, gray::cli::format_bytes(found.bytes));
  fmt::print("score           {} of {} files in i-number order are not close behind the one before\n",
             found.jumps, found.placed);
  fmt::print("cold reading    about {:.2f} s, and {:.2f} s when refreshed ({:.1f}x)\n", now_s,
             read_s + kSeekS, now_s / (read_s + kSeekS));
  fmt::print("free            {}\n", gray::cli::format_bytes(found.free_bytes));
  if (const std::size_t workers = count_workers(place); workers > 0)
    fmt::print("note            {} processes work in it and would be left in the old directory\n", workers);
  for (const std::string& blocker : found.blockers) fmt::print("in the way      {}\n", blocker);
  fmt::print("{}\n", found.blockers.empty() ? "nothing was changed: --apply does it" : "nothing was changed");
}

// Takes away what was made beside the directory, which is untouched. The first problem counts.
std::string undo(const Workplace& place, const Journal& journal, std::string problem) {
  const std::string later = remove_sibling(place, journal.new_inode);
  const std::string last = later.empty() ? remove_journal(place) : later;
  if (problem.empty()) problem = last;
  return last.empty() ? problem : problem + "; and cleaning up failed: " + last;
}

std::string make_sibling(const Workplace& place, const Survey& found, Journal& journal) {
  struct stat made {};
  const int parent = place.parent.get();
  if (mkdirat(parent, place.work_name.c_str(), S_IRWXU) != 0) return problem_of(place.work_name);
  if (fstatat(parent, place.work_name.c_str(), &made, AT_SYMLINK_NOFOLLOW) != 0)
    return problem_of(place.work_name);
  journal.old_inode = found.directory.st_ino;
  journal.new_inode = made.st_ino;
  journal.access = found.directory.st_atim;
  journal.change = found.directory.st_mtim;
  return write_journal(place, journal);
}

// After the exchange: the way to the end, from wherever it was left.
std::string finish(const Workplace& place, Journal& journal) {
  std::string problem;
  if (!journal.is_deleting) {
    problem = move_folders(place, place.work_name, place.name);
    if (problem.empty()) problem = restore_times(place, journal);
    journal.is_deleting = true;
    if (problem.empty()) problem = write_journal(place, journal);
  }
  if (problem.empty()) problem = remove_sibling(place, journal.old_inode);
  return problem.empty() ? remove_journal(place) : problem;
}

// After the exchange: back to the old directory.
std::string go_back(const Workplace& place, const Journal& journal) {
  std::string problem = move_folders(place, place.name, place.work_name);
  if (problem.empty()) problem = exchange(place);
  if (problem.empty()) problem = restore_times(place, journal);
  return problem.empty() ? undo(place, journal, "") : problem;
}

// The old directory, which bears the sibling's name now, as the survey found it?
std::string find_late_change(const Workplace& place, const Survey& found, const Guard& guard) {
  const gray::base::ScopedFd old_folder = open_folder(place.parent.get(), place.work_name);
  if (!old_folder.is_open()) return problem_of(place.work_name, old_folder.error());
  std::string change = find_change(old_folder.get(), found);
  return change.empty() ? guard.find_writer() : change;
}

std::string replace(const Workplace& place, const Survey& found, const Guard& guard, Journal& journal) {
  std::string problem = make_sibling(place, found, journal);
  if (problem.empty()) problem = fill_sibling(place, found, guard);
  if (problem.empty()) {
    const gray::base::ScopedFd folder = open_folder(place.parent.get(), place.name);
    problem = folder.is_open() ? find_change(folder.get(), found) : problem_of(place.name, folder.error());
  }
  if (problem.empty()) problem = guard.find_writer();
  if (!problem.empty()) return undo(place, journal, problem);
  problem = exchange(place);
  // Exchanged and not known to be on disk is refused here: what bears the sibling's name then may not be removed.
  if (!problem.empty()) return undo(place, journal, problem);
  const std::string change = find_late_change(place, found, guard);
  if (change.empty()) return "";
  problem = go_back(place, journal);
  return problem.empty() ? change : change + "; and going back failed, use --rollback: " + problem;
}

int apply(const Workplace& place, const RefreshOptions& options, Survey& found) {
  Journal journal;
  if (read_journal(place, journal) != -ENOENT)
    return fail(
        fmt::format("'{}' was left by an earlier refresh: use --resume or --rollback", place.journal_name));
  forbid_where_it_gains_nothing(place, options, found);
  for (const std::string& blocker : found.blockers) gray::cli::write_diagnostic(blocker);
  if (!found.blockers.empty()) return gray::cli::kExitSomeFailed;
  // Made and nothing written about it yet when the last refresh ended: empty, or it is not ours.
  if (unlinkat(place.parent.get(), place.work_name.c_str(), AT_REMOVEDIR) != 0 && errno != ENOENT)
    return fail(problem_of(place.work_name));
  Guard guard;
  const gray::base::ScopedFd folder = open_folder(place.parent.get(), place.name);
  std::string problem = guard.take(folder.get(), found.entries);
  if (problem.empty())
    problem = find_change(folder.get(), found);  // since the survey, before there was a guard
  if (!problem.empty()) return fail(fmt::format("'{}' is left alone: {}", place.path, problem));
  problem = replace(place, found, guard, journal);
  if (!problem.empty()) return fail(fmt::format("'{}' is left as it was: {}", place.path, problem));
  problem = finish(place, journal);
  if (!problem.empty())
    return fail(fmt::format("{}; the directory is complete, --resume removes what is left", problem));
  fmt::print("{} files of '{}' lie in order now\n", found.files, place.path);
  return gray::cli::kExitSuccess;
}

int take_stock(const Workplace& place, const RefreshOptions& options, Survey& found) {
  std::string problem;
  const std::vector<std::string> order = read_order(options, problem);
  if (problem.empty()) problem = survey(place, order, found);
  return problem.empty() ? gray::cli::kExitSuccess : fail(problem);
}

// Nothing is recorded: at most an empty sibling, or half a journal, was made.
std::string clear_beginnings(const Workplace& place) {
  if (unlinkat(place.parent.get(), place.work_name.c_str(), AT_REMOVEDIR) != 0 && errno != ENOENT)
    return problem_of(place.work_name);
  return remove_journal(place);
}

int end_interrupted(const Workplace& place, const RefreshOptions& options) {
  Journal journal;
  const int error = read_journal(place, journal);
  if (error == -ENOENT) {
    const std::string problem = clear_beginnings(place);
    if (!problem.empty()) return fail(problem);
    fmt::print("nothing of '{}' was interrupted\n", place.path);
    return gray::cli::kExitSuccess;
  }
  if (error != 0) return fail(problem_of(place.journal_name, error));
  struct stat live {};
  if (fstatat(place.parent.get(), place.name.c_str(), &live, AT_SYMLINK_NOFOLLOW) != 0)
    return fail(problem_of(place.path));
  std::string problem;
  if (live.st_ino == journal.old_inode) {
    problem = undo(place, journal, "");
    if (!problem.empty()) return fail(problem);
    if (options.way == RefreshWay::rollback) return gray::cli::kExitSuccess;
    Survey found;
    const int status = take_stock(place, options, found);
    return status != gray::cli::kExitSuccess ? status : apply(place, options, found);
  }
  if (live.st_ino != journal.new_inode)
    return fail(fmt::format("'{}' is neither the directory that was refreshed nor its copy", place.path));
  if (options.way == RefreshWay::rollback && journal.is_deleting)
    return fail("the old directory is being deleted already: only --resume is left");
  problem = options.way == RefreshWay::rollback ? go_back(place, journal) : finish(place, journal);
  return problem.empty() ? gray::cli::kExitSuccess : fail(problem);
}

}  // namespace

int refresh(const RefreshOptions& options) {
  Workplace place;
  const std::string problem = find_workplace(options.directory, place);
  if (!problem.empty()) return fail(problem);
  if (options.way == RefreshWay::resume || options.way == RefreshWay::rollback)
    return end_interrupted(place, options);
  Survey found;
  const int status = take_stock(place, options, found);
  if (status != gray::cli::kExitSuccess) return status;
  if (options.way == RefreshWay::apply) return apply(place, options, found);
  forbid_where_it_gains_nothing(place, options, found);
  describe(place, found, read_host_parameters(place.path, false));
  return gray::cli::kExitSuccess;
}

}  // namespace gbp
