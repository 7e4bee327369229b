// SPDX-License-Identifier: MIT
// main: of gb-run, which runs a program with as much memory as is there.
#include <cerrno>

#include "libgray/src/os/shared_os.hpp"
#include "toolbox/cli/diagnostics.hpp"
#include "toolbox/cli/options.hpp"
#include "toolbox/cli/quantities.hpp"
#include "tools/gb-run/amounts.hpp"
#include "tools/gb-run/child.hpp"
#include "tools/gb-run/options.hpp"

namespace {

using gray::memory::Allocator;

int fail_for_lack(const gb_run::Options& options, int error) {
  const std::string least = gray::cli::format_bytes(options.request.min_bytes);
  if (error == -ENOMEM)
    return gray::cli::fail(gray::cli::kExitSomeFailed, "{} are more than the limit here ever allows", least);
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
  const auto follow = [&](std::uint32_t pid) {
    const std::uint64_t used = gray::os::anonymous_bytes_of_tree(pid);
    allocator.change_promise(claim, used < bytes ? bytes - used : 0);
  };
  return gb_run::run_child(gb_run::fill_in(options.command, bytes, options.request.multiple_bytes),
                           options.variables, bytes, follow);
}

}  // namespace

int main(int argc, char** argv) {
  gray::cli::set_program_name("gb-run");
  gb_run::Options options;
  if (const auto status = gb_run::read_options(argc, argv, options)) return *status;
  Allocator allocator;
  return options.is_print ? print(allocator, options) : run(allocator, options);
}
