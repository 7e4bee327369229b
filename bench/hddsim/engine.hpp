// SPDX-License-Identifier: MIT
// engine: the queue in front of a disk and the one thread that makes its time pass.
//
// A request begins when the disk is free and has chosen it. It is answered at the instant that the disk says. Both
// instants come from the model: a thread that wakes late answers late, but the next request begins at the model's instant. So
// delays do not add up.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <list>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

#include "bench/hddsim/counters.hpp"
#include "bench/hddsim/disk.hpp"
#include "bench/hddsim/trace.hpp"

namespace hddsim {

/// The two functions of the owner of a request. Both run on the engine's thread. `begin` runs when the disk starts on the request
/// (the model's time leaves room for it), `done` when the request is to be answered.
struct Work {
  std::function<void()> begin;
  std::function<void()> done;
};

class Engine {
 public:
  /// Of the first `queue_depth` waiting requests, the request that the disk reaches first is served. No request behind a flush is served before the
  /// flush.
  Engine(std::unique_ptr<Disk> disk, std::uint64_t queue_depth, Counters& counters, Trace& trace);
  /// Answers all submitted requests, then ends.
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Adds a request that arrives now. May be called on any thread.
  void submit(const Request& request, Work work);

  /// From now on every request is answered at once: written data is still kept, but takes no time. May be called on any thread, and in a signal handler.
  void hurry() { is_hurried_.store(true, std::memory_order_relaxed); }

  /// Waits until all requests submitted so far have been answered. Must not be called on the engine's own thread.
  void drain();

 private:
  struct Waiting {
    Request request;
    Work work;
    std::uint64_t arrived_ns;
    std::uint64_t queue;
  };
  struct Started {
    Waiting waiting;
    std::uint64_t started_ns;
    Service service;
  };
  struct EndsLater {
    bool operator()(const Started& a, const Started& b) const { return a.service.end_ns > b.service.end_ns; }
  };

  void run();
  void wait_until(std::uint64_t instant_ns, std::unique_lock<std::mutex>& lock);
  void answer_due(std::unique_lock<std::mutex>& lock);
  void start_ready(std::unique_lock<std::mutex>& lock);
  std::list<Waiting>::iterator choose(std::uint64_t now_ns);
  void count_start(const Request& request, std::uint64_t started_ns, const Service& service);
  [[nodiscard]] std::uint64_t next_event_ns() const;
  [[nodiscard]] bool is_due(std::uint64_t instant_ns) const;

  std::unique_ptr<Disk> disk_;
  std::uint64_t queue_depth_;
  Counters& counters_;
  Trace& trace_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::condition_variable drained_;
  std::list<Waiting> waiting_;  // in the order of arrival
  std::priority_queue<Started, std::vector<Started>, EndsLater> started_;
  std::uint64_t disk_free_ns_ = 0;
  std::uint64_t busy_until_ns_ = 0;
  std::uint64_t wake_ns_ = 0;  // how late an alarm wakes the thread on this machine
  bool is_ending_ = false;
  std::atomic<bool> is_hurried_{false};
  std::thread thread_;  // last member: the thread uses all members above
};

}  // namespace hddsim
