// SPDX-License-Identifier: MIT
#include "toolbox/repo/repository.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <set>

#include "toolbox/repo/shipped_defaults.hpp"

namespace gray::repo {
namespace {

constexpr std::string_view kVariablePrefix = "GRAY_PARAM_";
constexpr const char* kHostFolder = "/var/lib/gray";

std::string user_folder() {
  // The XDG base directory specification: a relative path must be ignored.
  const char* data_home = std::getenv("XDG_DATA_HOME");
  if (data_home != nullptr && data_home[0] == '/') return std::string(data_home) + "/gray";
  const char* home = std::getenv("HOME");
  if (home != nullptr && home[0] == '/') return std::string(home) + "/.local/share/gray";
  return "";
}

const Parameter* find_exact(const std::vector<Parameter>& parameters, std::string_view key,
                            std::string_view device) {
  const auto found = std::find_if(parameters.begin(), parameters.end(), [&](const Parameter& parameter) {
    return parameter.key == key && parameter.device == device;
  });
  return found == parameters.end() ? nullptr : &*found;
}

const Parameter* find_for_device(const std::vector<Parameter>& parameters, std::string_view key,
                                 std::string_view device) {
  const Parameter* found = find_exact(parameters, key, device);
  return found != nullptr || device.empty() ? found : find_exact(parameters, key, "");
}

std::string unit_of(std::string_view key) {
  const ShippedDefault* shipped = find_shipped_default(key);
  return shipped != nullptr ? std::string(shipped->unit) : "1";
}

Parameter unmeasured(std::string_view key, std::string_view device, double value, const char* method) {
  Parameter parameter;
  parameter.key = key;
  parameter.device = device;
  parameter.value = value;
  parameter.unit = unit_of(key);
  parameter.method = method;
  return parameter;
}

// A message must stay on one line for any content of the variable.
std::string shown(std::string_view text) {
  std::string line(text);
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = '?';
  }
  return line;
}

void insert_names(const std::vector<Parameter>& parameters, std::set<std::string>& names) {
  for (const Parameter& parameter : parameters) names.insert(format_name(parameter.key, parameter.device));
}

}  // namespace

const char* source_name(Source source) {
  switch (source) {
    case Source::kFlag:
      return "flag";
    case Source::kEnvironment:
      return "environment";
    case Source::kUser:
      return "user";
    case Source::kHost:
      return "host";
    case Source::kDefault:
      break;
  }
  return "default";
}

std::string file_name_for(const Fingerprint& fingerprint) {
  std::string name = "host-" + fingerprint.machine_id + ".params";
  for (char& c : name) {
    if (c == '/' || c == ':') c = '-';
  }
  return name;
}

Places default_places() {
  Places places;
  places.fingerprint = read_fingerprint();
  const std::string name = file_name_for(places.fingerprint);
  const std::string folder = user_folder();
  if (!folder.empty()) places.user_path = folder + "/" + name;
  places.host_path = std::string(kHostFolder) + "/" + name;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    places.environment.emplace_back(*entry);
  }
  return places;
}

Repository::Repository(Places places) : places_(std::move(places)) {
  reload();
}

void Repository::reload() {
  problems_.clear();
  user_ = places_.user_path.empty() ? LoadedFile{} : load_file(places_.user_path, places_.fingerprint);
  host_ = places_.host_path.empty() ? LoadedFile{} : load_file(places_.host_path, places_.fingerprint);
  for (const LoadedFile* file : {&user_, &host_}) {
    if (!file->problem.empty()) problems_.push_back(shown(file->problem));
  }
  read_environment();
}

void Repository::read_environment() {
  std::set<std::string> known;
  const auto insert = [&](std::string_view key) { known.insert(environment_name(key)); };
  std::for_each(shipped_defaults_begin(), shipped_defaults_end(),
                [&](const ShippedDefault& shipped) { insert(shipped.key); });
  for (const LoadedFile* file : {&user_, &host_}) {
    for (const Parameter& parameter : file->parameters) insert(parameter.key);
  }
  environment_.clear();
  for (const std::string& entry : places_.environment) {
    if (entry.compare(0, kVariablePrefix.size(), kVariablePrefix) != 0) continue;
    const std::size_t equals = entry.find('=');
    const std::string name = entry.substr(0, equals);
    const std::string text = equals == std::string::npos ? "" : entry.substr(equals + 1);
    const std::optional<double> number = parse_number(text);
    if (known.count(name) == 0) {
      problems_.push_back(shown(name) + " is set, but there is no such parameter: it is not used");
    } else if (!number) {
      problems_.push_back(name + "='" + shown(text) +
                          "' is not a plain number of zero or more such as 1500 or 2.5e6: it is not used");
    } else {
      environment_[name] = *number;
    }
  }
}

