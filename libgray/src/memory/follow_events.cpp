// SPDX-License-Identifier: MIT
#include "libgray/src/memory/follow_events.hpp"

#include <cerrno>

#include "libgray/src/memory/pressure.hpp"

namespace gray::memory {

FollowEvents::FollowEvents(const Claims& claims, const HostAccounts& accounts) : joined_fd_(-ENOTSUP) {
  if (const auto watch = claims.watch()) sources_.push_back({watch.value(), true});
  if (const auto limits = os::watch_writes(accounts.limit_files()))
    sources_.push_back({limits.value(), true});
  if (const auto pressure = open_pressure(accounts)) sources_.push_back(pressure.value());
  if (sources_.empty()) return;
  const auto joined = os::join_events(sources_.data(), sources_.size());
  if (joined) joined_fd_ = joined.value();
}

FollowEvents::~FollowEvents() {
  for (const os::EventSource& source : sources_) os::close_event(source);
  if (joined_fd_ >= 0) os::close_event({joined_fd_, true});
}

void FollowEvents::forget() {
  os::wait_for_events(sources_.data(), sources_.size(), 0);
}

bool FollowEvents::wait(std::uint64_t timeout_ns) {
  return os::wait_for_events(sources_.data(), sources_.size(), timeout_ns) >= 0;
}

}  // namespace gray::memory
