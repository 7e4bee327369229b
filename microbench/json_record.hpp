// SPDX-License-Identifier: MIT
// json_record: everything known of a host as one JSON object, written for other programs and read back for diff.
//
//   {"schema": 1, "host": {...}, "parameters": {KEY: {...}}, "devices": {DEVICE: {KEY: {...}}}}
// where {...} of a key has value, unit, spread, samples, method, date and source.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "toolbox/repo/repository.hpp"

namespace microbench {

/// Raised whenever a reader of the old one would misread the new.
inline constexpr int kSchema = 1;

nlohmann::ordered_json to_json(const gray::repo::Repository& repository);

/// The parameters of such an object, or a sentence on what is wrong with it.
struct JsonRecord {
  std::vector<gray::repo::Parameter> parameters;
  std::string problem;
};
JsonRecord from_json(const std::string& text);

}  // namespace microbench
