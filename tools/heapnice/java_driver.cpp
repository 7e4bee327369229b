// SPDX-License-Identifier: MIT
// java_driver: finds the JVM of a command or of its descendants, and changes its heap to the advised size.
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "libgray/src/memory/follower.hpp"
#include "libgray/src/os/memory_os.hpp"
#include "toolbox/base/units.hpp"
#include "toolbox/cli/diagnostics.hpp"
#include "toolbox/cli/quantities.hpp"
#include "tools/heapnice/change_log.hpp"
#include "tools/heapnice/driver.hpp"
#include "tools/heapnice/java_attach.hpp"
#include "tools/heapnice/java_counters.hpp"
#include "tools/heapnice/java_flags.hpp"
#include "tools/heapnice/java_lever.hpp"
#include "tools/heapnice/java_start.hpp"
#include "tools/heapnice/live_data.hpp"
#include "tools/heapnice/process_tree.hpp"

namespace heapnice {
namespace {

constexpr std::uint64_t kSearchNs = 50'000'000;  // the first pause between searches
constexpr std::uint64_t kSearchLastNs = 1'000'000'000;
constexpr std::uint64_t kLookNs = 200'000'000;
// The least time between two questions to libgray, even if events come more often.
constexpr std::uint64_t kAskMinNs = 20'000'000;

/// One JVM whose counters exist.
class Jvm {
 public:
  Jvm(int pid, std::string counters, const Options& options)
      : pid_(pid), counters_(std::move(counters)), options_(options), attach_(pid) {}

  [[nodiscard]] int pid() const { return pid_; }
  [[nodiscard]] bool is_left_alone() const { return is_left_alone_; }
  [[nodiscard]] unsigned ordered() const { return lever_ ? lever_->ordered() : 0; }
  [[nodiscard]] int fd() const { return follower_ ? follower_->fd() : -1; }

  // False: the JVM is gone.
  bool look(ChangeLog& log) {
    const std::string bytes = read_counters(counters_);
    const auto heap = parse_counters(bytes);
    if (!heap) return !bytes.empty();
    if (!lever_) {
      open(bytes, log);
    } else if (!is_left_alone_) {
      follow(*heap, log);
    }
    return true;
  }

 private:
  void leave_alone(ChangeLog& log, const std::string& why) {
    is_left_alone_ = true;
    log.note(fmt::format("java {} {}: its heap stays as it is", pid_, why));
  }

  void open(const std::string& bytes, ChangeLog& log) {
    if (is_left_alone_) return;
    if (!does_take_orders(bytes)) return leave_alone(log, "takes no orders (-XX:+DisableAttachMechanism)");
    const auto state = attach_.open();
    if (state == JavaAttach::State::refused) leave_alone(log, attach_.problem());
    if (state != JavaAttach::State::open) return;
    std::string text;
    if (attach_.ask("jcmd", "VM.flags -all", "", text) != 0)
      return leave_alone(log, "does not tell its flags");
    const JavaFlags flags = parse_flags(text);
    lever_.emplace(attach_, flags);
    log.set_collector(name_of(flags.collector));
    is_collecting_told_ = flags.collector == Collector::serial || flags.collector == Collector::g1;
    if (const std::string obstacle = lever_->obstacle(); !obstacle.empty())
      return leave_alone(log, "cannot shrink: " + obstacle);
    gray::memory::Followed followed;
    followed.pid = static_cast<std::uint32_t>(pid_);
    followed.min_bytes = options_.min_bytes;
    followed.max_bytes = std::min(options_.max_bytes, std::max(flags.max_heap_bytes, gray::base::kMiB));
    followed.min_bytes = std::min(followed.min_bytes, followed.max_bytes);
    followed.pools = options_.pools;
    follower_ = std::make_unique<gray::memory::Follower>(followed);
  }

