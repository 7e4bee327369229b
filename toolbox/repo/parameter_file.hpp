// SPDX-License-Identifier: MIT
// parameter_file: reads a repository file, and replaces it so that no reader ever sees a half-written file.
//
// A writer locks a lock file, reads the repository file, writes the whole new content to a temporary file, forces that to the disk and renames it over the old file. Readers need
// no lock: they see the old file or the new file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "toolbox/repo/fingerprint.hpp"
#include "toolbox/repo/parameter.hpp"
#include "toolbox/repo/text_format.hpp"

namespace gray::repo {

/// The content of a file, as it was found. It is used only if the status is kUsable.
struct LoadedFile {
  std::string path;
  FileStatus status = FileStatus::kMissing;
  int error = 0;        ///< The negative errno behind kUnreadable, else 0.
  std::string problem;  ///< One line with the path, for a person; empty if usable or missing.
  std::vector<Parameter> parameters;
};

/// Reads `path`. The function does not throw for any content of the file. It never waits: a FIFO counts as unreadable.
LoadedFile load_file(const std::string& path, const Fingerprint& here);

/// A set of changes that is applied as a whole or not at all.
struct Changes {
  std::vector<Parameter> set;  ///< Parameters to add; each replaces a parameter with the same key and device.
  std::vector<Name> forget;    ///< Names to remove, if they exist; this is done before `set`.
};

/// How a writer treats an existing file that it cannot use.
enum class UnusableFile {
  kRefuse,  ///< Leave everything as it is and say why.
  kMoveAside,  ///< Rename it to "PATH.unusable-DATE" and start anew. Only if a person asks for it, never by default.
};

struct UpdateOutcome {
  int error = 0;  ///< 0, or a negative errno: -EINVAL for a malformed change, -EEXIST for a refused
                  ///< unusable file, -ETIMEDOUT if the lock stayed taken, or the system's.
  FileStatus status = FileStatus::kUsable;  ///< Of the file that was there before.
  std::string problem;                      ///< One line for a person if error is not 0.
  std::string moved_to;                     ///< Where an unusable file was moved, else empty.
  [[nodiscard]] bool is_ok() const { return error == 0; }
};

/// How long a writer waits for the lock of another writer before it gives up.
inline constexpr std::uint64_t kLockWaitMaxNs = UINT64_C(10'000'000'000);

/// Applies `changes` to the file at `path`, making its folder if needed. Any number of processes and threads
/// may do so at once: each sees the updates of the others. Sleeps while another writer holds the lock. If the call fails,
/// or if the process is killed during it, the old file is still there and complete.
UpdateOutcome update_file(const std::string& path, const Fingerprint& here, const Changes& changes,
                          UnusableFile unusable = UnusableFile::kRefuse,
                          std::uint64_t lock_wait_max_ns = kLockWaitMaxNs);

}  // namespace gray::repo
