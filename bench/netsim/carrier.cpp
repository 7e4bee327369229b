// SPDX-License-Identifier: MIT
#include "bench/netsim/carrier.hpp"

#include <algorithm>
#include <utility>

#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "toolbox/base/clock.hpp"

namespace netsim {
namespace {

using gray::base::monotonic_ns;

constexpr std::uint64_t kNsPerS = 1'000'000'000;
constexpr unsigned kUpSeed = 1;
constexpr unsigned kDownSeed = 2;
constexpr unsigned kTakenAtOnce = 64;  // after this number of packets the other direction gets its turn

// Called when the children exist already. So the children keep the timer slack and the scheduling class with which they
// were started.
void ask_for_punctuality(bool is_asked) {
  prctl(PR_SET_TIMERSLACK, 1);
  sched_param parameter{};
  parameter.sched_priority = is_asked ? 1 : 0;
  sched_setscheduler(0, (is_asked ? SCHED_FIFO : SCHED_OTHER) | SCHED_RESET_ON_FORK, &parameter);
}

// waitpid() for a process waits busily while another process reads the first one's /proc. In this program's real-time class the busy wait would keep the reader
// from running: both processes stopped for as long as the kernel lets such a class run, 0.95 s. So `is_over` runs in the ordinary class.
bool ask_patiently(const std::function<bool()>& is_over) {
  ask_for_punctuality(false);
  const bool answer = is_over();
  ask_for_punctuality(true);
  return answer;
}

}  // namespace

Carrier::Carrier(const LineShape& shape, gray::base::ScopedFd near, gray::base::ScopedFd far)
    : near_(std::move(near)),
      far_(std::move(far)),
      up_{Line(shape, kUpSeed), near_.get(), far_.get(), {}},
      down_{Line(shape, kDownSeed), far_.get(), near_.get(), {}} {}

void Carrier::give(Direction& direction) {
  const std::uint64_t now_ns = monotonic_ns();
  while (!direction.packets.empty() && direction.packets.front().due_ns <= now_ns) {
    const Packet& packet = direction.packets.front();
    late_ns_max_ = std::max(late_ns_max_, now_ns - packet.due_ns);
    // A packet that the other end does not accept is lost, as on a host whose memory is full.
    [[maybe_unused]] const ssize_t taken = write(direction.to_fd, packet.bytes.data(), packet.length);
    direction.packets.pop_front();
  }
}

void Carrier::take(Direction& direction) {
  std::array<char, kMtuBytes> bytes;
  for (unsigned i = 0; i < kTakenAtOnce; ++i) {
    const ssize_t length = read(direction.from_fd, bytes.data(), bytes.size());
    if (length <= 0) return;
    const auto due_ns = direction.line.admit(monotonic_ns(), static_cast<std::uint64_t>(length));
    if (due_ns) direction.packets.push_back({*due_ns, static_cast<std::size_t>(length), bytes});
  }
}

std::uint64_t Carrier::next_due_ns() const {
  std::uint64_t next_ns = UINT64_MAX;
  for (const Direction* direction : {&up_, &down_})
    if (!direction->packets.empty()) next_ns = std::min(next_ns, direction->packets.front().due_ns);
  return next_ns;
}

void Carrier::carry_until(const std::function<bool()>& is_over, int first_fd, int second_fd) {
  ask_for_punctuality(true);
  pollfd polled[] = {
      {first_fd, POLLIN, 0}, {second_fd, POLLIN, 0}, {near_.get(), POLLIN, 0}, {far_.get(), POLLIN, 0}};
  for (;;) {
    give(up_);
    give(down_);
    const std::uint64_t now_ns = monotonic_ns();
    const std::uint64_t next_ns = next_due_ns();
    const std::uint64_t rest_ns = next_ns > now_ns ? next_ns - now_ns : 0;
    const timespec rest{static_cast<time_t>(rest_ns / kNsPerS), static_cast<long>(rest_ns % kNsPerS)};
    if (ppoll(polled, std::size(polled), next_ns == UINT64_MAX ? nullptr : &rest, nullptr) <= 0) continue;
    if (polled[2].revents != 0) take(up_);
    if (polled[3].revents != 0) take(down_);
    if ((polled[0].revents != 0 || polled[1].revents != 0) && ask_patiently(is_over)) return;
  }
}

}  // namespace netsim
