// SPDX-License-Identifier: MIT
#include "bench/hddsim/engine.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <sys/prctl.h>

#include "toolbox/base/clock.hpp"

namespace hddsim {
namespace {

using gray::base::monotonic_ns;

// A request that has waited this long is served next, no matter how far the head must move. If the nearest request were always
// served first, a far request could wait for ever.
constexpr std::uint64_t kPatienceNs = 500'000'000;

void add(std::atomic<std::uint64_t>& counter, std::uint64_t amount) {
  counter.store(counter.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
}

void raise(std::atomic<std::uint64_t>& counter, std::uint64_t value) {
  if (counter.load(std::memory_order_relaxed) < value) counter.store(value, std::memory_order_relaxed);
}

}  // namespace

Engine::Engine(std::unique_ptr<Disk> disk, std::uint64_t queue_depth, Counters& counters, Trace& trace)
    : disk_(std::move(disk)), queue_depth_(queue_depth), counters_(counters), trace_(trace), thread_([this] {
        run();
      }) {}

Engine::~Engine() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Engine::submit(const Request& request, Work work) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const std::uint64_t queue = waiting_.size() + started_.size() + 1;
    waiting_.push_back({request, std::move(work), monotonic_ns(), queue});
    counters_.queue_now.store(queue, std::memory_order_relaxed);
    raise(counters_.queue_max, queue);
  }
  changed_.notify_one();
}

void Engine::drain() {
  std::unique_lock<std::mutex> lock(mutex_);
  drained_.wait(lock, [this] { return waiting_.empty() && started_.empty(); });
}

bool Engine::is_due(std::uint64_t instant_ns) const {
  return instant_ns <= monotonic_ns() || is_hurried_.load(std::memory_order_relaxed);
}

std::uint64_t Engine::next_event_ns() const {
  std::uint64_t next_ns = UINT64_MAX;
  if (!started_.empty()) next_ns = started_.top().service.end_ns;
  if (!waiting_.empty()) next_ns = std::min(next_ns, disk_free_ns_);
  return next_ns;
}

void Engine::run() {
  prctl(PR_SET_TIMERSLACK, 1UL);  // nanoseconds; the default of 50 us would show in every answer
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    answer_due(lock);
    start_ready(lock);
    if (waiting_.empty() && started_.empty()) drained_.notify_all();
    if (is_ending_ && waiting_.empty() && started_.empty()) return;
    const std::uint64_t next_ns = next_event_ns();
    if (next_ns == UINT64_MAX) {
      changed_.wait(lock, [this] { return is_ending_ || !waiting_.empty(); });
    } else {
      wait_until(next_ns, lock);
    }
  }
}

// A sleeping processor of a virtual machine takes a tenth of a millisecond to wake, which would make every answer late. So
// the thread sleeps until a little before the instant (earlier by the time that recent wake-ups took), and then polls the
// clock.
void Engine::wait_until(std::uint64_t instant_ns, std::unique_lock<std::mutex>& lock) {
  constexpr std::uint64_t kWakeMaxNs = 300'000;
  if (is_due(instant_ns)) return;
  if (instant_ns > monotonic_ns() + wake_ns_) {
    const std::uint64_t alarm_ns = instant_ns - wake_ns_;
    const auto alarm = std::chrono::steady_clock::time_point(std::chrono::nanoseconds(alarm_ns));
    const bool is_alarm = changed_.wait_until(lock, alarm) == std::cv_status::timeout;
    if (!is_alarm) return;
    const std::uint64_t late_ns = std::min(monotonic_ns() - alarm_ns, kWakeMaxNs);
    wake_ns_ = late_ns > wake_ns_ ? late_ns : wake_ns_ - (wake_ns_ - late_ns) / 16;
  }
  lock.unlock();
  while (!is_due(instant_ns)) {
  }
  lock.lock();
}

void Engine::answer_due(std::unique_lock<std::mutex>& lock) {
  while (!started_.empty() && is_due(started_.top().service.end_ns)) {
    const Started ended = started_.top();
    started_.pop();
    lock.unlock();
    const std::uint64_t answered_ns = monotonic_ns();
    ended.waiting.work.done();
    trace_.write({ended.waiting.arrived_ns, ended.started_ns, answered_ns, ended.waiting.queue,
                  ended.waiting.request, ended.service});
    lock.lock();
    const std::uint64_t late_ns = answered_ns - std::min(answered_ns, ended.service.end_ns);
    add(counters_.late_ns, late_ns);
    raise(counters_.late_max_ns, late_ns);
    counters_.queue_now.store(waiting_.size() + started_.size(), std::memory_order_relaxed);
  }
}

// The disk's choice: the request that the head reaches first, among the first `queue_depth_` requests before any waiting flush.
std::list<Engine::Waiting>::iterator Engine::choose(std::uint64_t now_ns) {
  auto best = waiting_.begin();
  if (now_ns - std::min(now_ns, best->arrived_ns) > kPatienceNs) return best;
  std::uint64_t best_ns = UINT64_MAX;
  std::uint64_t looked_at = 0;
  for (auto one = waiting_.begin(); one != waiting_.end() && looked_at < queue_depth_; ++one, ++looked_at) {
    if (one->request.operation == Operation::flush) break;
    const std::uint64_t time_ns = disk_->positioning_ns(one->request, now_ns);
    if (time_ns >= best_ns) continue;
    best_ns = time_ns;
    best = one;
  }
  return best;
}

void Engine::count_start(const Request& request, std::uint64_t started_ns, const Service& service) {
  const bool is_read = request.operation == Operation::read;
  if (request.operation == Operation::flush) {
    add(counters_.flushes, 1);
  } else {
    add(is_read ? counters_.reads : counters_.writes, 1);
    add(is_read ? counters_.read_bytes : counters_.write_bytes, request.length);
  }
  add(counters_.seeks, service.seek_ns > 0 ? 1 : 0);
  add(counters_.rotations, service.rotation_ns > 0 ? 1 : 0);
  add(counters_.buffered, service.is_buffered ? 1 : 0);
  add(counters_.seek_ns, service.seek_ns);
  add(counters_.rotation_ns, service.rotation_ns);
  add(counters_.transfer_ns, service.transfer_ns);
  const std::uint64_t from_ns = std::max(started_ns, busy_until_ns_);
  if (service.end_ns > from_ns) add(counters_.busy_ns, service.end_ns - from_ns);
  busy_until_ns_ = std::max(busy_until_ns_, service.end_ns);
}

void Engine::start_ready(std::unique_lock<std::mutex>& lock) {
  while (!waiting_.empty() && is_due(disk_free_ns_)) {
    const auto chosen = choose(std::max(disk_free_ns_, waiting_.front().arrived_ns));
    Started started{std::move(*chosen), 0, {}};
    waiting_.erase(chosen);
    started.started_ns = std::max(disk_free_ns_, started.waiting.arrived_ns);
    started.service = disk_->serve(started.waiting.request, started.started_ns);
    disk_free_ns_ = started.service.next_ns;
    count_start(started.waiting.request, started.started_ns, started.service);
    const std::function<void()> begin = started.waiting.work.begin;
    lock.unlock();
    begin();
    lock.lock();
    started_.push(std::move(started));
  }
}

}  // namespace hddsim
