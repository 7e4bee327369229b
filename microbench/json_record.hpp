// SPDX-License-Identifier: MIT
// json_record: all known values of a host as one JSON object, for other programs and for `microbench diff`.
//
//   {"schema": 1, "host": {...}, "parameters": {KEY: {...}}, "devices": {DEVICE: {KEY: {...}}}}
// where the {...} of a key has value, unit, spread, samples, method, date and source.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "toolbox/repo/repository.hpp"

namespace microbench {

/// Increased whenever a reader of the old version would misread the new version.
inline constexpr int kSchema = 1;

nlohmann::ordered_json to_json(const gray::repo::Repository& repository);

/// The parameters of such an object, or a sentence about the error in it.
struct JsonRecord {
  std::vector<gray::repo::Parameter> parameters;
  std::string problem;
};
JsonRecord from_json(const std::string& text);

}  // namespace microbench
