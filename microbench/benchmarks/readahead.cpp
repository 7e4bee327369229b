// SPDX-License-Identifier: MIT
// readahead: measures how far the kernel reads ahead, by reading and then checking which pages have arrived. It does not read the setting in /sys.
//
// estimate/readahead makes the inference; this file provides the real file for it.
#include <algorithm>
#include <optional>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "microbench/curve.hpp"
#include "microbench/estimate/readahead_rules.hpp"
#include "microbench/registry_list.hpp"
#include "microbench/test_file.hpp"

namespace microbench {
namespace {

// On a kernel that counts a page only after the page has arrived, a window counts as complete when the count has not changed for this
// time.
constexpr useconds_t kSettleUs = 500;
constexpr int kSettleTries = 200;

constexpr Output kOutputs[] = {
    {"disk.readahead_max_bytes", "bytes", "arrivals", "largest window the kernel reads ahead",
     "libgray/src/filecache, tools/gbp", "", true},
    {"disk.readahead_initial_bytes", "bytes", "arrivals", "what reading a file's first byte brings", "",
     "what a program really reads that looks at the beginning of each of many files", true},
    {"disk.readahead_restart_bytes", "bytes", "arrivals",
     "the first window of a stream that begins inside a file", "",
     "what a program really reads that begins inside a file and goes on for a page or two", true},
    {"disk.readahead_random_bytes", "bytes", "arrivals", "what a read elsewhere brings", "",
     "what each small read elsewhere really costs: above a page POSIX_FADV_RANDOM spares the rest", true},
    {"disk.readahead_is_reset", "1", "arrivals", "1 if one read elsewhere makes a stream start small again",
     "", "whether a program that reads a file in order and looks elsewhere in between should open it twice",
     true},
    {"disk.readahead_rules", "1", "arrivals",
     "by which rules the kernel reads ahead, as bits; 0: as Linux 6.17 and later", "tools/discnice/cli", "",
     true},
    {"disk.readahead_curve", "bytes", "arrivals", "the first, second, ... window of a stream",
     "microbench report", "", true, Kind::kCurve},
};

class RealFile : public estimate::RulesSubject {
 public:
  explicit RealFile(TestFile& file) : file_(file) {}

  void start_over() override {
    file_.evict();
    if (file_.resident(0, file_.pages()) != 0U)
      throw NotAvailable("pages of the test file cannot be dropped");
    open_anew();
  }

  void open_anew() override {
    stream_ = file_.reopen(O_RDONLY);
    if (!stream_.is_open()) throw NotAvailable("the test file cannot be opened again");
  }

  void read_page(std::uint64_t page) override {
    read_all(stream_.get(), file_.buffer(), kPageBytes, page * kPageBytes);
  }

  void read(std::uint64_t first, std::uint64_t count) override {
    constexpr std::uint64_t kMost = TestFile::kRequestBytesMax / kPageBytes;
    for (std::uint64_t done = 0; done < count; done += kMost)
      read_all(stream_.get(), file_.buffer(), std::min(count - done, kMost) * kPageBytes,
               (first + done) * kPageBytes);
    if (!file_.sees_pages_on_their_way()) wait_for_all();
  }

  void bring_in(std::uint64_t first, std::uint64_t count) override {
    read_all(file_.fd(), file_.buffer(), count * kPageBytes, first * kPageBytes);
  }

  std::uint64_t resident(std::uint64_t first, std::uint64_t count) override {
    std::uint64_t now = file_.resident(first, count).value_or(0);
    if (now == 0 || now == count) return now;  // no page was requested, or all have arrived
    for (int i = 0; i < kSettleTries; ++i) {
      usleep(kSettleUs);
      const std::uint64_t later = file_.resident(first, count).value_or(0);
      if (later == now) break;
      now = later;
    }
    return now;
  }

  [[nodiscard]] std::uint64_t pages() const override { return file_.pages(); }

