// SPDX-License-Identifier: MIT
#include "tools/gbp/emit.hpp"

#include <cmath>
#include <cstdio>

#include <unistd.h>

#include <nlohmann/json.hpp>

#include "toolbox/cli/diagnostics.hpp"

namespace gbp {
namespace {

using Json = nlohmann::ordered_json;

template <typename T>
Json when(bool is_known, const T& value) {
  return is_known ? Json(value) : Json(nullptr);
}

// Rounds to the digits that a float really has.
double rounded(float share) {
  constexpr double kSteps = 1e6;
  return std::round(static_cast<double>(share) * kSteps) / kSteps;
}

// A name that is not UTF-8 is printed with replacement characters, because JSON cannot hold it. The option -0 prints it unchanged.
std::string json_line(const File& file, std::size_t rank, bool is_for_terminal) {
  Json json;
  json["path"] = file.path;
  json["rank"] = rank;
  const bool is_known = file.error == 0;
  json["size"] = when(is_known, file.size_bytes);
  const bool is_share_known = is_known && file.cached_fraction >= 0;
  json["cached_fraction"] = when(is_share_known, rounded(file.cached_fraction));
  json["confidence"] = when(is_share_known, rounded(file.confidence));
  json["access_ns"] = when(is_known && file.access_ns > 0, std::round(file.access_ns));
  json["level"] = when(is_known && file.access_ns > 0, file.level + 1);
  json["backend"] = is_known ? backend_name(file.backend) : "none";
  json["device"] = when(is_known, file.device);
  json["inode"] = when(is_known, file.inode);
  json["first_extent"] = when(is_known && file.has_first_extent, file.first_extent_bytes);
  json["error"] = when(!is_known, gb_status_text(file.error));
  return json.dump(-1, ' ', is_for_terminal, Json::error_handler_t::replace) + "\n";
}

}  // namespace

const char* backend_name(std::uint32_t backend) {
  switch (backend) {
    case GB_BACKEND_CACHESTAT:
      return "cachestat";
    case GB_BACKEND_MINCORE:
      return "mincore";
    case GB_BACKEND_END:
      return "end";
    case GB_BACKEND_NOWAIT:
      return "nowait";
    case GB_BACKEND_FAULT:
      return "fault";
    case GB_BACKEND_TIMED:
      return "timed";
    default:
      return "none";
  }
}

bool is_terminal_output() {
  return isatty(STDOUT_FILENO) == 1;
}

void emit(const OrderedFiles& files, Format format) {
  const bool is_for_terminal = is_terminal_output();
  for (std::size_t rank = 0; rank < files.size(); ++rank) {
    const File file = files[rank];
    if (format == Format::json_lines) {
      const std::string text = json_line(file, rank + 1, is_for_terminal);
      std::fwrite(text.data(), 1, text.size(), stdout);
      continue;
    }
    std::fputs(is_for_terminal ? gray::cli::printable(file.path).c_str() : file.path, stdout);
    std::putc(format == Format::nul_ended ? '\0' : '\n', stdout);
  }
}

}  // namespace gbp
