// SPDX-License-Identifier: MIT
// context_switch: two threads on one processor send a byte to each other in turn through pipes.
#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <thread>

#include "microbench/interruption.hpp"
#include "microbench/registry_list.hpp"
#include "toolbox/base/fd.hpp"

namespace microbench {
namespace {

using gray::base::ScopedFd;

constexpr int kRoundTrips = 200;

constexpr Output kOutputs[] = {
    {"context.switch_ns", "ns", "pipes",
     "from one thread to another on the same processor, the pipe included", "",
     "what each piece costs a program that hands data on through a pipe, as gbp -out does", false,
     Kind::kValue, kCalmTime},
};

void open_pipe(ScopedFd& to_read, ScopedFd& to_write) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw NotAvailable("no more descriptors for a pipe");
  to_read.reset(ends[0]);
  to_write.reset(ends[1]);
}

void stay_on(int processor) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(processor), &set);
  sched_setaffinity(0, sizeof set, &set);
}

class ContextSwitchSession : public Session {
 public:
  explicit ContextSwitchSession(const Context& context) : Session(context) {
    open_pipe(there_read_, there_write_);
    open_pipe(back_read_, back_write_);
    processor_ = sched_getcpu();
    if (processor_ < 0) throw NotAvailable("the kernel does not tell which processor this is");
    // Signals are for the main thread, which sometimes holds them. The partner thread must not receive a signal in its place.
    const SignalsHeld held;
    partner_ = std::thread([this] { answer(); });
  }

  ~ContextSwitchSession() override {
    there_write_.reset();  // the partner reads end-of-file, and ends
    partner_.join();
  }

  void round() override {
    cpu_set_t before;
    if (sched_getaffinity(0, sizeof before, &before) != 0)
      throw NotAvailable("no leave to choose a processor");
    stay_on(processor_);
    const std::uint64_t start = context().timer.now_ns();
    char byte = 0;
    for (int i = 0; i < kRoundTrips; ++i) {
      if (write(there_write_.get(), &byte, 1) != 1 || read(back_read_.get(), &byte, 1) != 1) break;
    }
    add("context.switch_ns", context().timer.ns_since(start) / (2 * kRoundTrips));
    sched_setaffinity(0, sizeof before, &before);
  }

 private:
  void answer() {
    stay_on(processor_);
    char byte = 0;
    while (read(there_read_.get(), &byte, 1) == 1) {
      if (write(back_write_.get(), &byte, 1) != 1) return;
    }
  }

  ScopedFd there_read_, there_write_, back_read_, back_write_;
  int processor_ = 0;
  std::thread partner_;
};

}  // namespace

extern const Benchmark kContextSwitch{
    "context_switch",
    "a context switch",
    "Half a round trip of a byte between two threads held on one processor, so each trip is two switches.",
    Needs::kNothing,
    Effort::kQuick,
    kOutputs,
    make_session<ContextSwitchSession>};

}  // namespace microbench
