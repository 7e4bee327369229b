// SPDX-License-Identifier: MIT
#include "examples/gb-fastsort/merge.hpp"

#include <unistd.h>

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
  return std::fread(run.record, kRecordBytes, 1, run.file) == 1;
}

}  // namespace

void merge_runs(const std::vector<std::string>& paths, const std::string& output) {
  const auto is_later = [](const Run* a, const Run* b) {
    return std::memcmp(a->record, b->record, kKeyBytes) > 0;
  };
  std::priority_queue<Run*, std::vector<Run*>, decltype(is_later)> heads(is_later);
  std::vector<std::unique_ptr<Run>> runs;
  for (const std::string& path : paths) {
    runs.push_back(std::make_unique<Run>());
    runs.back()->file = open_or_die(path, "rb");
    std::setvbuf(runs.back()->file, nullptr, _IOFBF, kMergeBufferBytes);
    if (advance(*runs.back())) heads.push(runs.back().get());
  }
  std::FILE* file = open_or_die(output, "wb");
  std::setvbuf(file, nullptr, _IOFBF, kMergeBufferBytes);
  while (!heads.empty()) {
    Run* run = heads.top();
    heads.pop();
    write_or_die(run->record, kRecordBytes, file, output);
    if (advance(*run)) heads.push(run);
  }
  close_or_die(file, output);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    close_or_die(runs[i]->file, paths[i]);
    unlink(paths[i].c_str());
  }
}

}  // namespace fastsort
