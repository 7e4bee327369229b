// SPDX-License-Identifier: MIT
// process_means: without a group: parts of the processes are put out by the kernel's advice, or nothing but standing still is left.
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <map>

#include "libgray/src/memory/account_text.hpp"
#include "libgray/src/os/memory_os.hpp"
#include "toolbox/base/fd.hpp"
#include "toolbox/base/units.hpp"
#include "tools/memnice/allowance.hpp"
#include "tools/memnice/means.hpp"
#include "tools/memnice/stops.hpp"

namespace memnice {
namespace {

constexpr int kPutOut = 21;           // MADV_PAGEOUT
constexpr long kOpenProcess = 434;    // pidfd_open, of Linux 5.3
constexpr long kAdviseProcess = 440;  // process_madvise, of Linux 5.10
constexpr std::uint64_t kStepBytes = 16 * gray::base::kMiB;

// Memory of their own. What they map of files others may map, too, and it can be dropped.
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

// Puts parts of processes out, each from where the last time ended, so that all get their turn.
class AdviceMeans : public Means {
 public:
  [[nodiscard]] MeansKind kind() const override { return MeansKind::advice; }
  [[nodiscard]] std::string name() const override {
    return "advice to put parts of it out (process_madvise)";
  }
  int take_in(pid_t /*pid*/) override { return 0; }
  [[nodiscard]] std::uint64_t job_bytes(const std::vector<pid_t>& pids) const override {
    return bytes_of(pids);
  }

  void hold(std::uint64_t limit_bytes, const std::vector<pid_t>& pids) override {
    if (limit_bytes == kUnlimited) return;
    const std::uint64_t has_bytes = bytes_of(pids);
    if (has_bytes <= limit_bytes || pids.empty()) return;
    // Each gives up as large a part of what it has, and takes nothing meanwhile.
    const std::vector<pid_t> stopped = stop_running(pids);
    for (const pid_t pid : pids) {
      const double part = static_cast<double>(bytes_of({pid})) / static_cast<double>(has_bytes);
      put_out(pid, static_cast<std::uint64_t>(static_cast<double>(has_bytes - limit_bytes) * part));
    }
    let_go_on(stopped);
  }

  void end() override { hands_.clear(); }

 private:
  void put_out(pid_t pid, std::uint64_t bytes) {
    gray::base::ScopedFd process(static_cast<int>(syscall(kOpenProcess, pid, 0)));
    if (!process.is_open()) return;
    std::uint64_t& hand = hands_[pid];
    bytes = walk(process.get(), pid, hand, bytes);
    if (bytes > 0) {
      hand = 0;
      walk(process.get(), pid, hand, bytes);
    }
  }

  // From the hand's address on; what is left of `bytes` at the end.
  static std::uint64_t walk(int process, pid_t pid, std::uint64_t& hand, std::uint64_t bytes) {
    std::ifstream maps("/proc/" + std::to_string(pid) + "/maps");
    for (std::string line; bytes > 0 && std::getline(maps, line);) {
      char* end = nullptr;
      std::uint64_t from = std::strtoull(line.c_str(), &end, 16);
      const std::uint64_t till = *end == '-' ? std::strtoull(end + 1, nullptr, 16) : 0;
      for (from = std::max(from, hand); bytes > 0 && from < till;) {
        const std::uint64_t step = std::min({kStepBytes, till - from, bytes});
        const iovec range{reinterpret_cast<void*>(from), static_cast<std::size_t>(step)};
        if (syscall(kAdviseProcess, process, &range, 1, kPutOut, 0) < 0) break;
        from += step;
        hand = from;
        bytes -= step;
      }
    }
    return bytes;
  }

  std::map<pid_t, std::uint64_t> hands_;
};

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

// The kernel says whether we may, by a try on a page of a child of our own.
bool may_advise() {
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // and not: it waits for ever, since we were killed
    pause();
    _exit(0);
  }
  if (child < 0) return false;
  gray::base::ScopedFd process(static_cast<int>(syscall(kOpenProcess, child, 0)));
  // An empty range at an address that is sound anywhere.
  const iovec range{nullptr, 0};
  const bool may = process.is_open() && syscall(kAdviseProcess, process.get(), &range, 1, kPutOut, 0) >= 0;
  kill(child, SIGKILL);
  while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  return may;
}

}  // namespace

bool has_swap() {
  std::string text;
  return gray::os::read_text("/proc/meminfo", text) == 0 &&
         gray::memory::find_amount(text, "SwapFree:").value_or(0) > 0;
}

std::unique_ptr<Means> make_advice() {
  if (!has_swap() || !may_advise()) return nullptr;
  return std::make_unique<AdviceMeans>();
}

std::unique_ptr<Means> make_pause() {
  return std::make_unique<PauseMeans>();
}

}  // namespace memnice
