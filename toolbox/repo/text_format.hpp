// SPDX-License-Identifier: MIT
// text_format: the text of a repository file, written and read. docs/repository-format.md describes it for
// people.
//
// Invariant: decode(encode(x)) gives x, and no proper prefix of encode(x) decodes as usable, because the last
// line counts the parameters and carries a checksum of all that stands before it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "toolbox/repo/fingerprint.hpp"
#include "toolbox/repo/parameter.hpp"

namespace gray::repo {

/// This version goes up whenever a reader of the old version would misread a new file. A reader refuses higher versions.
inline constexpr unsigned kFormatVersion = 1;

/// Why a file is used or not.
enum class FileStatus {
  kUsable,
  kMissing,        ///< There is no such file: nothing measured yet. No problem.
  kUnreadable,     ///< The system refused (permission, input/output error, not a regular file, too large).
  kEmpty,          ///< No byte in it.
  kNotOurs,        ///< Does not start as a repository file.
  kFutureVersion,  ///< Written by a later version of the format.
  kTorn,           ///< The end is missing, or count or checksum disagree: cut off, or changed by hand.
  kMalformed,      ///< Whole, yet a line is not what the format says.
  kForeign,        ///< Measured on another host than this one.
};

/// The content of a file's text.
struct Decoded {
  FileStatus status = FileStatus::kMissing;
  std::string problem;  ///< One phrase without the file's name; empty if usable or missing.
  Fingerprint fingerprint;
  std::vector<Parameter> parameters;  ///< Empty unless usable.
};

/// The whole text of a file: header, parameters sorted by name, trailer. Every parameter must be well formed
/// and no name may stand twice.
std::string encode(const Fingerprint& fingerprint, std::vector<Parameter> parameters);

/// Reads a text. It never throws because of the content, whatever the bytes are. A complete text of another host than `here` is kForeign. Pure.
Decoded decode(std::string_view text, const Fingerprint& here);

}  // namespace gray::repo
