// SPDX-License-Identifier: MIT
#include "tools/gbp/emit.hpp"

#include <cstdio>

#include <nlohmann/json.hpp>

namespace gbp {
namespace {

using Json = nlohmann::ordered_json;

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

template <typename T>
Json when(bool is_known, const T& value) {
  return is_known ? Json(value) : Json(nullptr);
}

// A name that is not UTF-8 appears with replacement characters: JSON cannot carry it. -0 can.
std::string json_line(const File& file, std::size_t rank) {
  Json json;
  json["path"] = file.path;
  json["rank"] = rank;
  const bool is_known = file.error == 0;
  json["size"] = when(is_known, file.cache.size_bytes);
  json["cached_fraction"] = when(is_known && file.cache.cached_fraction >= 0, file.cache.cached_fraction);
  json["backend"] = is_known ? backend_name(file.cache.backend) : "none";
  json["device"] = when(is_known, file.place.device);
  json["inode"] = when(is_known, file.place.inode);
  json["first_extent"] = when(is_known && file.place.has_first_extent != 0, file.place.first_extent_bytes);
  json["error"] = when(!is_known, gb_status_text(file.error));
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
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
