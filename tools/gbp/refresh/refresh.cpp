// SPDX-License-Identifier: MIT
#include "tools/gbp/refresh/refresh.hpp"

#include <cerrno>
#include <fstream>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/core.h>

#include <gray/layout.h>

#include "toolbox/cli/diagnostics.hpp"
#include "toolbox/cli/quantities.hpp"
#include "tools/gbp/host_parameters.hpp"
#include "tools/gbp/refresh/guard.hpp"
#include "tools/gbp/refresh/journal.hpp"
#include "tools/gbp/refresh/place.hpp"
#include "tools/gbp/refresh/settle.hpp"
#include "tools/gbp/refresh/sibling.hpp"
#include "tools/gbp/refresh/survey.hpp"

namespace gbp {
namespace {

using namespace refresh_parts;

// The seek time of a common disk, for the expected gain.
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
  fmt::print("directory       {}\n", gray::cli::printable(place.path));
  fmt::print("files           {}, {} on disk\n", found.files, gray::cli::format_bytes(found.bytes));
  fmt::print("score           {} of {} files in i-number order are not close behind the one before\n",
             found.jumps, found.placed);
  fmt::print("cold reading    about {:.2f} s, and {:.2f} s when refreshed ({:.1f}x)\n", now_s,
             read_s + kSeekS, now_s / (read_s + kSeekS));
  fmt::print("free            {}\n", gray::cli::format_bytes(found.free_bytes));
  if (const std::size_t workers = count_workers(place); workers > 0)
    fmt::print("note            {} processes work in it and would be left in the old directory\n", workers);
  for (const std::string& blocker : found.blockers)
    fmt::print("in the way      {}\n", gray::cli::printable(blocker));
  fmt::print("{}\n", found.blockers.empty() ? "nothing was changed: --apply does it" : "nothing was changed");
}

// Used when the refresh ends before the exchange: removes the files that were made next to the directory. Reports
// the first problem.
std::string give_up(const Workplace& place, Journal& journal, std::string problem) {
  std::string last;
  if (journal.stage == Stage::filling) {
    last = remove_unfinished(place, journal);
    // A file that cannot be removed was made by another program. The journal is still removed, so that no later run waits for that file.
    const std::string later = remove_journal(place);
    if (last.empty()) last = later;
  } else {
    Settled settled;
    last = settle(place, journal, settled);
  }
  if (problem.empty()) return last;
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
  for (const Entry& entry : found.entries)
    journal.entries.push_back({entry.name, identity_of(entry.status), {}});
  return write_journal(place, journal);
}

std::string find_change_or_writer(const Workplace& place, const Survey& found, const Guard& guard) {
  const gray::base::ScopedFd folder = open_folder(place.parent.get(), place.name);
  if (!folder.is_open()) return problem_of(place.name, folder.error());
  std::string change = find_change(folder.get(), found);
  return change.empty() ? guard.find_writer() : change;
}

// All steps up to and including the exchange. Returns what is wrong, or an empty text.
std::string replace(const Workplace& place, const Survey& found, const Guard& guard, Journal& journal) {
  std::string problem = make_sibling(place, found, journal);
  if (problem.empty()) problem = fill_sibling(place, found, guard);
  if (problem.empty()) problem = record_sibling(place, journal);
  if (problem.empty()) problem = find_change_or_writer(place, found, guard);
  if (problem.empty()) problem = exchange(place);
  if (problem.empty()) return "";
  // If the directories are exchanged, but the exchange may not be on disk, no file may be removed now.
  struct stat live {};
  if (fstatat(place.parent.get(), place.name.c_str(), &live, AT_SYMLINK_NOFOLLOW) != 0 ||
      live.st_ino != journal.old_inode)
    return problem + "; use --resume or --rollback";
  return give_up(place, journal, problem);
}

// Used when the refresh ends after the exchange, in either direction: merges, cleans up, and prints the facts
// that a person needs.
int end_by_merging(const Workplace& place, Journal& journal, Settled& settled) {
  const std::string problem = settle(place, journal, settled);
  if (!problem.empty())
    return fail(fmt::format("{}; '{}' is complete, --resume goes on", problem, place.path));
  if (settled.kept == 0) return gray::cli::kExitSuccess;
  struct stat left {};
  if (fstatat(place.parent.get(), place.work_name.c_str(), &left, AT_SYMLINK_NOFOLLOW) == 0)
    gray::cli::warn("'{}' stays: take from it what is wanted, and remove it before the next refresh",
                    place.work_path);
  return gray::cli::kExitSomeFailed;
}

// Removes a sibling that the last refresh had made before it wrote a journal. Such a sibling is empty. A sibling with content is not removed.
std::string remove_empty_sibling(const Workplace& place) {
  if (unlinkat(place.parent.get(), place.work_name.c_str(), AT_REMOVEDIR) == 0 || errno == ENOENT) return "";
  if (errno != ENOTEMPTY && errno != EEXIST) return problem_of(place.work_path);
  return fmt::format(
      "'{}' is not empty: what an earlier refresh kept there; take from it what is wanted, and remove it",
      place.work_path);
}

int apply(const Workplace& place, const RefreshOptions& options, Survey& found) {
  Journal earlier;
  if (read_journal(place, earlier) != -ENOENT)
    return fail(
        fmt::format("'{}' was left by an earlier refresh: use --resume or --rollback", place.journal_name));
  forbid_where_it_gains_nothing(place, options, found);
  for (const std::string& blocker : found.blockers) gray::cli::write_diagnostic(blocker);
  if (!found.blockers.empty()) return gray::cli::kExitSomeFailed;
  std::string problem = remove_empty_sibling(place);
  if (!problem.empty()) return fail(problem);
  Guard guard;
  const gray::base::ScopedFd folder = open_folder(place.parent.get(), place.name);
  problem = guard.take(folder.get(), found.entries);
  if (problem.empty())
    problem = find_change(folder.get(), found);  // changes between the survey and the guard
  if (!problem.empty()) return fail(fmt::format("'{}' is left alone: {}", place.path, problem));
  Journal journal;
  problem = replace(place, found, guard, journal);
  if (!problem.empty()) return fail(fmt::format("'{}' is not refreshed: {}", place.path, problem));
  Settled settled;
  settled.is_just_exchanged = true;
  const int status = end_by_merging(place, journal, settled);
  if (settled.merged > 0)
    gray::cli::warn("{} of the files of '{}' were changed meanwhile and lie where they lay", settled.merged,
                    place.path);
  if (status == gray::cli::kExitSuccess)
    fmt::print("{} files of '{}' lie in order now\n", found.files, gray::cli::printable(place.path));
  return status;
}

int take_stock(const Workplace& place, const RefreshOptions& options, Survey& found) {
  std::string problem;
  const std::vector<std::string> order = read_order(options, problem);
  if (problem.empty()) problem = survey(place, order, found);
  return problem.empty() ? gray::cli::kExitSuccess : fail(problem);
}

// For a refresh that ended before its journal was written: it made at most an empty sibling or half a journal.
int clear_beginnings(const Workplace& place) {
  std::string problem = remove_empty_sibling(place);
  if (problem.empty()) problem = remove_journal(place);
  if (!problem.empty()) return fail(problem);
  fmt::print("nothing of '{}' was interrupted\n", gray::cli::printable(place.path));
  return gray::cli::kExitSuccess;
}

int end_before_exchange(const Workplace& place, const RefreshOptions& options, Journal& journal) {
  if (journal.stage == Stage::filling) {
    const std::string problem = give_up(place, journal, "");
    if (!problem.empty()) return fail(problem);
  } else {
    Settled settled;
    const int status = end_by_merging(place, journal, settled);
    if (status != gray::cli::kExitSuccess) return status;
  }
  if (options.way == RefreshWay::rollback) return gray::cli::kExitSuccess;
  Survey found;
  const int status = take_stock(place, options, found);
  return status != gray::cli::kExitSuccess ? status : apply(place, options, found);
}

int end_after_exchange(const Workplace& place, const RefreshOptions& options, Journal& journal) {
  if (journal.stage == Stage::filling)
    return fail(fmt::format("'{}' was exchanged with '{}' by somebody else", place.path, place.work_path));
  Settled settled;
  if (options.way == RefreshWay::resume) return end_by_merging(place, journal, settled);
  if (journal.stage == Stage::draining)
    return fail("the old directory is being deleted already: only --resume is left");
  std::string problem = hand_back_removals(place, journal);
  if (problem.empty()) problem = exchange(place);
  if (!problem.empty()) return fail(problem);
  return end_by_merging(place, journal, settled);
}

int end_interrupted(const Workplace& place, const RefreshOptions& options) {
  Journal journal;
  const int error = read_journal(place, journal);
  if (error == -ENOENT) return clear_beginnings(place);
  if (error == -EBUSY) return fail(fmt::format("another gbp -refresh works on '{}'", place.path));
  if (error != 0) return fail(problem_of(place.journal_name, error));
  struct stat live {};
  if (fstatat(place.parent.get(), place.name.c_str(), &live, AT_SYMLINK_NOFOLLOW) != 0)
    return fail(problem_of(place.path));
  if (live.st_ino == journal.old_inode) return end_before_exchange(place, options, journal);
  if (live.st_ino == journal.new_inode) return end_after_exchange(place, options, journal);
  return fail(fmt::format("'{}' is neither the directory that was refreshed nor its copy", place.path));
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
