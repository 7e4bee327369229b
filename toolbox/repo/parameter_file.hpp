// SPDX-License-Identifier: MIT
// parameter_file: reads a repository file, and replaces it so that no reader ever sees half of one.
//
// A writer holds a lock file, reads what is there, writes all of it anew to a temporary file, forces that to
// the disk and renames it over the old one. Readers need no lock: they see the old file or the new one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "toolbox/repo/fingerprint.hpp"
#include "toolbox/repo/parameter.hpp"
#include "toolbox/repo/text_format.hpp"

namespace gray::repo {

/// A file as it was found. Nothing in it is used unless its status is kUsable.
struct LoadedFile {
  std::string path;
  FileStatus status = FileStatus::kMissing;
  int error = 0;        ///< The negative errno behind kUnreadable, else 0.
  std::string problem;  ///< One line with the path, for a person; empty if usable or missing.
  std::vector<Parameter> parameters;
};

/// Reads `path`. Never throws because of the content of the file. Never waits: a FIFO counts as unreadable.
LoadedFile load_file(const std::string& path, const Fingerprint& here);

/// The changes to make. Either all of them are made, or none.
struct Changes {
  std::vector<Parameter> set;  ///< Added, or replacing what has the same key and device.
  std::vector<Name> forget;    ///< Removed if there; done before `set`.
};

/// What a writer does with a file that it cannot use.
enum class UnusableFile {
  kRefuse,     ///< Leave everything as it is and say why.
  kMoveAside,  ///< Rename it to "PATH.unusable-DATE" and start anew. Asked for by a person, never by default.
};

struct UpdateOutcome {
  int error = 0;  ///< 0, or a negative errno: -EINVAL for a malformed change, -EEXIST for a refused
                  ///< unusable file, -ETIMEDOUT if the lock stayed taken, or the system's.
  FileStatus status = FileStatus::kUsable;  ///< Of the file that was there before.
  std::string problem;                      ///< One line for a person if error is not 0.
  std::string moved_to;                     ///< Where an unusable file was moved, else empty.
  [[nodiscard]] bool is_ok() const { return error == 0; }
};

/// How long a writer waits for another one's lock before it gives up.
inline constexpr std::uint64_t kLockWaitMaxNs = UINT64_C(10'000'000'000);

/// Applies `changes` to the file at `path`, and makes its folder if needed. Any number of processes and threads may do so at once, and no update is lost. Sleeps while another
/// writer holds the lock. If it fails, or if the process is killed meanwhile, the old file is unchanged.
UpdateOutcome update_file(const std::string& path, const Fingerprint& here, const Changes& changes,
                          UnusableFile unusable = UnusableFile::kRefuse,
                          std::uint64_t lock_wait_max_ns = kLockWaitMaxNs);

}  // namespace gray::repo
