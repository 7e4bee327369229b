// SPDX-License-Identifier: MIT
#include "microbench/interruption.hpp"

#include <pthread.h>
#include <unistd.h>

#include <string_view>

namespace microbench {
namespace {

volatile std::sig_atomic_t is_recorded = 0;  // written with the signals held, read by their handler

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};

void say(std::string_view text) {
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
}

// Async-signal-safe: write, sigaction and raise.
void end_by(int signal_number) {
  if (isatty(STDERR_FILENO) == 1) say("\r\033[K");
  say(is_recorded != 0 ? "microbench: interrupted: all was measured, and is recorded\n"
                       : "microbench: interrupted: nothing was recorded\n");
  struct sigaction ordinary {};
  ordinary.sa_handler = SIG_DFL;
  sigaction(signal_number, &ordinary, nullptr);
  raise(signal_number);
}

}  // namespace

void say_when_interrupted() {
  struct sigaction action {};
  action.sa_handler = end_by;
  for (const int signal_number : kSignals) {
    struct sigaction before {};
    // Signals that were ignored from the start (nohup) stay ignored.
    if (sigaction(signal_number, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) continue;
    sigaction(signal_number, &action, nullptr);
  }
}

void note_recorded() {
  is_recorded = 1;
}

SignalsHeld::SignalsHeld() {
  sigset_t held;
  sigfillset(&held);
  pthread_sigmask(SIG_BLOCK, &held, &before_);
}

SignalsHeld::~SignalsHeld() {
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

}  // namespace microbench
