// SPDX-License-Identifier: MIT
// recorded_cases: compares the predictions of reads in a recording of discnice with what the kernel counted, process by process.
//
//   recorded_cases FILE        a line for each process that read, in the order of their first calls: bytes predicted, bytes that the kernel charged
//   recorded_cases FILE CASE   the calls of the process on that line (from 1), with "OFF" for the wrong ones
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <vector>

#include "tools/discnice/cli/record_reader.hpp"
#include "tools/discnice/protocol/record_format.hpp"

namespace {

using namespace discnice;

struct Case {
  std::uint32_t pid;
  std::uint64_t predicted_bytes;
  std::uint64_t kernel_bytes;
  protocol::OperationRecord last;  // the operation whose outcome has not come yet
};

class Cases {
 public:
  explicit Cases(std::size_t shown) : shown_(shown) {}

  void take(const protocol::TakenRecord& record) {
    const auto type = static_cast<protocol::RecordType>(record.head().type);
    if (type == protocol::RecordType::operation) {
      protocol::OperationRecord operation{};
      std::memcpy(&operation, record.bytes, protocol::kOperationFixedBytes);
      Case& one = of_process(operation.head.pid);
      one.predicted_bytes += operation.predicted_read_bytes;
      one.last = operation;
    } else if (type == protocol::RecordType::outcome) {
      protocol::OutcomeRecord outcome{};
      std::memcpy(&outcome, record.bytes, sizeof outcome);
      Case& one = of_process(outcome.head.pid);
      one.kernel_bytes += outcome.kernel_read_bytes;
      if (&one - all_.data() + 1 == static_cast<std::ptrdiff_t>(shown_)) tell_call(one.last, outcome);
    }
  }

  void tell() const {
    for (const Case& one : all_)
      if (one.kernel_bytes > 0 || one.predicted_bytes > 0)
        std::printf("%" PRIu64 " %" PRIu64 "\n", one.predicted_bytes, one.kernel_bytes);
  }

 private:
  Case& of_process(std::uint32_t pid) {
    for (Case& one : all_)
      if (one.pid == pid) return one;
    return all_.emplace_back(Case{pid, 0, 0, {}});
  }

  static void tell_call(const protocol::OperationRecord& call, const protocol::OutcomeRecord& outcome) {
    std::printf("descriptor %u, %" PRIu64 " bytes at %" PRIu64 " (page %" PRIu64 "): predicted %" PRIu64
                " pages, kernel %" PRIu64 "%s\n",
                call.descriptor, call.length_bytes, call.offset_bytes, call.offset_bytes / 4096,
                call.predicted_read_bytes / 4096, outcome.kernel_read_bytes / 4096,
                call.predicted_read_bytes == outcome.kernel_read_bytes ? "" : " OFF");
  }

  std::size_t shown_;
  std::vector<Case> all_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 && argc != 3) {
    std::fputs("recorded_cases: usage: recorded_cases FILE [CASE]\n", stderr);
    return 2;
  }
  std::ifstream file(argv[1], std::ios::binary);
  cli::RecordReader reader(file, argv[1]);
  Cases cases(argc == 3 ? std::strtoul(argv[2], nullptr, 10) : 0);
  auto record = std::make_unique<protocol::TakenRecord>();
  while (reader.next(*record)) cases.take(*record);
  if (!reader.problem().empty()) {
    std::fprintf(stderr, "recorded_cases: %s\n", reader.problem().c_str());
    return 1;
  }
  if (argc == 2) cases.tell();
}
