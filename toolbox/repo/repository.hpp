// SPDX-License-Identifier: MIT
// repository: looks up a host parameter in its most specific source, and tells which source that was.
//
//   flag > environment > user's file > host's file > shipped default
//
// The first of these that has the key decides. For a device, each source is asked for key@device first and
// then for the plain key, before the next source is asked. A file that cannot be used, or a variable that
// cannot be read, counts as absent and is listed in problems(); nothing here prints.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "toolbox/base/result.hpp"
#include "toolbox/repo/fingerprint.hpp"
#include "toolbox/repo/parameter.hpp"
#include "toolbox/repo/parameter_file.hpp"

namespace gray::repo {

enum class Source { kFlag, kEnvironment, kUser, kHost, kDefault };

/// "flag", "environment", "user", "host" or "default".
const char* source_name(Source source);

/// A parameter and its source.
struct Found {
  Parameter parameter;
  Source source = Source::kDefault;
  std::string origin;  ///< The path of the file, the name of the variable, or empty for a flag or a default.
};

/// The places where parameters are looked up. default_places() fills it; tests fill it themselves.
struct Places {
  std::string user_path;                 ///< Empty: no user's file (neither XDG_DATA_HOME nor HOME is set).
  std::string host_path;                 ///< Empty: no host's file.
  std::vector<std::string> environment;  ///< "NAME=value"; only GRAY_PARAM_* is used.
  Fingerprint fingerprint;
};

/// $XDG_DATA_HOME/gray or ~/.local/share/gray, /var/lib/gray, the process's environment, this host.
Places default_places();

/// The name of a host's file within its folder: "host-MACHINE_ID.params", so that a home folder that several hosts share has one file for each host.
std::string file_name_for(const Fingerprint& fingerprint);

/// Both files, the environment and the flags, as they were when they were loaded. Lookups are const and may run in any number of threads, but not at the same time as set_flag()
/// or reload().
class Repository {
 public:
  explicit Repository(Places places);

  /// Takes "key=value" or "key@device=value" from a command line. Returns an empty text, or a text that says what is wrong.
  std::string set_flag(std::string_view text);

  /// The value for `key` on `device` (empty: the host as a whole), or nothing if no source knows the key.
  [[nodiscard]] std::optional<Found> find(std::string_view key, std::string_view device = "") const;

  /// The number without its source; -ENOENT if no source knows the key.
  [[nodiscard]] base::Result<double> value(std::string_view key, std::string_view device = "") const;

  /// The deciding value for every name that any source knows, sorted by name. For a list that a person reads.
  [[nodiscard]] std::vector<Found> list() const;

  /// One line for each file or variable that exists but is not used.
  [[nodiscard]] const std::vector<std::string>& problems() const { return problems_; }

  [[nodiscard]] const LoadedFile& user_file() const { return user_; }
  [[nodiscard]] const LoadedFile& host_file() const { return host_; }
  [[nodiscard]] const Fingerprint& fingerprint() const { return places_.fingerprint; }

  /// Changes the user's or the host's file (kUser or kHost; -EINVAL for others, -ENOENT where there is no
  /// such place) in the way of update_file(), and reloads it.
  UpdateOutcome update(Source target, const Changes& changes, UnusableFile unusable = UnusableFile::kRefuse);

  /// Reads both files again.
  void reload();

 private:
  [[nodiscard]] std::optional<Found> find_in_environment(std::string_view key) const;
  void read_environment();

  Places places_;
  LoadedFile user_;
  LoadedFile host_;
  std::vector<Parameter> flags_;
  std::map<std::string, double> environment_;  ///< By variable name.
  std::vector<std::string> problems_;
};

}  // namespace gray::repo
