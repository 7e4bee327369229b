// SPDX-License-Identifier: MIT
// observation: what --record and --profile want of a run: their files, the drainer of the job's ring, and what is told at the end.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tools/discnice/cli/library.hpp"
#include "tools/discnice/cli/output_file.hpp"
#include "tools/discnice/cli/profile.hpp"
#include "tools/discnice/cli/recorder.hpp"
#include "tools/discnice/cli/run_options.hpp"

namespace discnice::cli {

/// One for each run; does nothing unless the options ask for it. What is wrong is said by the functions themselves.
class Observation {
 public:
  explicit Observation(const RunOptions& options) : options_(options) {}

  /// The library to preload: the one that walks stacks only for a profile.
  [[nodiscard]] Library preload_library() const;

  /// Opens the files, before anything runs. 0, or the status to end with.
  int open();

  /// Makes the ring of the job, which exists, and begins to drain it. 0, or the status to end with; the job is removed then.
  int start(const protocol::Segment& segment, const protocol::SegmentName& name);

  /// Ends the files when the program has ended. False when one of them could not be written.
  bool finish(const std::optional<processes::KernelAccount>& account);

  /// The report with what the profile has to add.
  [[nodiscard]] std::string extended(const std::string& report) const;

 private:
  bool write_profile();

  const RunOptions& options_;
  Recorder recorder_;
  OutputFile profile_file_;
  std::unique_ptr<Profile> profile_;
  std::vector<FunctionShare> functions_;
};

}  // namespace discnice::cli
