// SPDX-License-Identifier: MIT
#include "tools/gbp/emit.hpp"

#include <cstdio>

#include <nlohmann/json.hpp>

namespace gbp {
namespace {

const char* backend_name(std::uint32_t backend) {
  switch (backend) {
    case GB_BACKEND_CACHESTAT:
      return "cachestat";
    case GB_BACKEND_MINCORE:
      return "mincore";
    case GB_BACKEND_TIMED:
      return "timed";
    default:
      return "none";
  }
}

// A name that is not UTF-8 appears with replacement characters: JSON cannot carry it. -0 can.
std::string json_line(const File& file, std::size_t rank) {
  nlohmann::ordered_json json;
  json["path"] = file.path;
  json["rank"] = rank;
  json["size"] = file.cache.size_bytes;
  json["cached_fraction"] = nullptr;
  if (file.cache.cached_fraction >= 0) json["cached_fraction"] = file.cache.cached_fraction;
  json["backend"] = backend_name(file.cache.backend);
  json["device"] = file.place.device;
  json["inode"] = file.place.inode;
  json["first_extent"] = nullptr;
  if (file.place.has_first_extent != 0) json["first_extent"] = file.place.first_extent_bytes;
  json["error"] = nullptr;
  if (file.error != 0) json["error"] = gb_status_text(file.error);
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace

void emit(const std::vector<File>& files, Format format) {
  std::size_t rank = 0;
  for (const File& file : files) {
    std::string text = file.path + (format == Format::nul_ended ? '\0' : '\n');
    if (format == Format::json_lines) text = json_line(file, ++rank);
    std::fwrite(text.data(), 1, text.size(), stdout);
  }
}

}  // namespace gbp
