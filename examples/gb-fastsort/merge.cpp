// SPDX-License-Identifier: MIT
#include "examples/gb-fastsort/merge.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <queue>

#include "examples/gb-fastsort/records.hpp"

namespace fastsort {
namespace {

struct Run {
  std::FILE* file;
  unsigned char record[kRecordBytes];
};

bool advance(Run& run) {
  if (std::fread(run.record, kRecordBytes, 1, run.file) == 1) return true;
  if (std::ferror(run.file) != 0) die("a run", errno);
  return false;
}

// The file that was written through this descriptor, read from its beginning.
std::FILE* reopen(int fd) {
  std::FILE* file = lseek(fd, 0, SEEK_SET) == 0 ? fdopen(fd, "rb") : nullptr;
  if (file == nullptr) die("a run", errno);
  std::setvbuf(file, nullptr, _IOFBF, kMergeBufferBytes);
  return file;
}

}  // namespace

void merge_runs(const std::vector<int>& fds, std::FILE* output, const std::string& name) {
  const auto is_later = [](const Run* a, const Run* b) {
    return std::memcmp(a->record, b->record, kKeyBytes) > 0;
  };
  std::priority_queue<Run*, std::vector<Run*>, decltype(is_later)> heads(is_later);
  std::vector<std::unique_ptr<Run>> runs;
  for (const int fd : fds) {
    runs.push_back(std::make_unique<Run>());
    runs.back()->file = reopen(fd);
    if (advance(*runs.back())) heads.push(runs.back().get());
  }
  while (!heads.empty()) {
    Run* run = heads.top();
    heads.pop();
    write_or_die(run->record, kRecordBytes, output, name);
    if (advance(*run)) heads.push(run);
  }
  for (const auto& run : runs) close_or_die(run->file, "a run");
}

}  // namespace fastsort
