// SPDX-License-Identifier: MIT
// text_format: writes and reads the text of a repository file. docs/repository-format.md describes it for
// people.
//
// Invariant: decode(encode(x)) gives x, and no proper prefix of encode(x) decodes as usable, because the last line has the number of parameters and a checksum of all text before
// it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "toolbox/repo/fingerprint.hpp"
#include "toolbox/repo/parameter.hpp"

namespace gray::repo {

/// Increased whenever a reader of the old version would misread a new file. A reader refuses higher versions.
inline constexpr unsigned kFormatVersion = 1;

/// The reason why a file is used or not used.
enum class FileStatus {
  kUsable,
  kMissing,        ///< There is no such file: nothing measured yet. No problem.
  kUnreadable,     ///< The system refused (permission, input/output error, not a regular file, too large).
  kEmpty,          ///< The file has no bytes.
  kNotOurs,        ///< Does not start like a repository file.
  kFutureVersion,  ///< Written by a later version of the format.
  kTorn,           ///< The end is missing, or count or checksum disagree: cut off, or changed by hand.
  kMalformed,      ///< Whole, but a line does not follow the format.
  kForeign,        ///< Measured on a host other than this host.
};

/// The decoded content of a file.
struct Decoded {
  FileStatus status = FileStatus::kMissing;
  std::string problem;  ///< One phrase without the file's name; empty if usable or missing.
  Fingerprint fingerprint;
  std::vector<Parameter> parameters;  ///< Empty unless usable.
};

/// The whole text of a file: header, parameters sorted by name, trailer. Every parameter must be well formed, and no name may occur twice.
std::string encode(const Fingerprint& fingerprint, std::vector<Parameter> parameters);

/// Reads a text. No bytes in the text make it throw. A whole text of another host than `here` is kForeign. Pure.
Decoded decode(std::string_view text, const Fingerprint& here);

}  // namespace gray::repo
