// SPDX-License-Identifier: MIT
// doctor_check: the results of `discnice doctor`: for the host, and for each place that it was asked about.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace discnice::cli {

enum class Health : std::uint8_t { works, partly, not_at_all };

struct Check {
  std::string key;   // the name of the check, for programs
  std::string what;  // the name of the check for a person, of at most kWhatColumns columns
  Health health = Health::works;
  std::string why = {};
  std::string remedy = {};  // how to make it work; empty when it works or nothing helps
  bool is_main = false;     // discnice keeps no rate when this does not work
};
inline constexpr std::size_t kWhatColumns = 15;

struct Place {
  std::string name;         // the paths as the person wrote them; paths on one file system stand together
  std::string file_system;  // empty: unknown
  std::string disk;         // "sda (8:0)"; empty: no disk is known
  std::vector<Check> checks;
};

struct Diagnosis {
  std::vector<Check> host;
  std::vector<Place> places;
};

/// Whether discnice keeps a rate here, as far as the checks have tried.
inline bool is_main_job_done(const Diagnosis& diagnosis) {
  const auto fails = [](const Check& check) { return check.is_main && check.health == Health::not_at_all; };
  const auto is_any = [&](const std::vector<Check>& checks) {
    return std::any_of(checks.begin(), checks.end(), fails);
  };
  return !is_any(diagnosis.host) && std::none_of(diagnosis.places.begin(), diagnosis.places.end(),
                                                 [&](const Place& place) { return is_any(place.checks); });
}

}  // namespace discnice::cli
