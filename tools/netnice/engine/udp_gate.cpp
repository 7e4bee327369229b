// SPDX-License-Identifier: MIT
#include "tools/netnice/engine/udp_gate.hpp"

#include <algorithm>
#include <cerrno>
#include <fstream>

#include <fmt/core.h>
#include <sys/random.h>
#include <sys/shm.h>

#include "toolbox/base/units.hpp"
#include "toolbox/cli/diagnostics.hpp"
#include "toolbox/cli/preload.hpp"
#include "tools/discnice/processes/target.hpp"

namespace netnice {
namespace {

constexpr double kSmoothS = 0.1;
constexpr std::uint64_t kWantingNs = 100 * gray::base::kNanosecondsPerMillisecond;  // after the last wait
// Any process of the user may write the counts. What exceeds this cannot have moved.
constexpr double kUnheldMost = 1e11;  // bytes a second
constexpr double kHeldFactor = 2;
constexpr double kBurstBytes = 1 << 20;
constexpr double kCountMost = 1e18;  // a larger number has no place in a word

std::uint64_t possible_bytes(std::uint64_t told_bytes, std::uint64_t rate_bytes_per_s, double seconds) {
  const double most = rate_bytes_per_s == 0
                          ? kUnheldMost * seconds
                          : kHeldFactor * static_cast<double>(rate_bytes_per_s) * seconds + kBurstBytes;
  return std::min(told_bytes, static_cast<std::uint64_t>(std::min(most, kCountMost)));
}

}  // namespace

UdpGate::~UdpGate() {
  if (page_ != nullptr) shmdt(page_);
}

std::string UdpGate::make() {
  auto library = gray::cli::find_preload_library(
      {nullptr, "libnetnice.so", GRAY_LIBRARY_FROM_PROGRAM, GRAY_INSTALLED_LIBRARY});
  if (!library.problem.empty()) return library.problem;
  std::uint64_t token = 0;
  if (getrandom(&token, sizeof token, 0) != sizeof token) return gray::cli::error_text(errno);
  const auto made = gate::make(token, &name_);
  if (!made) return fmt::format("no shared memory is to be had ({})", gray::cli::error_text(made.error()));
  page_ = made.value();
  // Not every system lets a process attach memory that is marked for removal.
  const auto again = gate::attach(name_);
  if (again) shmdt(again.value());
  if (again) library_ = std::move(library.path);
  if (again) return "";
  shmdt(page_);
  page_ = nullptr;
  return fmt::format("shared memory cannot be attached twice ({})", gray::cli::error_text(again.error()));
}

std::pair<std::string, std::string> UdpGate::variable() const {
  return {gate::kVariable, fmt::format("{}-{}", name_.id, name_.token)};
}

void UdpGate::look(std::uint64_t now_ns) {
  if (page_ == nullptr) return;
  page_->beat_ns.store(now_ns, std::memory_order_relaxed);
  for (const Way way : kWays) look_at(way, now_ns);
  looked_ns_ = now_ns;
}

void UdpGate::look_at(Way way, std::uint64_t now_ns) {
  UdpFlow& flow = flows_[static_cast<int>(way)];
  gate::Lane& lane = lane_of(way);
  const double seconds = static_cast<double>(std::max<std::uint64_t>(now_ns - looked_ns_, 1)) /
                         gray::base::kNanosecondsPerSecond;
  const std::uint64_t told = lane.moved_bytes.exchange(0, std::memory_order_relaxed);
  flow.tick_bytes =
      looked_ns_ == 0 ? 0
                      : possible_bytes(told, lane.rate_bytes_per_s.load(std::memory_order_relaxed), seconds);
  flow.bytes += flow.tick_bytes;
  const double weight = std::min(seconds / kSmoothS, 1.0);
  flow.rate_bytes_per_s += weight * (static_cast<double>(flow.tick_bytes) / seconds - flow.rate_bytes_per_s);
  const std::uint64_t wanted_ns = lane.wanted_ns.load(std::memory_order_relaxed);
  flow.is_wanting = wanted_ns + kWantingNs > now_ns && wanted_ns < now_ns + kWantingNs;
}

void UdpGate::set(Way way, double rate_bytes_per_s) {
  if (page_ == nullptr) return;
  lane_of(way).rate_bytes_per_s.store(
      static_cast<std::uint64_t>(std::clamp(rate_bytes_per_s, 1.0, kCountMost)), std::memory_order_relaxed);
}

void UdpGate::let_go() {
  if (page_ == nullptr) return;
  for (const Way way : kWays) lane_of(way).rate_bytes_per_s.store(0, std::memory_order_relaxed);
}

bool UdpGate::is_active() const {
  return std::any_of(std::begin(flows_), std::end(flows_),
                     [](const UdpFlow& flow) { return flow.tick_bytes != 0 || flow.is_wanting; });
}

// The memory map tells the identifier of attached memory as an inode number. A program in Go has the library, too, and sends past it.
bool UdpGate::is_in(pid_t pid) const {
  if (page_ == nullptr) return false;
  std::ifstream map(fmt::format("/proc/{}/maps", pid));
  const std::string wanted = fmt::format(" {} ", name_.id);
  bool is_attached = false;
  for (std::string line; !is_attached && std::getline(map, line);)
    is_attached = line.find("/SYSV") != std::string::npos && line.find(wanted) != std::string::npos;
  return is_attached && discnice::processes::obstacle_of(fmt::format("/proc/{}/exe", pid)).empty();
}

}  // namespace netnice