std::string Repository::set_flag(std::string_view text) {
  const std::size_t equals = text.find('=');
  const std::optional<Name> name = parse_name(text.substr(0, equals));
  if (equals == std::string_view::npos || !name) {
    return "'" + shown(text) + "' is not KEY=VALUE or KEY@DEVICE=VALUE, such as disk.miss_ns=5000000";
  }
  const std::optional<double> number = parse_number(text.substr(equals + 1));
  if (!number) {
    return "'" + shown(text.substr(equals + 1)) + "' for " + name->key +
           " is not a plain number of zero or more such as 1500 or 2.5e6";
  }
  const bool is_known = find(name->key, name->device).has_value();
  if (!is_known) return "there is no parameter '" + name->key + "'";
  flags_.insert(flags_.begin(), unmeasured(name->key, name->device, *number, "flag"));  // the last flag wins
  return "";
}

std::optional<Found> Repository::find_in_environment(std::string_view key) const {
  const std::string name = environment_name(key);
  const auto found = environment_.find(name);
  if (found == environment_.end()) return std::nullopt;
  return Found{unmeasured(key, "", found->second, "environment"), Source::kEnvironment, name};
}

std::optional<Found> Repository::find(std::string_view key, std::string_view device) const {
  if (const Parameter* flag = find_for_device(flags_, key, device)) return Found{*flag, Source::kFlag, ""};
  if (auto found = find_in_environment(key)) return found;
  if (const Parameter* user = find_for_device(user_.parameters, key, device)) {
    return Found{*user, Source::kUser, user_.path};
  }
  if (const Parameter* host = find_for_device(host_.parameters, key, device)) {
    return Found{*host, Source::kHost, host_.path};
  }
  if (const ShippedDefault* shipped = find_shipped_default(key)) {
    return Found{unmeasured(key, "", shipped->value, "shipped"), Source::kDefault, ""};
  }
  return std::nullopt;
}

base::Result<double> Repository::value(std::string_view key, std::string_view device) const {
  const std::optional<Found> found = find(key, device);
  if (!found) return base::Result<double>::failure(-ENOENT);
  return found->parameter.value;
}

std::vector<Found> Repository::list() const {
  std::set<std::string> names;
  std::for_each(shipped_defaults_begin(), shipped_defaults_end(),
                [&](const ShippedDefault& shipped) { names.insert(std::string(shipped.key)); });
  for (const auto* parameters : {&flags_, &user_.parameters, &host_.parameters}) {
    insert_names(*parameters, names);
  }
  std::vector<Found> all;
  for (const std::string& text : names) {
    const std::optional<Name> name = parse_name(text);
    std::optional<Found> found = name ? find(name->key, name->device) : std::nullopt;
    if (!found) continue;
    // A flag or variable without a device may have given the value. The result still names the requested device.
    found->parameter.device = name->device;
    all.push_back(std::move(*found));
  }
  return all;
}

UpdateOutcome Repository::update(Source target, const Changes& changes, UnusableFile unusable) {
  UpdateOutcome outcome;
  if (target != Source::kUser && target != Source::kHost) {
    outcome.error = -EINVAL;
    outcome.problem = "only the user's and the host's parameters can be changed";
    return outcome;
  }
  const std::string& path = target == Source::kUser ? places_.user_path : places_.host_path;
  if (path.empty()) {
    outcome.error = -ENOENT;
    outcome.problem = "no place to keep parameters: set HOME or XDG_DATA_HOME to an absolute path";
    return outcome;
  }
  outcome = update_file(path, places_.fingerprint, changes, unusable);
  reload();
  return outcome;
}

}  // namespace gray::repo
