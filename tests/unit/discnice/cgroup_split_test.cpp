// SPDX-License-Identifier: MIT
// cgroup_split_test: one rate is split into limits of reads and writes, so that their sum keeps to the rate.
//
// How: the arithmetic is pure. So a small model of a kernel that holds each flow to its limit runs for some seconds, with ten looks a second. The sum is compared with the rate.
// Left out: the lumps in which a real kernel lets requests through (tests/kernels/40_cgroup.sh).
#include "tools/discnice/cgroup/split.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "tests/support/catch.hpp"

using discnice::cgroup::Boost;
using discnice::cgroup::Excess;
using discnice::cgroup::Flow;
using discnice::cgroup::note;
using discnice::cgroup::split;

namespace {

constexpr std::uint64_t kRate = 10'000'000;
constexpr double kLookS = 0.1;

// A job with a flow of reads and a flow of writes, and the bytes that it has moved.
class Job {
 public:
  Job() { move_limits(); }

  // Runs for a time. `reads` and `writes` are the bytes a second that each flow would move without a limit.
  void run_apart(double seconds, double reads, double writes) {
    for (double at = 0; at < seconds - kLookS / 2; at += kLookS)
      look(std::min(reads, limit(0)), std::min(writes, limit(1)));
  }
  // Reads and writes the same number of bytes, one after the other.
  void run_in_turn(double seconds) {
    for (double at = 0; at < seconds - kLookS / 2; at += kLookS) {
      const double each = 1 / (1 / limit(0) + 1 / limit(1));
      look(each, each);
    }
  }
  [[nodiscard]] double moved() const { return moved_; }
  [[nodiscard]] double limit(std::size_t flow) const {
    return static_cast<double>(flows_[flow].limit_bytes_per_s);
  }

 private:
  void look(double read_per_s, double written_per_s) {
    note(flows_[0], read_per_s, kLookS);
    note(flows_[1], written_per_s, kLookS);
    const double all = (read_per_s + written_per_s) * kLookS;
    moved_ += all;
    excess_.add(all, kLookS, kRate);
    const auto active =
        static_cast<std::size_t>(read_per_s > 0) + static_cast<std::size_t>(written_per_s > 0);
    boost_.add(flows_[0].used_bytes_per_s + flows_[1].used_bytes_per_s, active, kRate, kLookS);
    move_limits();
  }
  void move_limits() { split(boost_.of(excess_.made_up(kRate)), kRate, flows_.data(), flows_.size()); }

  std::array<Flow, 2> flows_{};
  Excess excess_;
  Boost boost_;
  double moved_ = 0;
};

double error_of(double moved, double seconds) {
  return std::abs(moved / (static_cast<double>(kRate) * seconds) - 1);
}

constexpr double kAsMuchAsItCan = 1e12;

}  // namespace

TEST_CASE("a job that only reads has all of the rate") {
  Job job;
  job.run_apart(10, kAsMuchAsItCan, 0);
  CHECK(error_of(job.moved(), 10) < 0.001);
}

TEST_CASE("reads and writes of their own keep to the rate together, from the first second on") {
  Job job;
  job.run_apart(10, kAsMuchAsItCan, kAsMuchAsItCan);
  CHECK(error_of(job.moved(), 10) < 0.02);
}

TEST_CASE("writes that begin beside reads get as much within a second, and the sum stays") {
  Job job;
  job.run_apart(5, kAsMuchAsItCan, 0);
  job.run_apart(1, kAsMuchAsItCan, kAsMuchAsItCan);
  CHECK(job.limit(1) > 0.95 * job.limit(0));
  job.run_apart(4, kAsMuchAsItCan, kAsMuchAsItCan);
  CHECK(error_of(job.moved(), 10) < 0.02);
}

TEST_CASE("a trickle of writes costs the reads what it moves") {
  Job job;
  job.run_apart(10, kAsMuchAsItCan, 0.03 * kRate);
  CHECK(error_of(job.moved(), 10) < 0.02);
}

TEST_CASE("a program that reads, then writes, then reads moves as much as the rate") {
  Job job;
  job.run_in_turn(5);
  const double before = job.moved();
  job.run_in_turn(10);
  CHECK(error_of(job.moved() - before, 10) < 0.02);
}

TEST_CASE("when a copy ends and two flows begin, what is moved beyond the rate is made up for") {
  Job job;
  job.run_in_turn(10);
  const double before = job.moved();
  job.run_apart(10, kAsMuchAsItCan, kAsMuchAsItCan);
  CHECK(error_of(job.moved() - before, 10) < 0.03);
}

TEST_CASE("no flow is ever without a limit, or above the rate") {
  std::array<Flow, 3> flows{Flow{5e6, 5e6, 1}, Flow{0, 0, 0}, Flow{3 * kRate, 3 * kRate, kRate}};
  split(2 * kRate, kRate, flows.data(), flows.size());
  for (const Flow& flow : flows) {
    CHECK(flow.limit_bytes_per_s > 0);
    CHECK(flow.limit_bytes_per_s <= kRate);
  }
}
