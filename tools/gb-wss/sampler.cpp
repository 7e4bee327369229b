// SPDX-License-Identifier: MIT
#include "tools/gb-wss/sampler.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <map>
#include <memory>

#include "toolbox/base/clock.hpp"
#include "toolbox/cli/progress.hpp"
#include "toolbox/cli/quantities.hpp"
#include "tools/gb-wss/targets.hpp"

namespace gb_wss {
namespace {

constexpr std::uint64_t kUsualSpanNs = 10'000'000'000;
constexpr std::uint64_t kCostShare = 100;      // a hundredth of the time
constexpr std::uint64_t kClearingInLooks = 2;  // a clearing takes no longer than so many looks
constexpr std::uint64_t kNsPerMs = 1'000'000;
constexpr std::uint64_t kTickNs = 100 * kNsPerMs;

volatile std::sig_atomic_t is_end_wanted = 0;

void want_end(int /*signal*/) {
  is_end_wanted = 1;
}

void catch_signals() {
  struct sigaction action {};
  action.sa_handler = want_end;  // without SA_RESTART: a sleep ends
  for (const int signal : {SIGINT, SIGTERM}) sigaction(signal, &action, nullptr);
}

struct CloseWatch {
  void operator()(gb_working_set_t* watch) const { gb_working_set_close(watch); }
};

// Sums over the windows.
struct PointSum {
  std::uint64_t since_ns = 0;
  std::uint64_t touched_bytes = 0;
  std::uint64_t windows = 0;

  void add(std::uint64_t since, std::uint64_t touched) {
    since_ns += since;
    touched_bytes += touched;
    ++windows;
  }
};

std::vector<Point> means_of(const std::vector<PointSum>& sums) {
  std::vector<Point> curve;
  for (const PointSum& sum : sums) {
    if (sum.windows != 0) curve.push_back({sum.since_ns / sum.windows, sum.touched_bytes / sum.windows});
  }
  return curve;
}

struct Member {
  Process process;
  std::unique_ptr<gb_working_set_t, CloseWatch> watch;
  std::vector<PointSum> points;
};

std::uint64_t part_of(std::uint64_t bytes, const gb_working_set_sample& look) {
  if (look.resident_bytes == 0) return 0;
  return static_cast<std::uint64_t>(static_cast<double>(bytes) * static_cast<double>(look.share_bytes) /
                                    static_cast<double>(look.resident_bytes));
}

class Sampler {
 public:
  explicit Sampler(const Options& options) : options_(options), points_(options.looks) {}

  Sampling run() {
    catch_signals();
    add_new_targets();
    sampling_.span_ns = span_for(options_.span_ns, look_time_ns(), options_.looks);
    sampling_.is_stretched = options_.span_ns == 0 && sampling_.span_ns > kUsualSpanNs;
    gray::cli::Progress progress("looking, ms", options_.windows * sampling_.span_ns / kNsPerMs);
    begin_ns_ = gray::base::monotonic_ns();
    for (std::size_t window = 0; window < options_.windows && is_end_wanted == 0; ++window)
      take_window(progress);
    progress.finish();
    return finished();
  }

 private:
  // A process that cannot be watched is kept with its error, unless it has ended and was never named.
  void add_new_targets() {
    for (const pid_t pid : find_targets(options_)) {
      if (members_.count(pid) != 0) continue;
      Member member;
      member.process.pid = pid;
      member.process.name = name_of(pid);
      gb_working_set_t* watch = nullptr;
      member.process.error = gb_working_set_open(pid, &watch);
      member.watch.reset(watch);
      member.points.resize(options_.looks);
      const bool is_named = std::count(options_.pids.begin(), options_.pids.end(), pid) != 0 ||
                            std::count(options_.trees.begin(), options_.trees.end(), pid) != 0;
      if (member.process.error == -ESRCH && !is_named) continue;
      members_.emplace(pid, std::move(member));
    }
  }

  bool look(Member& member) {
    gb_working_set_sample seen{};
    seen.size = sizeof seen;
    if (member.process.has_ended || member.watch == nullptr) return false;
    if (gb_working_set_look(member.watch.get(), &seen) != 0) {
      member.process.has_ended = true;
      return false;
    }
    seen.doubts |= member.process.last.doubts;
    member.process.last = seen;
    return true;
  }

  // The longest of any: each process is held up by its own looks alone.
  std::uint64_t look_time_ns() {
    std::uint64_t longest_ns = 0;
    for (auto& [pid, member] : members_) {
      if (!look(member)) continue;
      longest_ns = std::max(longest_ns, member.process.last.cost_ns);
      member.process.last.doubts = 0;
    }
    return longest_ns;
  }

  void take_window(gray::cli::Progress& progress) {
    for (auto& [pid, member] : members_) {
      if (member.watch != nullptr && !member.process.has_ended)
        member.process.has_ended = gb_working_set_clear(member.watch.get()) != 0;
    }
    const std::uint64_t start_ns = gray::base::monotonic_ns();
    const std::vector<std::uint64_t> times = look_times(sampling_.span_ns, options_.looks);
    for (std::size_t i = 0; i < times.size(); ++i) {
      wait_until(start_ns + times[i], progress);
      // If the watch is ended early, the last look comes at once, instead of the look that was due.
      if (!options_.trees.empty() || !options_.cgroups.empty()) add_new_targets();
      look_at_all(i, gray::base::monotonic_ns() - start_ns);
      if (is_end_wanted != 0) return;
    }
  }

  void look_at_all(std::size_t i, std::uint64_t since_ns) {
    std::uint64_t touched_bytes = 0;
    sampling_.resident_bytes = 0;
    for (auto& [pid, member] : members_) {
      if (!look(member)) continue;
      const gb_working_set_sample& seen = member.process.last;
      if (seen.since_ns != 0) member.points[i].add(seen.since_ns, seen.touched_bytes);
      touched_bytes += part_of(seen.touched_bytes, seen);
      sampling_.resident_bytes += seen.share_bytes;
    }
    points_[i].add(since_ns, touched_bytes);
  }

  void wait_until(std::uint64_t until_ns, gray::cli::Progress& progress) const {
    for (;;) {
      const std::uint64_t now_ns = gray::base::monotonic_ns();
      progress.set((now_ns - begin_ns_) / kNsPerMs);
      if (now_ns >= until_ns || is_end_wanted != 0) return;
      const timespec pause{0, static_cast<long>(std::min(until_ns - now_ns, kTickNs))};
      nanosleep(&pause, nullptr);
    }
  }

  Sampling finished() {
    sampling_.is_ended_early = is_end_wanted != 0;
    sampling_.curve = means_of(points_);
    for (auto& [pid, member] : members_) {
      member.process.curve = means_of(member.points);
      sampling_.processes.push_back(std::move(member.process));
    }
    return std::move(sampling_);
  }

  const Options& options_;
  std::map<pid_t, Member> members_;
  std::vector<PointSum> points_;
  Sampling sampling_;
  std::uint64_t begin_ns_ = 0;
};

}  // namespace

Sampling sample(const Options& options) {
  return Sampler(options).run();
}

std::vector<std::uint64_t> look_times(std::uint64_t span_ns, std::size_t looks) {
  std::vector<std::uint64_t> times(looks);
  for (std::size_t i = looks; i-- > 0; span_ns /= 2) times[i] = span_ns;
  return times;
}

std::uint64_t span_for(std::uint64_t asked_ns, std::uint64_t look_ns, std::size_t looks) {
  if (asked_ns != 0) return asked_ns;
  return std::max(kUsualSpanNs, look_ns * (looks + kClearingInLooks) * kCostShare);
}

}  // namespace gb_wss
