// SPDX-License-Identifier: MIT
// main: the main function of gb-run, which tells a program how much memory it may use, and runs it.
#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "libgray/src/memory/pools.hpp"
#include "toolbox/base/units.hpp"
#include "toolbox/cli/child.hpp"
#include "toolbox/cli/diagnostics.hpp"
#include "toolbox/cli/options.hpp"
#include "toolbox/cli/quantities.hpp"
#include "tools/gb-run/amounts.hpp"
#include "tools/gb-run/child.hpp"
#include "tools/gb-run/needs.hpp"
#include "tools/gb-run/options.hpp"

namespace {

using gray::memory::Allocator;

// A smaller change is not announced, because each announcement wakes the waiting processes.
constexpr std::uint64_t kMovedBytesMin = gray::base::kMiB;

const char* name_of(gray::memory::PoolKind kind) {
  switch (kind) {
    case gray::memory::PoolKind::group:
      return "the control group";
    case gray::memory::PoolKind::address_space:
      return "the limit of the address space (ulimit -v)";
    case gray::memory::PoolKind::data_segment:
      return "the limit of data (ulimit -d)";
    case gray::memory::PoolKind::commitment:
      return "what the kernel promises (vm.overcommit_memory)";
    case gray::memory::PoolKind::host:
      break;
  }
  return "the memory of this machine";
}

// The limit with the least capacity, and this capacity. Waiting does not change it.
std::string tightest_limit(const gray::memory::Request& request) {
  const gray::memory::HostAccounts accounts;
  std::vector<gray::memory::Pool> pools =
      accounts.shared_pools({request.cache, request.margin_bytes, request.has_files});
  for (gray::memory::Pool& pool : accounts.own_pools()) pools.push_back(std::move(pool));
  const auto least = std::min_element(pools.begin(), pools.end(), [](const auto& a, const auto& b) {
    return a.capacity_bytes < b.capacity_bytes;
  });
  if (least == pools.end()) return "the limit here ever allows";
  const std::string path = least->path.empty() ? "" : " '" + gray::cli::escape_controls(least->path) + "'";
  return fmt::format("{}{} ever allows: {}", name_of(least->kind), path,
                     gray::cli::format_bytes(least->capacity_bytes));
}

// A text that names the required memory. It is the subject of a sentence.
std::string least_memory(const gray::memory::Request& request) {
  const std::string least = gray::cli::format_bytes(request.min_bytes);
  if (request.beside_bytes == 0) return least;
  return fmt::format("{}, and {} that a program needs beside them,", least,
                     gray::cli::format_bytes(request.beside_bytes));
}

int fail_for_lack(const gb_run::Options& options, int error) {
  if (error == -ENODATA)  // it was known when the options were read
    return gray::cli::fail(gray::cli::kExitToolFailed, "how much memory is free is not known any more");
  const std::string least = least_memory(options.request);
  if (error == -ENOMEM)
    return gray::cli::fail(gray::cli::kExitSomeFailed, "{} are more than {}", least,
                           tightest_limit(options.request));
  return gray::cli::fail(gray::cli::kExitSomeFailed, "{} are not there{}", least,
                         error == -ETIMEDOUT ? " after the time to wait" : " now");
}

int print(Allocator& allocator, const gb_run::Options& options) {
  const auto estimate = allocator.estimate(options.request);
  if (!estimate) return fail_for_lack(options, estimate.error());
  return gray::cli::print_and_close(std::to_string(estimate.value().bytes) + "\n");
}

int run(Allocator& allocator, const gb_run::Options& options) {
  int claim = -1;
  const auto grant = allocator.promise(options.request, claim);
  if (!grant) return fail_for_lack(options, grant.error());
  const std::uint64_t bytes = grant.value().bytes;
  const std::uint64_t promised_bytes = bytes + options.request.beside_bytes;
  std::uint64_t told_bytes = promised_bytes;
  const auto follow = [&](std::uint64_t used_bytes) {
    const std::uint64_t pending_bytes = promised_bytes - std::min(used_bytes, promised_bytes);
    const std::uint64_t moved_bytes =
        std::max(pending_bytes, told_bytes) - std::min(pending_bytes, told_bytes);
    if (moved_bytes < kMovedBytesMin) return;
    told_bytes = pending_bytes;
    allocator.change_promise(claim, pending_bytes);
  };
  gb_run::Usage usage;
  const int status =
      gb_run::run_child(gb_run::fill_in(options.command, bytes, options.request.multiple_bytes, options.mark),
                        options.variables, bytes, follow, usage);
  allocator.end_promise(claim);
  if (!usage.has_run) return status;
  const auto need = gb_run::learn(options.known_need, bytes, usage.peak_bytes);
  if (need && need != options.known_need) gb_run::write_need(options.needs_file, options.program, *need);
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  gray::cli::occupy_standard_descriptors();
  gray::cli::set_program_name("gb-run");
  gb_run::Options options;
  if (const auto status = gb_run::read_options(argc, argv, options)) return *status;
  Allocator allocator;
  return options.is_print ? print(allocator, options) : run(allocator, options);
}
