// SPDX-License-Identifier: MIT
#include "microbench/json_record.hpp"

#include <fmt/core.h>

namespace microbench {
namespace {

using Json = nlohmann::ordered_json;
using gray::repo::Parameter;

Json entry_of(const gray::repo::Found& found) {
  const Parameter& p = found.parameter;
  Json entry;
  entry["value"] = p.value;
  entry["unit"] = p.unit;
  entry["spread"] = p.spread ? Json(*p.spread) : Json(nullptr);
  entry["samples"] = p.samples;
  entry["method"] = p.method;
  entry["date"] = p.date == "-" ? Json(nullptr) : Json(p.date);
  entry["source"] = gray::repo::source_name(found.source);
  return entry;
}

void read_entries(const Json& entries, const std::string& device, std::vector<Parameter>& parameters) {
  for (const auto& [key, entry] : entries.items()) {
    Parameter parameter;
    parameter.key = key;
    parameter.device = device;
    parameter.value = entry.at("value").get<double>();
    parameter.unit = entry.at("unit").get<std::string>();
    if (entry.contains("spread") && entry["spread"].is_number())
      parameter.spread = entry["spread"].get<double>();
    parameters.push_back(std::move(parameter));
  }
}

}  // namespace

Json to_json(const gray::repo::Repository& repository) {
  const gray::repo::Fingerprint& host = repository.fingerprint();
  Json json;
  json["schema"] = kSchema;
  json["host"] = {{"machine_id", host.machine_id},
                  {"cpu_model", host.cpu_model},
                  {"kernel_release", host.kernel_release},
                  {"hypervisor", host.has_hypervisor}};
  json["parameters"] = Json::object();
  json["devices"] = Json::object();
  for (const gray::repo::Found& found : repository.list()) {
    const Parameter& p = found.parameter;
    Json& place = p.device.empty() ? json["parameters"] : json["devices"][p.device];
    place[p.key] = entry_of(found);
  }
  return json;
}

JsonRecord from_json(const std::string& text) {
  JsonRecord record;
  try {
    const Json json = Json::parse(text);
    if (json.at("schema").get<int>() > kSchema) {
      record.problem = "it was written by a later version";
      return record;
    }
    read_entries(json.at("parameters"), "", record.parameters);
    for (const auto& [device, entries] : json.at("devices").items()) {
      read_entries(entries, device, record.parameters);
    }
  } catch (const nlohmann::json::exception&) {
    record.problem = "it is not what microbench export --json writes";
  }
  return record;
}

}  // namespace microbench
