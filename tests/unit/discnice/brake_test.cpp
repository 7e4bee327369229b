// SPDX-License-Identifier: MIT
// brake_test: a stopped process does not run, and later goes on as if nothing had happened, also if the process that stopped it is killed.
//
// How: children with one thread and with many threads count in shared memory. Left out: stops because of a job's limit
// (system/discnice_pace).
#include "tools/discnice/pace/brake.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <memory>
#include <thread>

#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/support/catch.hpp"

#include "tools/discnice/pace/signal_brake.hpp"
#include "tools/discnice/pace/trace_brake.hpp"
#include "tools/discnice/processes/processes.hpp"

namespace discnice::pace {
namespace {

constexpr int kThreads = 3;

struct Counts {
  std::atomic<std::uint64_t> of[kThreads];
  std::atomic<int> signals;
};

void sleep_ms(int milliseconds) {
  usleep(static_cast<useconds_t>(milliseconds) * 1000);
}

Counts* counts_in_handler = nullptr;

// A child whose threads each count until the child is killed.
class Counting {
 public:
  Counting() {
    void* memory = mmap(nullptr, sizeof(Counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    counts_ = new (memory) Counts{};
    pid_ = fork();
    if (pid_ == 0) count();
    while (!is_running()) {
    }
  }
  ~Counting() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, __WALL);
    munmap(counts_, sizeof(Counts));
  }
  Counting(const Counting&) = delete;
  Counting& operator=(const Counting&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] int signals() const { return counts_->signals.load(); }

  // Whether each of the child's threads counts. On a busy machine it takes some time until this is visible.
  [[nodiscard]] bool is_running() const {
    for (int tries = 0; tries < 20; ++tries)
      if (count_moving() == kThreads) return true;
    return false;
  }
  // Whether none of the child's threads counts. A stopped thread that still waits for a processor has not stopped counting yet.
  [[nodiscard]] bool is_standing() const {
    for (int tries = 0; tries < 20; ++tries)
      if (count_moving() == 0) return true;
    return false;
  }

 private:
  [[noreturn]] void count() const {
    counts_in_handler = counts_;
    std::signal(SIGUSR1, [](int) { counts_in_handler->signals.fetch_add(1); });
    for (int i = 1; i < kThreads; ++i)
      std::thread([this, i] {
        while (true) counts_->of[i].fetch_add(1);
      }).detach();
    while (true) counts_->of[0].fetch_add(1);
  }

  [[nodiscard]] int count_moving() const {
    sleep_ms(20);  // a thread that is just being stopped may still count a little
    std::uint64_t before[kThreads];
    for (int i = 0; i < kThreads; ++i) before[i] = counts_->of[i].load();
    sleep_ms(50);
    int moving = 0;
    for (int i = 0; i < kThreads; ++i) moving += counts_->of[i].load() != before[i] ? 1 : 0;
    return moving;
  }

  Counts* counts_;
  pid_t pid_;
};

// False on hosts where tracing is forbidden even for a child.
bool may_trace() {
  Counting child;
  TraceBrake brake;
  const int error = brake.stop(child.pid());
  brake.release(child.pid());
  if (error != 0) WARN("not shown: tracing is not allowed here");
  return error == 0;
}

template <typename AnyBrake>
void attend(AnyBrake& brake) {
  for (int i = 0; i < 10; ++i) {
    brake.attend();
    sleep_ms(2);
  }
}

}  // namespace

TEST_CASE("a traced process stands with all its threads and goes on", "[brake]") {
  if (!may_trace()) return;
  Counting child;
  TraceBrake brake;
  for (int round = 0; round < 3; ++round) {
    REQUIRE(brake.stop(child.pid()) == 0);
    attend(brake);
    CHECK(child.is_standing());
    CHECK(processes::is_traced(child.pid()));
    brake.release(child.pid());
    attend(brake);
    CHECK(child.is_running());
    CHECK_FALSE(brake.has_work());
    CHECK_FALSE(processes::is_traced(child.pid()));
  }
}

TEST_CASE("a signal that comes while a process stands is seen, and is taken when it goes on", "[brake]") {
  if (!may_trace()) return;
  Counting child;
  TraceBrake brake;
  CHECK(processes::waiting_signals(child.pid()) == 0);
  REQUIRE(brake.stop(child.pid()) == 0);
  attend(brake);
  kill(child.pid(), SIGUSR1);
  sleep_ms(20);
  CHECK(child.signals() == 0);
  CHECK(processes::waiting_signals(child.pid()) == 1U << (SIGUSR1 - 1));
  brake.release(child.pid());
  attend(brake);
  CHECK(child.signals() == 1);
  CHECK(child.is_running());
}

TEST_CASE("who is killed while it stands is not held", "[brake]") {
  if (!may_trace()) return;
  Counting child;
  TraceBrake brake;
  REQUIRE(brake.stop(child.pid()) == 0);
  attend(brake);
  kill(child.pid(), SIGKILL);
  attend(brake);
  brake.release(child.pid());
  attend(brake);
  CHECK_FALSE(brake.has_work());
  int status = 0;
  CHECK(waitpid(child.pid(), &status, WNOHANG | __WALL) == child.pid());  // only its parent waits for its end
  CHECK(WIFSIGNALED(status));
}

TEST_CASE("everybody goes on when whoever stopped them is killed", "[brake]") {
  const bool is_by_signal = GENERATE(false, true);
  if (!is_by_signal && !may_trace()) return;
  Counting child;
  const pid_t stopper = fork();
  if (stopper == 0) {
    TraceBrake by_trace;
    SignalBrake by_signal;
    if (is_by_signal ? by_signal.stop(child.pid()) != 0 : by_trace.stop(child.pid()) != 0) _exit(1);
    while (true) {
      if (!is_by_signal) by_trace.attend();
      sleep_ms(2);
    }
  }
  sleep_ms(100);
  CHECK(child.is_standing());
  kill(stopper, SIGKILL);
  waitpid(stopper, nullptr, 0);
  sleep_ms(100);
  CHECK(child.is_running());
}

TEST_CASE("a process that is stopped by a signal stands and goes on", "[brake]") {
  Counting child;
  SignalBrake brake;
  REQUIRE(brake.stop(child.pid()) == 0);
  CHECK(child.is_standing());
  brake.release(child.pid());
  CHECK(child.is_running());
  brake.release(child.pid());  // the brake has not stopped this process
  CHECK(brake.stop(0) == ESRCH);
  CHECK(brake.stop(-1) == ESRCH);
  CHECK(brake.stop(child.pid()) == 0);
  CHECK(child.is_standing());
}

TEST_CASE("a process in a debugger is left to that", "[brake]") {
  if (!may_trace()) return;
  Counting child;
  REQUIRE(ptrace(PTRACE_SEIZE, child.pid(), nullptr, nullptr) == 0);
  int error = 0;
  std::thread([&] { error = Brake().stop(child.pid()); }).join();
  CHECK(error == EPERM);
  CHECK(child.is_running());
  ptrace(PTRACE_INTERRUPT, child.pid(), nullptr, nullptr);
  waitpid(child.pid(), nullptr, __WALL);
  ptrace(PTRACE_DETACH, child.pid(), nullptr, nullptr);
}

}  // namespace discnice::pace
