// SPDX-License-Identifier: MIT
#include "tools/discnice/cli/net_holder.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <system_error>

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "toolbox/base/clock.hpp"
#include "toolbox/cli/diagnostics.hpp"
#include "tools/discnice/cli/launcher.hpp"
#include "tools/discnice/cli/schedule_option.hpp"
#include "tools/discnice/policy/net_limits.hpp"
#include "tools/discnice/protocol/segment.hpp"
#include "tools/netnice/engine/guard.hpp"
#include "tools/netnice/socket/process_handle.hpp"

namespace discnice::cli {
namespace {

using gray::cli::fail;
using gray::cli::kExitToolFailed;

netnice::LimitSettings settings_of(const policy::NetLimits& limits) {
  netnice::LimitSettings settings;
  settings.gives_way = limits.gives_way;
  if (limits.up_bytes_per_s != 0) settings.rates_bytes_per_s[0] = limits.up_bytes_per_s;
  if (limits.down_bytes_per_s != 0) settings.rates_bytes_per_s[1] = limits.down_bytes_per_s;
  return settings;
}

}  // namespace

bool is_net_asked(const Grant& grant, const policy::Schedule& schedule) {
  const auto grants = possible_grants(grant, schedule);
  return std::any_of(grants.begin(), grants.end(),
                     [](const Grant& one) { return policy::net_limits_of(one).is_any(); });
}

int check_net() {
  if (!netnice::is_own_proc())
    return fail(
        kExitToolFailed,
        "--net: /proc is not that of this process: sockets of others cannot be found; leave out --net");
  const int error = netnice::try_duplicates();
  if (error == 0) return 0;
  return fail(kExitToolFailed,
              "--net: sockets of other processes cannot be reached here (pidfd_getfd): {}; leave out --net",
              gray::cli::error_text(error));
}

NetHolder::NetHolder(protocol::Segment& segment, Udp udp) : segment_(segment) {
  const int ending = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  ending_ = gray::base::ScopedFd(ending < 0 ? -errno : ending);
  int error = holds_.is_there() ? ending_.error() : -ENOMEM;
  const policy::NetLimits limits = policy::net_limits_of(protocol::load_grant(segment));
  const bool has_rate = limits.up_bytes_per_s != 0 || limits.down_bytes_per_s != 0;
  // A rate may also come later.
  const std::string problem = error == 0 && udp == Udp::held ? holds_.gate().make() : "";
  if (has_rate && !problem.empty()) gray::cli::warn("--net: what goes by UDP is not held: {}", problem);
  if (error == 0) {
    guard_ = gray::base::ScopedFd(netnice::get_guard(holds_, end_like));
    error = guard_.error();
  }
  segment_.net.was_held.store(1, std::memory_order_relaxed);
  if (error != 0)
    status_ = fail(kExitToolFailed, "--net: no process is to be had that watches over the connections: {}",
                   gray::cli::error_text(error));
}

NetHolder::~NetHolder() {
  end();
}

void NetHolder::begin(netnice::Followed followed) {
  followed_ = std::move(followed);
  segment_.net.is_held.store(1, std::memory_order_relaxed);
  try {
    thread_ = std::thread([this] { work(); });
  } catch (const std::system_error&) {
    segment_.net.is_held.store(0, std::memory_order_relaxed);
    gray::cli::warn(
        "no thread is to be had to hold the network: what the job sends and receives is NOT HELD");
  }
}

void NetHolder::end() {
  if (thread_.joinable()) {
    eventfd_write(ending_.get(), 1);
    thread_.join();
  }
  if (holds_.is_there()) holds_.finish({});
}

// All signals are blocked here: the first thread of the launcher handles them.
void NetHolder::work() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  netnice::Engine engine({false, {}}, holds_, followed_, nullptr);
  hold(engine);
  engine.let_go();
  tell(engine);
  segment_.net.is_held.store(0, std::memory_order_relaxed);
}

void NetHolder::hold(netnice::Engine& engine) {
  policy::NetLimits limits;
  std::uint64_t rest_ns = 0;
  do {
    const policy::NetLimits now = policy::net_limits_of(protocol::load_grant(segment_));
    if (!(now == limits)) engine.change(settings_of(now));
    limits = now;
    rest_ns = engine.step(gray::base::monotonic_ns());
    tell(engine);
  } while (rest(rest_ns));
}

void NetHolder::tell(const netnice::Engine& engine) {
  protocol::Net& net = segment_.net;
  net.sent_bytes.store(engine.bytes(netnice::Way::up), std::memory_order_relaxed);
  net.received_bytes.store(engine.bytes(netnice::Way::down), std::memory_order_relaxed);
  net.connections.store(engine.connections(), std::memory_order_relaxed);
  net.udp_sockets.store(engine.udp_sockets(), std::memory_order_relaxed);
  net.mptcp_connections.store(engine.mptcp_connections(), std::memory_order_relaxed);
  net.refused_processes.store(engine.tree().refused(), std::memory_order_relaxed);
}

// Waits for this time. Returns false when the connections are no longer to be held.
bool NetHolder::rest(std::uint64_t time_ns) {
  constexpr std::uint64_t kSecondNs = 1'000'000'000;
  pollfd polled[] = {{ending_.get(), POLLIN, 0}, {guard_.get(), POLLIN, 0}};
  const timespec time{static_cast<time_t>(time_ns / kSecondNs), static_cast<long>(time_ns % kSecondNs)};
  if (ppoll(polled, 2, &time, nullptr) <= 0) return true;
  if (polled[0].revents != 0) return false;
  gray::cli::warn("its other process was killed: nothing is held on the network any more");
  return false;
}

}  // namespace discnice::cli
