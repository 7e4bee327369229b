// SPDX-License-Identifier: MIT
// pause_means: without a group nothing but standing still is left.
#include "libgray/src/memory/account_text.hpp"
#include "libgray/src/os/memory_os.hpp"
#include "toolbox/base/units.hpp"
#include "tools/memnice/means.hpp"

namespace memnice {
namespace {

// Other processes may map the same files, too, and the pages of files can be dropped.
std::uint64_t bytes_of(const std::vector<pid_t>& pids) {
  std::uint64_t sum_bytes = 0;
  for (const pid_t pid : pids) {
    std::string text;
    if (gray::os::read_text("/proc/" + std::to_string(pid) + "/status", text) != 0) continue;
    for (const char* key : {"RssAnon:", "RssShmem:"})
      sum_bytes += gray::memory::find_amount(text, key).value_or(0) * gray::base::kKiB;
  }
  return sum_bytes;
}

class PauseMeans : public Means {
 public:
  [[nodiscard]] MeansKind kind() const override { return MeansKind::pause; }
  [[nodiscard]] std::string name() const override { return "standing still while memory is short"; }
  int take_in(pid_t /*pid*/) override { return 0; }
  [[nodiscard]] std::uint64_t job_bytes(const std::vector<pid_t>& pids) const override {
    return bytes_of(pids);
  }
  void hold(std::uint64_t /*limit_bytes*/, const std::vector<pid_t>& /*pids*/) override {}
  void end() override {}
};

}  // namespace

bool has_swap() {
  std::string text;
  return gray::os::read_text("/proc/meminfo", text) == 0 &&
         gray::memory::find_amount(text, "SwapFree:").value_or(0) > 0;
}

std::unique_ptr<Means> make_pause() {
  return std::make_unique<PauseMeans>();
}

}  // namespace memnice