 private:
  // Waits until no page has arrived for as long as a seek takes on a slow disk.
  void wait_for_all() {
    constexpr int kQuietLooks = 20;
    constexpr int kLooksMax = 1000;
    std::uint64_t before = file_.resident(0, file_.pages()).value_or(0);
    for (int looks = 0, quiet = 0; looks < kLooksMax && quiet < kQuietLooks; ++looks) {
      usleep(kSettleUs);
      const std::uint64_t now = file_.resident(0, file_.pages()).value_or(0);
      quiet = now == before ? quiet + 1 : 0;
      before = now;
    }
  }

  TestFile& file_;
  gray::base::ScopedFd stream_;
};

class ReadaheadSession : public Session {
 public:
  explicit ReadaheadSession(const Context& context) : Session(context) {
    if (!context.file->knows_residency())
      throw NotAvailable("the kernel does not tell which pages are in memory");
  }

  void round() override {
    RealFile file(*context().file);
    rounds_.push_back(estimate::observe_readahead(file));
    rules_.push_back(
        estimate::observe_readahead_rules(file, rounds_.back().is_max_known ? rounds_.back().max_pages : 0));
  }

  [[nodiscard]] std::size_t rounds_min() const override { return 3; }
  [[nodiscard]] std::size_t rounds_max() const override { return 3; }

  [[nodiscard]] std::vector<Finding> findings() const override {
    const estimate::Readahead& found = typical();
    const auto bytes = [](std::uint64_t pages) { return static_cast<double>(pages * kPageBytes); };
    const std::uint64_t count = rounds_.size();
    std::vector<Finding> all{
        {"disk.readahead_initial_bytes", bytes(found.initial_pages), 0, count},
        {"disk.readahead_random_bytes", bytes(found.random_pages), 0, count},
        {"disk.readahead_restart_bytes", bytes(found.restart_pages), 0, count},
        {"disk.readahead_is_reset", found.is_reset_by_seek ? 1.0 : 0.0, 0, count},
    };
    if (found.is_max_known) all.push_back({"disk.readahead_max_bytes", bytes(found.max_pages), 0, count});
    if (const auto rules = agreed_rules()) all.push_back({"disk.readahead_rules", *rules, 0, count});
    for (std::size_t i = 0; i < found.windows.size() && found.max_pages > 0; ++i) {
      all.push_back({point_key("disk.readahead_curve", i + 1, "bytes"), bytes(found.windows[i]), 0, count});
    }
    return all;
  }

 private:
  // Rounds agree unless another program disturbed them. So the result is the round whose limit most other rounds found as well.
  [[nodiscard]] const estimate::Readahead& typical() const {
    std::size_t best = 0;
    std::size_t best_votes = 0;
    for (std::size_t i = 0; i < rounds_.size(); ++i) {
      std::size_t votes = 0;
      for (const auto& other : rounds_)
        votes += other.max_pages == rounds_[i].max_pages && other.is_max_known;
      if (votes > best_votes) best = i, best_votes = votes;
    }
    return rounds_[best];
  }

  // The rules that most rounds have found. A read by another program can make the result of a round wrong.
  [[nodiscard]] std::optional<double> agreed_rules() const {
    for (const auto& one : rules_) {
      std::size_t votes = 0;
      for (const auto& other : rules_) votes += other.are_told && other.rules == one.rules ? 1 : 0;
      if (one.are_told && 2 * votes > rules_.size()) return static_cast<double>(one.rules);
    }
    return std::nullopt;
  }

  std::vector<estimate::Readahead> rounds_;
  std::vector<estimate::ReadaheadRulesFound> rules_;
};

}  // namespace

extern const Benchmark kReadahead{"readahead",
                                  "read-ahead",
                                  "A cold file is read page by page, and after each read the kernel says how "
                                  "far the pages in memory reach: every jump "
                                  "is a window. Seen three times.",
                                  Needs::kTestFile,
                                  Effort::kQuick,
                                  kOutputs,
                                  make_session<ReadaheadSession>};

}  // namespace microbench
