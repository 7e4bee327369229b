// SPDX-License-Identifier: MIT
#include "tools/heapnice/change_log.hpp"

#include <fmt/format.h>

#include "libgray/src/os/memory_os.hpp"
#include "toolbox/base/units.hpp"
#include "toolbox/cli/diagnostics.hpp"
#include "toolbox/cli/quantities.hpp"

namespace heapnice {
namespace {

constexpr std::size_t kChangesMax = 10'000;  // a limit for a server that runs for months

std::string signed_bytes(std::int64_t bytes) {
  if (bytes >= 0) return gray::cli::format_bytes(static_cast<std::uint64_t>(bytes));
  return "-" + gray::cli::format_bytes(static_cast<std::uint64_t>(-bytes));
}

}  // namespace

ChangeLog::ChangeLog(const char* runtime, bool is_verbose)
    : is_verbose_(is_verbose), start_ns_(gray::os::now_ns()) {
  account_.runtime = runtime;
}

void ChangeLog::note(const std::string& text) {
  gray::cli::write_diagnostic(text);
  account_.notes.push_back(text);
}

void ChangeLog::change(Change change) {
  change.after_ns = gray::os::now_ns() - start_ns_;
  if (account_.changes.size() < kChangesMax) {
    account_.changes.push_back(change);
  } else {
    ++account_.changes_dropped;
  }
  if (!is_verbose_) return;
  gray::cli::write_diagnostic(
      fmt::format("{:.1f} s: {} {}: {} to {} ({}); it has {}, of that {} live, room beside it {}",
                  static_cast<double>(change.after_ns) / gray::base::kNanosecondsPerSecond, account_.runtime,
                  change.pid, name_of(change.verdict), gray::cli::format_bytes(change.bytes),
                  name_of(change.reason), gray::cli::format_bytes(change.heap_bytes),
                  gray::cli::format_bytes(change.live_bytes), signed_bytes(change.room_bytes)));
}

const char* name_of(gray::memory::FollowVerdict verdict) {
  switch (verdict) {
    case gray::memory::FollowVerdict::grow:
      return "grow";
    case gray::memory::FollowVerdict::shrink:
      return "shrink";
    case gray::memory::FollowVerdict::stay:
      break;
  }
  return "stay";
}

const char* name_of(gray::memory::FollowReason reason) {
  switch (reason) {
    case gray::memory::FollowReason::first:
      return "first look";
    case gray::memory::FollowReason::room:
      return "room";
    case gray::memory::FollowReason::pressure:
      return "pressure";
    case gray::memory::FollowReason::live:
      return "live data";
    case gray::memory::FollowReason::none:
      break;
  }
  return "none";
}

}  // namespace heapnice
