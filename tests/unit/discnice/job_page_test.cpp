// SPDX-License-Identifier: MIT
// job_page_test: a recording's figures land in the right span of time and at the right file, and a page shows all of them and no others.
//
// Left out: the page's look (tests/system/html_pages_test.sh).
#include "tools/discnice/cli/job_page.hpp"

#include <cstring>
#include <numeric>
#include <sstream>

#include "tests/support/catch.hpp"
#include "tests/unit/discnice/recording.hpp"
#include "tools/discnice/policy/registry.hpp"

namespace {

using namespace discnice;
using cli::HistoryMaker;
using cli::JobHistory;
using protocol::RecordType;
using test::taken;

constexpr std::uint64_t kStartNs = 5'000'000'000;
constexpr std::uint64_t kSecondNs = 1'000'000'000;

void begin(HistoryMaker& maker) {
  protocol::ProcessRecord process{};
  process.head.pid = 7;
  process.time_ns = kStartNs;
  maker.take(taken(process, RecordType::process));
}

// A read of `bytes` that was requested at `asked_ns` and started at `went_ns`.
void read(HistoryMaker& maker, std::uint64_t number, std::uint64_t inode, std::uint64_t asked_ns,
          std::uint64_t went_ns, std::uint64_t bytes) {
  protocol::OperationRecord operation{};
  operation.number = number;
  operation.time_ns = asked_ns;
  operation.device = 1;
  operation.inode = inode;
  operation.predicted_read_bytes = bytes;
  maker.take(taken(operation, RecordType::operation, protocol::kOperationFixedBytes));
  if (went_ns > asked_ns) {
    protocol::WaitRecord wait{};
    wait.start_ns = asked_ns;
    wait.waited_ns = went_ns - asked_ns;
    maker.take(taken(wait, RecordType::wait));
  }
  protocol::OutcomeRecord outcome{};
  outcome.number = number;
  outcome.result = static_cast<std::int64_t>(bytes);
  outcome.kernel_read_bytes = bytes;
  outcome.went_ns = went_ns;
  maker.take(taken(outcome, RecordType::outcome));
}

void name(HistoryMaker& maker, std::uint64_t inode, const char* path) {
  protocol::NameRecord record{};
  record.device = 1;
  record.inode = inode;
  std::strcpy(record.path, path);
  maker.take(taken(record, RecordType::name));
}

std::uint64_t waited(const JobHistory& history) {
  return std::accumulate(
      history.spans.begin(), history.spans.end(), std::uint64_t{0},
      [](std::uint64_t sum, const cli::HistorySpan& span) { return sum + span.waited_ns; });
}

std::string page_of(const JobHistory& history, const std::optional<std::vector<cli::NamedStack>>& stacks = {},
                    std::uint64_t rate = 0) {
  protocol::RecordFileHeader header{};
  header.version = protocol::kRecordVersion;
  header.policy_id = rate != 0 ? policy::kRateWindowId : policy::kUnlimitedId;
  header.rate_bytes_per_s = rate;
  return cli::job_page(header, history, stacks);
}

bool has(const std::string& page, const char* words) {
  return page.find(words) != std::string::npos;
}

TEST_CASE("bytes count when the call went, and a wait where it was, however long the job is") {
  for (const std::uint64_t scale : {UINT64_C(1), UINT64_C(50), UINT64_C(5000)}) {
    HistoryMaker maker;
    begin(maker);
    read(maker, 1, 10, kStartNs, kStartNs + 3 * scale * kSecondNs, 1000);
    read(maker, 2, 11, kStartNs + 4 * scale * kSecondNs, kStartNs + 8 * scale * kSecondNs, 500);
    const JobHistory history = maker.result();
    CAPTURE(scale, history.span_ns, history.spans.size());
    CHECK(history.duration_ns == 8 * scale * kSecondNs);
    CHECK(history.spans.size() <= 8192);
    CHECK(history.waited_ns == 7 * scale * kSecondNs);
    CHECK(waited(history) == history.waited_ns);
    CHECK(history.spans[3 * scale * kSecondNs / history.span_ns].bytes.kernel_read == 1000);
    CHECK(history.spans[7 * scale * kSecondNs / 2 / history.span_ns].waited_ns == 0);
    CHECK(history.spans.back().bytes.kernel_read == 500);
  }
}

TEST_CASE("files are told by name, the one that moved most first; processes are counted once") {
  HistoryMaker maker;
  begin(maker);
  begin(maker);  // the process executes another program
  name(maker, 11, "/data/<small>");
  name(maker, 12, "/data/never touched");
  read(maker, 1, 10, kStartNs, kStartNs, 1000);
  read(maker, 2, 11, kStartNs, kStartNs, 500);
  const JobHistory history = maker.result();
  REQUIRE(history.files.size() == 2);
  CHECK(history.files[0].inode == 10);
  CHECK(history.files[0].name.empty());
  CHECK(history.files[1].name == "/data/<small>");
  CHECK(history.processes == 1);
  const std::string page = page_of(history);
  CHECK(has(page, "/data/&lt;small&gt;"));
  CHECK(has(page, "file 10 of device"));
}

TEST_CASE("a page draws its limit, says what was not recorded, and is whole without any call") {
  HistoryMaker maker;
  begin(maker);
  CHECK(has(page_of(maker.result()), "No call on a file"));
  read(maker, 1, 10, kStartNs, kStartNs + kSecondNs, 1 << 20);
  const JobHistory history = maker.result();
  CHECK(has(page_of(history, {}, 5 << 20), "limit at the start: 5.00 MiB/s"));
  CHECK_FALSE(has(page_of(history), "limit at the start"));
  CHECK(has(page_of(history), "is not in a recording: &#39;discnice --profile"));
  CHECK_FALSE(has(page_of(history), "nan"));
  const std::vector<cli::NamedStack> stacks = {{{"[p]", "main", "f<g>"}, 1 << 20, 0}};
  CHECK(has(page_of(history, stacks), "f&lt;g&gt;"));
}

TEST_CASE("folded stacks are read as they are written, and anything else is refused by its line") {
  const std::vector<cli::NamedStack> stacks = {{{"[p]", "main", "read all"}, 500, 20},
                                               {{"[p]", "main"}, 0, 7}};
  std::string problem;
  std::istringstream text(cli::folded_text(stacks));
  const auto again = cli::read_folded(text, "FILE", problem);
  CHECK(problem.empty());
  CHECK(cli::folded_text(again) == cli::folded_text(stacks));
  for (const char* wrong :
       {"a;b;[read]", "a;b 5", "[read] 5", "a;[read] 5x", "a;[other] 5", " ", "a;[read] "}) {
    std::istringstream line(wrong);
    CAPTURE(wrong);
    CHECK(cli::read_folded(line, "FILE", problem = "").empty());
    CHECK(has(problem, "'FILE'"));
    CHECK(has(problem, "line 1"));
  }
}

}  // namespace
