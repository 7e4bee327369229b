// SPDX-License-Identifier: MIT
// observation: what --record and --profile need in a run: their files, the reader of the job's ring, and the results at the end.
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

/// One object for each run. It does nothing when neither --record nor --profile is given. Its functions print their errors.
class Observation {
 public:
  explicit Observation(const RunOptions& options) : options_(options) {}

  /// Returns the library to preload. Only a profile needs the library that walks stacks.
  [[nodiscard]] Library preload_library() const;

  /// Opens the files before the program runs. Returns 0 or the exit status.
  int open();

  /// Makes the ring of an existing job and begins to drain it. Returns 0. After an error, removes the job and returns the exit status.
  int start(const protocol::Segment& segment, const protocol::SegmentName& name);

  /// Completes the files when the program has ended. Returns false when one of the files could not be written.
  bool finish(const std::optional<processes::KernelAccount>& account);

  /// Returns the report with the results of the profile added.
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