  void follow(const JavaHeap& heap, ChangeLog& log) {
    const std::uint64_t now_ns = gray::os::now_ns();
    if (now_ns - asked_ns_ < kAskMinNs) return;
    asked_ns_ = now_ns;
    live_.take(heap);
    gray::memory::HeapUse use;
    use.heap_bytes = heap.committed_bytes;
    use.live_bytes = live_.bytes();
    use.is_collecting_known = is_collecting_told_;
    use.collecting_ns = heap.collecting_ns - std::min(heap.collecting_ns, collecting_ns_);
    collecting_ns_ = heap.collecting_ns;
    const auto answer = follower_->ask(use);
    if (!answer) {
      if (answer.error() != -ESRCH)
        leave_alone(log, "is left alone: how much memory is free is not known any more");
      return;
    }
    if (answer.value().verdict != gray::memory::FollowVerdict::stay)
      log.change({0, pid_, answer.value().verdict, answer.value().reason, answer.value().bytes,
                  heap.committed_bytes, use.live_bytes, answer.value().room_bytes});
    const int error = lever_->move(answer.value().bytes, heap, use.live_bytes, answer.value().room_bytes < 0);
    failures_ = error == 0 ? 0 : failures_ + 1;
    if (failures_ == kFailuresMax) leave_alone(log, "does not take orders: " + gray::cli::error_text(error));
  }

  static constexpr int kFailuresMax = 20;

  int pid_;
  std::string counters_;
  const Options& options_;
  JavaAttach attach_;
  std::optional<JavaLever> lever_;
  std::unique_ptr<gray::memory::Follower> follower_;
  LiveData live_;
  std::uint64_t collecting_ns_ = 0;
  std::uint64_t asked_ns_ = 0;
  int failures_ = 0;
  bool is_collecting_told_ = false;
  bool is_left_alone_ = false;
};

class JavaDriver : public Driver {
 public:
  explicit JavaDriver(const Options& options) : options_(options), log_("java", options.is_verbose) {}

  void prepare() override {
    const std::string added = added_options(look_at_start(options_.command), options_.max_bytes);
    if (added.empty()) return;
    const char* before = std::getenv("JAVA_TOOL_OPTIONS");
    const std::string value = before == nullptr || *before == '\0' ? added : added + " " + before;
    setenv("JAVA_TOOL_OPTIONS", value.c_str(), 1);
    log_.set_environment("JAVA_TOOL_OPTIONS=" + value);
    log_.note("java is given " + added + " (JAVA_TOOL_OPTIONS)");
  }

  gray::cli::ChildPause look(pid_t child) override {
    if (jvm_ && !jvm_->look(log_)) {
      log_.add_ordered(jvm_->ordered());
      jvm_.reset();
    }
    if (!jvm_) search(child);
    if (!jvm_) {
      search_ns_ = std::min(2 * search_ns_, kSearchLastNs);
      return {search_ns_, -1};
    }
    search_ns_ = kSearchNs;
    log_.set_ordered_now(jvm_->ordered());
    return {jvm_->fd() < 0 && !jvm_->is_left_alone() ? kSearchNs : kLookNs,
            jvm_->is_left_alone() ? -1 : jvm_->fd()};
  }

  [[nodiscard]] const Account& account() const override { return log_.account(); }

 private:
  // Finds the JVM with the largest heap among those that have started, because a tool's launcher is often a JVM, too.
  void search(pid_t child) {
    std::uint64_t largest_bytes = 0;
    for (const int pid : processes_below(child)) {
      std::string maps;
      if (gray::os::read_text("/proc/" + std::to_string(pid) + "/maps", maps) != 0) continue;
      const std::string path = counters_path(maps, pid, last_status_word(pid, "NSpid"));
      const auto heap = path.empty() ? std::nullopt : parse_counters(read_counters(path));
      if (!heap || heap->committed_bytes <= largest_bytes) continue;
      largest_bytes = heap->committed_bytes;
      jvm_ = std::make_unique<Jvm>(pid, path, options_);
    }
  }

  const Options& options_;
  ChangeLog log_;
  std::unique_ptr<Jvm> jvm_;
  std::uint64_t search_ns_ = kSearchNs / 2;
};

}  // namespace

std::unique_ptr<Driver> make_java_driver(const Options& options) {
  return std::make_unique<JavaDriver>(options);
}

}  // namespace heapnice
