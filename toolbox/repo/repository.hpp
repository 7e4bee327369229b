// SPDX-License-Identifier: MIT
// repository: looks a host parameter up in its sources, the most specific first, and says which source had it.
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
  std::string origin;  ///< The file's path, the variable's name, or empty for a flag or a default.
};

/// The places where a repository looks. default_places() fills it; tests fill their own.
struct Places {
  std::string user_path;                 ///< Empty: no user's file (neither XDG_DATA_HOME nor HOME is set).
  std::string host_path;                 ///< Empty: no host's file.
  std::vector<std::string> environment;  ///< "NAME=value", of which GRAY_PARAM_* are looked at.
  Fingerprint fingerprint;
};

/// $XDG_DATA_HOME/gray or ~/.local/share/gray, /var/lib/gray, the process's environment, this host.
Places default_places();

/// The name of a host's file within its folder: "host-MACHINE_ID.params", so that a home folder shared by
/// several hosts keeps one file for each.
std::string file_name_for(const Fingerprint& fingerprint);

/// Holds both files, the environment and the flags, as they were when they were loaded. Lookups are const, and any number of threads may make them. set_flag() and reload() may
/// not run at the same time.
class Repository {
 public:
  explicit Repository(Places places);

  /// Takes "key=value" or "key@device=value" from a command line. Returns an empty text, or what is wrong.
  std::string set_flag(std::string_view text);

  /// The value for `key` on `device` (empty: the host as a whole), or nothing if no source knows the key.
  [[nodiscard]] std::optional<Found> find(std::string_view key, std::string_view device = "") const;

  /// The number alone; -ENOENT if no source knows the key.
  [[nodiscard]] base::Result<double> value(std::string_view key, std::string_view device = "") const;

  /// For every name that any source knows: the value of the first source that has it, sorted by name. This is shown to a person.
  [[nodiscard]] std::vector<Found> list() const;

  /// One line for each file or variable that exists but is not used.
  [[nodiscard]] const std::vector<std::string>& problems() const { return problems_; }

  [[nodiscard]] const LoadedFile& user_file() const { return user_; }
  [[nodiscard]] const LoadedFile& host_file() const { return host_; }
  [[nodiscard]] const Fingerprint& fingerprint() const { return places_.fingerprint; }

  /// Changes the user's or the host's file (kUser or kHost; -EINVAL for others, -ENOENT where there is no
  /// such place) as update_file() does, and reloads.
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
