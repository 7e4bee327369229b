// SPDX-License-Identifier: MIT
#include "tools/gbp/order.hpp"

#include <fmt/core.h>

#include "libgray/src/core/cached_by_itself.hpp"
#include "toolbox/cli/diagnostics.hpp"
#include "toolbox/cli/progress.hpp"
#include "toolbox/cli/quantities.hpp"

namespace gbp {
namespace {

struct Context {
  const Wanted& wanted;
  gray::cli::Progress progress;
};

double ratio_of(void* context, const char* /*path*/) {
  return static_cast<Context*>(context)->wanted.host->random_over_sequential;
}

int show_progress(void* context, std::size_t looked_at) {
  static_cast<Context*>(context)->progress.set(looked_at);
  return 0;
}

gb_order_mode_t mode_of(Mode mode) {
  switch (mode) {
    case Mode::mem:
      return GB_ORDER_BY_CACHE;
    case Mode::file:
      return GB_ORDER_BY_PLACE;
    default:
      return GB_ORDER_COMPOSE;
  }
}

gb_order_options options_of(const Wanted& wanted, const OrderRule& rule) {
  gb_order_options options{};
  options.size = sizeof options;
  options.mode = mode_of(rule.mode);
  options.order = wanted.order;
  if (wanted.is_cache_wanted) options.flags |= GB_ORDER_TELL_CACHE;
  if (wanted.is_layout_wanted) options.flags |= GB_ORDER_TELL_PLACE;
  if (wanted.is_extent_told) options.flags |= GB_ORDER_TELL_EXTENT;
  if (rule.are_levels_told) options.flags |= GB_ORDER_TELL_LEVELS;
  if (rule.is_by_directory) options.flags |= GB_ORDER_BY_FOLDER;
  options.random_over_sequential = ratio_of;
  options.progress = show_progress;
  return options;
}

gb_order_file file_at(const gb_order_list_t* list, std::size_t rank) {
  gb_order_file found{};
  found.size = sizeof found;
  gb_order_at(list, rank, &found);
  return found;
}

File file_of(const gb_order_file& found, const char* path) {
  File file;
  file.path = path;
  file.size_bytes = found.size_bytes;
  file.device = found.device;
  file.inode = found.inode;
  file.first_extent_bytes = found.first_extent_bytes;
  file.modified_ns = found.modified_ns;
  file.cached_fraction = static_cast<float>(found.cached_fraction);
  file.confidence = static_cast<float>(found.confidence);
  file.access_ns = static_cast<float>(found.access_time_ns);
  file.error = found.error;
  file.rank = static_cast<std::uint32_t>(found.input);
  file.backend = static_cast<std::uint8_t>(found.backend);
  file.order = static_cast<std::uint8_t>(found.order);
  file.level = static_cast<std::uint8_t>(found.level);
  file.has_first_extent = found.has_first_extent != 0;
  return file;
}

}  // namespace

const char* kind_name(std::uint32_t kind) {
  switch (kind) {
    case GB_LEVEL_MEMORY:
      return "memory";
    case GB_LEVEL_FLASH:
      return "flash";
    case GB_LEVEL_DISK:
      return "disk";
    default:
      return "server";
  }
}

OrderedFiles::OrderedFiles(const Names& names, const Wanted& wanted, const OrderRule& rule) : names_(&names) {
  const Detector detector(open_detector(wanted, wanted.backend, wanted.is_cache_wanted));
  if (!detector) return;
  Context context{wanted, gray::cli::Progress("looking at files", names.size())};
  gb_order_options options = options_of(wanted, rule);
  options.detector = detector.get();
  options.context = &context;
  gb_order_list_t* list = nullptr;
  const gb_status_t status = gb_order_find(names.data(), names.size(), &options, &list);
  list_.reset(list);
  context.progress.finish();
  if (status != 0) gray::cli::warn("no order was found: {}", gb_status_text(status));
}

File OrderedFiles::operator[](std::size_t rank) const {
  const gb_order_file found = file_at(list_.get(), rank);
  return file_of(found, (*names_)[found.input]);
}

std::vector<gb_order_level> OrderedFiles::levels() const {
  std::vector<gb_order_level> levels(gb_order_level_count(list_.get()));
  for (std::size_t i = 0; i < levels.size(); ++i) {
    levels[i].size = sizeof levels[i];
    gb_order_level_at(list_.get(), i, &levels[i]);
  }
  return levels;
}

std::vector<File> OrderedFiles::in_order() const {
  std::vector<File> files;
  files.reserve(size());
  for (std::size_t rank = 0; rank < size(); ++rank) files.push_back((*this)[rank]);
  return files;
}

std::vector<File> OrderedFiles::as_given() const {
  std::vector<File> files(size());
  for (std::size_t rank = 0; rank < size(); ++rank) {
    const File file = (*this)[rank];
    files[file.rank] = file;
  }
  return files;
}

bool is_cached(const File& file) {
  return gray::core::is_cached_by_itself(file.cached_fraction, file.size_bytes);
}

std::string describe(const std::vector<gb_order_level>& levels) {
  std::string text;
  std::size_t number = 0;
  for (const gb_order_level& level : levels) {
    text += fmt::format("level {}: {}, {} files, {}; a first read takes {} ({} to {})\n", ++number,
                        kind_name(level.kind), level.files, gray::cli::format_bytes(level.bytes),
                        gray::cli::format_duration_ns(static_cast<double>(level.median_ns)),
                        gray::cli::format_duration_ns(static_cast<double>(level.low_ns)),
                        gray::cli::format_duration_ns(static_cast<double>(level.high_ns)));
  }
  return text;
}

}  // namespace gbp
