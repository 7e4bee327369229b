// SPDX-License-Identifier: MIT
#include "tools/discnice/processes/coverage.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <system_error>

#include <fmt/core.h>
#include <unistd.h>

#include "toolbox/base/clock.hpp"
#include "tools/discnice/processes/kernel_account.hpp"
#include "tools/discnice/processes/processes.hpp"
#include "tools/discnice/processes/target.hpp"
#include "tools/discnice/protocol/members.hpp"

namespace discnice::processes {
namespace {

using protocol::Counter;

// The preloaded libraries come before libc. While libc is not mapped yet, the loader is still at work. On a busy disk this takes longer than the time between two looks.
bool is_being_loaded(const std::string& maps) {
  constexpr const char* kLibcs[] = {"/libc.so", "/libc-", "/ld-musl-"};
  return std::none_of(std::begin(kLibcs), std::end(kLibcs),
                      [&maps](const char* libc) { return maps.find(libc) != std::string::npos; });
}

std::uint64_t beyond(std::uint64_t all, std::uint64_t part) {
  return all > part ? all - part : 0;
}

}  // namespace

Coverage coverage_of(pid_t pid, const std::string& library) {
  const std::string maps = read_proc(pid, "maps");
  if (maps.empty()) {
    // A dead process has no maps either. The maps of another user's process cannot be read.
    const bool is_foreign = access(fmt::format("/proc/{}/maps", pid).c_str(), R_OK) != 0 &&
                            access(fmt::format("/proc/{}", pid).c_str(), F_OK) == 0;
    return {false, is_foreign ? "runs with somebody else's rights (set-user-ID)" : ""};
  }
  Identity identity;
  std::error_code error;
  // The program is read through the link, which also works when the program's name does not: when the program was removed, or lies in another mount namespace.
  const std::string program = fmt::format("/proc/{}/exe", pid);
  if (std::filesystem::read_symlink(program, error).empty() || !read_identity(pid, identity)) return {};
  const std::string obstacle = obstacle_of(program);
  if (!obstacle.empty()) return {false, obstacle};
  if (identity.user != geteuid())
    return {false, fmt::format("runs as another user ({}) than the job's", identity.user)};
  const std::string environment = environment_of(pid);
  const std::string disabled = variable_of(environment, "DISCNICE_DISABLE");
  if (!disabled.empty() && disabled != "0") return {false, "was started with DISCNICE_DISABLE", true};
  if (maps.find("/" + library) != std::string::npos) return {true, ""};
  if (is_being_loaded(maps)) return {};
  const bool has_preload = variable_of(environment, "LD_PRELOAD").find(library) != std::string::npos;
  return {false, has_preload ? "did not load it" : "was started with a scrubbed environment"};
}

bool is_held_from_outside(const protocol::Segment& segment, pid_t pid, const Coverage& coverage) {
  constexpr std::uint64_t kMomentNs = 1'000'000'000;
  if (coverage.is_covered) return false;
  const protocol::Member* member =
      protocol::find_member(segment, {static_cast<std::uint32_t>(pid), protocol::own_pid_namespace(segment)});
  return member != nullptr &&
         gray::base::monotonic_ns() - member->settled_at_ns.load(std::memory_order_relaxed) < kMomentNs;
}

bool is_left_alone(const protocol::Segment& segment, const std::string& name) {
  return std::any_of(std::begin(segment.options.excluded), std::end(segment.options.excluded),
                     [&name](const auto& excluded) {
                       return excluded[0] != '\0' &&
                              std::strncmp(excluded, name.c_str(), sizeof excluded) == 0;
                     });
}

std::string AccountWatch::look(const protocol::Segment& segment, pid_t pid) {
  const auto account = own_account_of(pid);
  if (!account) return "";
  const protocol::Member* member = protocol::find_member(segment, {static_cast<std::uint32_t>(pid)});
  if (member == nullptr && protocol::has_shared_slot(segment))
    return "";  // the process may share a slot with others
  Seen seen;
  if (member != nullptr) seen.settled_at_ns = member->settled_at_ns.load(std::memory_order_relaxed);
  const auto before = before_.find(pid);
  const bool is_settled_since = before == before_.end() || before->second.settled_at_ns != seen.settled_at_ns;
  if (is_settled_since) {
    seen.called_read_bytes = account->called_read_bytes;
    seen.called_write_bytes = account->called_write_bytes;
  } else {
    seen = before->second;
  }
  now_[pid] = seen;
  const auto outruns = [member](std::uint64_t kernel_bytes, Counter settled, std::uint64_t called_bytes) {
    const std::uint64_t settled_bytes = member == nullptr ? 0 : protocol::get(*member, settled);
    return std::min(beyond(kernel_bytes, settled_bytes), called_bytes) > kUnsettledBytesMax;
  };
  const bool is_past_us = outruns(account->read_bytes, Counter::settled_read_bytes,
                                  beyond(account->called_read_bytes, seen.called_read_bytes)) ||
                          outruns(account->write_bytes, Counter::settled_write_bytes,
                                  beyond(account->called_write_bytes, seen.called_write_bytes));
  if (!is_past_us) return "";
  Identity identity;
  // The process's member has a process number of another namespace, which this process cannot know.
  if (!read_identity(pid, identity) || identity.is_in_own_pid_space) return "";
  return "makes its system calls past the library";
}

void AccountWatch::forget_others() {
  before_ = std::move(now_);
  now_.clear();
}

}  // namespace discnice::processes
