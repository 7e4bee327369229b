// SPDX-License-Identifier: MIT
// path_window_test: the window fills a line that no other sender uses, shrinks when other senders come, grows again afterwards, and
// adapts to a changed path.
//
// How: the test simulates a line with a queue. The window's rate and the others' rate fill the queue, and a round trip shows the queue one round trip later.
// Left out: real TCP (system/netnice).
#include <algorithm>
#include <deque>
#include <utility>

#include "tests/support/catch.hpp"
#include "tools/netnice/control/base_delay.hpp"
#include "tools/netnice/control/path_window.hpp"

namespace {

using netnice::BaseDelay;
using netnice::PathWindow;

constexpr double kTickS = 0.01;
constexpr std::uint64_t kTickNs = 10'000'000;
constexpr double kLeastBytes = 2896;
constexpr double kUsPerS = 1e6;

// A line with a queue. Other senders put bytes into the queue at a rate, or keep it as full as cubic does.
struct Line {
  double rate = 2e6;
  double delay_s = 0.02;
  double queue_max = 600e3;
  double queue = 0;
  double others_rate = 0;

  // The bytes that the sender gets through in a tick: the sender's share of the line is its share of the bytes that came in.
  double pass(double rate_in) {
    const double in = (rate_in + others_rate) * kTickS;
    const double out = std::min(queue + in, rate * kTickS);
    queue = std::min(queue + in - out, queue_max);
    return in > 0 ? std::min(rate_in * kTickS, out * rate_in * kTickS / in) : 0;
  }
  [[nodiscard]] double round_trip_s() const { return delay_s + queue / rate; }
};

class Sender {
 public:
  explicit Sender(double start_bytes) { window_.start(start_bytes, kLeastBytes); }
  [[nodiscard]] double rate() const {
    return window_.rate_bytes_per_s() > 0 ? window_.rate_bytes_per_s() : 1e5;
  }
  // A round trip is reported when it is over.
  void tick(double moved_bytes, double round_trip_s) {
    now_ns_ += kTickNs;
    under_way_.push_back(
        {now_ns_ + static_cast<std::uint64_t>(round_trip_s * 1e9), round_trip_s, moved_bytes});
    std::uint32_t us = 0;
    moved_bytes = 0;
    for (; !under_way_.empty() && under_way_.front().over_ns <= now_ns_; under_way_.pop_front()) {
      us = static_cast<std::uint32_t>(under_way_.front().round_trip_s * kUsPerS);
      moved_bytes += under_way_.front().bytes;
    }
    if (us != 0) base_.see(now_ns_, us);
    window_.see({now_ns_, us, base_.base_us(), static_cast<std::uint64_t>(moved_bytes), false});
    moved_bytes_ += moved_bytes;
  }
  double take_moved() { return std::exchange(moved_bytes_, 0); }
  [[nodiscard]] std::uint32_t base_us() const { return base_.base_us(); }
  [[nodiscard]] double window() const { return window_.window_bytes(); }

 private:
  PathWindow window_;
  BaseDelay base_;
  struct Packet {
    std::uint64_t over_ns = 0;
    double round_trip_s = 0;
    double bytes = 0;
  };
  std::deque<Packet> under_way_;
  std::uint64_t now_ns_ = 1'000'000'000;
  double moved_bytes_ = 0;
};

// The share of the line that the sender had, and the mean round trip over the delay.
struct Course {
  double part = 0;
  double stretch = 0;
};

Course run(Line& line, Sender& sender, double seconds) {
  double stretch = 0;
  const int ticks = static_cast<int>(seconds / kTickS);
  sender.take_moved();
  for (int i = 0; i < ticks; ++i) {
    sender.tick(line.pass(sender.rate()), line.round_trip_s());
    stretch += line.round_trip_s() / line.delay_s;
  }
  return {sender.take_moved() / (line.rate * seconds), stretch / ticks};
}

// Jain's index of two senders on a fast line, of which the second one comes after `start_s`: from its 6th to its 11th second.
double jain_of_two(double start_s) {
  Line line;
  line.rate = 10e6;
  line.delay_s = 0.04;
  Sender first(10 * 1448);
  run(line, first, start_s);
  Sender later(10 * 1448);
  const auto run_both = [&](double seconds) {
    for (int i = 0; i < static_cast<int>(seconds / kTickS); ++i) {
      const double first_rate = first.rate();
      const double both_rate = first_rate + later.rate();
      const double moved = line.pass(both_rate);
      first.tick(moved * first_rate / both_rate, line.round_trip_s());
      later.tick(moved * (both_rate - first_rate) / both_rate, line.round_trip_s());
    }
  };
  run_both(6);
  first.take_moved();
  later.take_moved();
  run_both(5);
  const double one = first.take_moved();
  const double other = later.take_moved();
  return (one + other) * (one + other) / (2 * (one * one + other * other));
}

}  // namespace

