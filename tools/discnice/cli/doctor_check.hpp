// SPDX-License-Identifier: MIT
// doctor_check: what `discnice doctor` found out: of the host, and of each place it was asked about.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace discnice::cli {

enum class Health : std::uint8_t { works, partly, not_at_all };

struct Check {
  std::string key;   // for programs
  std::string what;  // for a person: kWhatColumns at the most
  Health health = Health::works;
  std::string why = {};
  std::string remedy = {};  // what would make it work; empty where it does, or where nothing would
  bool is_main = false;     // a rate is not kept where this does not work
};
inline constexpr std::size_t kWhatColumns = 15;

struct Place {
  std::string name;         // as it was asked about; several on one file system are told of together
  std::string file_system;  // empty: unknown
  std::string disk;         // "sda (8:0)"; empty: none is seen
  std::vector<Check> checks;
};

struct Diagnosis {
  std::vector<Check> host;
  std::vector<Place> places;
};

/// Whether a rate is kept here, as far as was tried.
inline bool is_main_job_done(const Diagnosis& diagnosis) {
  const auto fails = [](const Check& check) { return check.is_main && check.health == Health::not_at_all; };
  const auto is_any = [&](const std::vector<Check>& checks) {
    return std::any_of(checks.begin(), checks.end(), fails);
  };
  return !is_any(diagnosis.host) && std::none_of(diagnosis.places.begin(), diagnosis.places.end(),
                                                 [&](const Place& place) { return is_any(place.checks); });
}

}  // namespace discnice::cli