TEST_CASE("alone, a window fills the line and leaves its queue short", "[path_window]") {
  for (const double rate : {200e3, 2e6, 10e6}) {
    Line line;
    line.rate = rate;
    Sender sender(10 * 1448);
    run(line, sender, 3);
    const Course course = run(line, sender, 10);
    INFO("rate " << rate);
    CHECK(course.part > (rate < 1e6 ? 0.8 : 0.93));
    CHECK(course.stretch < (rate < 1e6 ? 4 : 1.5));
  }
}

TEST_CASE("beside others who fill the queue it takes little, and comes back within seconds",
          "[path_window]") {
  Line line;
  Sender sender(10 * 1448);
  run(line, sender, 3);
  line.others_rate = 2 * line.rate;  // the queue is full
  run(line, sender, 2);
  CHECK(run(line, sender, 5).part < 0.1);
  line.others_rate = 0;
  run(line, sender, 3);
  CHECK(run(line, sender, 2).part > 0.9);
}

TEST_CASE("a later sender soon has as much of a fast line as the first one", "[path_window]") {
  constexpr int kStarts = 21;
  double sum = 0;
  for (int i = 0; i < kStarts; ++i) sum += jain_of_two(2.5 + 0.1 * i);
  CHECK(sum / kStarts > 0.948);  // a single start gives from 0.92 to 1
}

TEST_CASE("what others leave of a line is used", "[path_window]") {
  Line line;
  line.others_rate = 0.6 * line.rate;
  Sender sender(10 * 1448);
  run(line, sender, 5);
  const Course course = run(line, sender, 10);
  CHECK(course.part > 0.25);
  CHECK(course.part < 0.45);
  CHECK(course.stretch < 1.6);
}

TEST_CASE("a path that has become longer is learned anew", "[path_window]") {
  Line line;
  Sender sender(10 * 1448);
  run(line, sender, 5);
  line.delay_s = 0.06;
  run(line, sender, 20);
  CHECK(sender.base_us() > 55'000);
  CHECK(run(line, sender, 5).part > 0.9);
  line.delay_s = 0.02;
  run(line, sender, 5);
  const Course course = run(line, sender, 5);
  CHECK(course.part > 0.9);
  CHECK(course.stretch < 1.6);
}

TEST_CASE("a start in a queue that it has filled itself is seen through", "[path_window]") {
  Line line;
  line.queue = 500e3;
  Sender sender(540e3);
  run(line, sender, 15);
  CHECK(sender.base_us() < 26'000);
  const Course course = run(line, sender, 5);
  CHECK(course.part > 0.9);
  CHECK(course.stretch < 1.6);
}

TEST_CASE("who moves less than the window does not make it grow", "[path_window]") {
  PathWindow window;
  window.start(20'000, kLeastBytes);
  for (std::uint64_t tick = 1; tick < 1000; ++tick) window.see({tick * kTickNs, 20'000, 20'000, 1000, false});
  CHECK(window.window_bytes() == 20'000);
}

TEST_CASE("losses make the window smaller, and nothing makes it smaller than the least", "[path_window]") {
  PathWindow window;
  window.start(100'000, kLeastBytes);
  for (std::uint64_t tick = 1; tick < 1000; ++tick)
    window.see({tick * kTickNs, 20'000, 20'000, 50'000, true});
  CHECK(window.window_bytes() == kLeastBytes);
}
