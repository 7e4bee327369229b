// SPDX-License-Identifier: MIT
// order_api: the C interface of the order in which files are best read. No exception leaves this file.
#include <cerrno>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "gray/order.h"
#include "libgray/src/api/cache_handle.hpp"
#include "libgray/src/api/guarded.hpp"
#include "libgray/src/api/sized_struct.hpp"
#include "libgray/src/core/cached_by_itself.hpp"
#include "libgray/src/filecache/probe_memory.hpp"
#include "libgray/src/order/find_order.hpp"

struct gb_order_list {
  gray::order::Found found;
};

namespace {

using gray::filecache::Backend;
using gray::order::Mode;
using gray::order::Request;

constexpr std::size_t kOptionsSizeFirst = 56;  // release 0.1
constexpr std::size_t kFileSizeFirst = 112;
constexpr std::size_t kLevelSizeFirst = 56;
static_assert(sizeof(gb_order_options) >= kOptionsSizeFirst && sizeof(gb_order_file) >= kFileSizeFirst &&
              sizeof(gb_order_level) >= kLevelSizeFirst);

constexpr std::uint32_t kFlagsAll = GB_ORDER_TELL_CACHE | GB_ORDER_TELL_PLACE | GB_ORDER_TELL_EXTENT |
                                    GB_ORDER_TELL_LEVELS | GB_ORDER_BY_FOLDER;

constexpr std::uint64_t kBudgetForNothing = 1;  // bytes: no page fits in

// The caller's detector, or a detector that is made here. The other detectors are made from this detector when they
// are first needed.
class Detectors {
 public:
  Detectors(gb_cache* given, bool may_probe) : given_(given) {
    if (given != nullptr) return;
    gray::filecache::DetectorOptions options = gray::api::default_options();
    const std::string memory_path = may_probe ? gray::filecache::find_user_memory() : "";
    if (!memory_path.empty()) options.memory_path = memory_path.c_str();
    own_.emplace(options);
  }

  gb_cache& main() { return given_ != nullptr ? *given_ : *own_; }

  // A detector that only gives the kernel's counts and never reads a page.
  gray::filecache::Detector& that_reads_nothing() {
    if (!counting_) {
      gray::filecache::DetectorOptions options = main().options;
      options.probe_budget_bytes = kBudgetForNothing;
      options.memory_path = nullptr;
      counting_.emplace(options);
    }
    return counting_->detector;
  }

  gray::filecache::Detector& that_times() {
    if (!timed_) {
      gray::filecache::DetectorOptions options = main().options;
      options.backend = Backend::timed;
      timed_.emplace(options);
    }
    return timed_->detector;
  }

 private:
  gb_cache* given_;
  std::optional<gb_cache> own_;
  std::optional<gb_cache> counting_;
  std::optional<gb_cache> timed_;
};

int read_options(const struct gb_order_options* given, struct gb_order_options& asked) {
  asked = {};
  if (given == nullptr) return 0;
  const int status = gray::api::read_sized(given, kOptionsSizeFirst, asked);
  if (status != 0) return status;
  const bool makes_sense =
      asked.mode <= GB_ORDER_BY_PLACE && asked.order <= GB_ORDER_NONE && (asked.flags & ~kFlagsAll) == 0;
  return makes_sense ? 0 : -EINVAL;
}

// When files are ordered by their places alone, no page is read. The check whether files are in memory must not cost a seek.
bool may_probe(const struct gb_order_options& asked) {
  return asked.mode != GB_ORDER_BY_PLACE || (asked.flags & GB_ORDER_TELL_CACHE) != 0;
}

Request request_of(const struct gb_order_options& asked, Detectors& detectors) {
  Request request;
  request.mode = static_cast<Mode>(asked.mode);
  request.order = static_cast<gray::layout::Order>(asked.order);
  request.is_by_folder = (asked.flags & GB_ORDER_BY_FOLDER) != 0;
  request.is_cache_told = (asked.flags & GB_ORDER_TELL_CACHE) != 0;
  request.is_place_told = (asked.flags & GB_ORDER_TELL_PLACE) != 0;
  request.is_extent_told = (asked.flags & GB_ORDER_TELL_EXTENT) != 0;
  request.are_levels_told = (asked.flags & GB_ORDER_TELL_LEVELS) != 0;
  request.hit_time_max_ns = detectors.main().options.hit_time_max_ns;
  request.record = &detectors.main().record;
  request.detector = [&asked, &detectors]() -> gray::filecache::Detector& {
    return may_probe(asked) ? detectors.main().detector : detectors.that_reads_nothing();
  };
  request.timed_detector = [&detectors]() -> gray::filecache::Detector& { return detectors.that_times(); };
  request.random_over_sequential = [&asked, &detectors](const char* path) {
    if (asked.random_over_sequential != nullptr) return asked.random_over_sequential(asked.context, path);
    const auto& ratio = detectors.main().record.settings_for(path).ratio;
    return ratio ? ratio->parameter.value : 0;
  };
  request.goes_on = [&asked](std::size_t looked_at) {
    return asked.progress == nullptr || asked.progress(asked.context, looked_at) == 0;
  };
  return request;
}

bool is_share_known(const gray::order::File& file) {
  return file.cached_fraction >= 0;
}

struct gb_order_file file_of(const gray::order::File& found, std::size_t levels) {
  struct gb_order_file file {};
  file.input = found.input;
  file.error = found.error;
  file.backend = static_cast<std::uint32_t>(found.backend);
  file.cached_fraction = found.cached_fraction;
  file.confidence = found.confidence;
  file.cached_bytes = -1;
  if (is_share_known(found))
    file.cached_bytes = std::llround(gray::core::cached_bytes(found.cached_fraction, found.size_bytes));
  file.size_bytes = found.size_bytes;
  file.access_time_ns = static_cast<std::uint64_t>(std::llround(found.access_ns));
  file.device = found.device;
  file.inode = found.inode;
  file.first_extent_bytes = found.first_extent_bytes;
  file.has_first_extent = found.has_first_extent ? 1 : 0;
  file.order = static_cast<std::uint32_t>(found.order);
  file.level = levels == 0 ? 0 : found.level;
  file.is_cached = gray::core::is_cached_by_itself(found.cached_fraction, found.size_bytes) ? 1 : 0;
  file.modified_ns = found.modified_ns;
  return file;
}

}  // namespace

extern "C" gb_status_t gb_order_find(const char* const* paths, size_t count,
                                     const struct gb_order_options* options, gb_order_list_t** list) {
  if (list == nullptr) return -EINVAL;
  *list = nullptr;
  if ((paths == nullptr && count != 0) || count > std::numeric_limits<std::uint32_t>::max()) return -EINVAL;
  return gray::api::guarded([&] {
    struct gb_order_options asked {};
    int status = read_options(options, asked);
    if (status != 0) return status;
    Detectors detectors(asked.detector, may_probe(asked));
    auto made = std::make_unique<gb_order_list>();
    status = gray::order::find_order(paths, count, request_of(asked, detectors), made->found);
    if (status == 0) *list = made.release();
    return status;
  });
}

extern "C" size_t gb_order_count(const gb_order_list_t* list) {
  return list == nullptr ? 0 : list->found.files.size();
}

extern "C" gb_status_t gb_order_at(const gb_order_list_t* list, size_t rank, struct gb_order_file* file) {
  if (file == nullptr || rank >= gb_order_count(list)) return -EINVAL;
  return gray::api::write_sized(file_of(list->found.files[rank], list->found.levels.size()), kFileSizeFirst,
                                file);
}

extern "C" size_t gb_order_level_count(const gb_order_list_t* list) {
  return list == nullptr ? 0 : list->found.levels.size();
}

extern "C" gb_status_t gb_order_level_at(const gb_order_list_t* list, size_t i,
                                         struct gb_order_level* level) {
  if (level == nullptr || i >= gb_order_level_count(list)) return -EINVAL;
  const gray::order::StoreLevel& found = list->found.levels[i];
  struct gb_order_level answer {};
  answer.kind = static_cast<std::uint32_t>(found.kind);
  answer.files = found.files;
  answer.bytes = found.bytes;
  answer.median_ns = found.median_ns;
  answer.low_ns = found.low_ns;
  answer.high_ns = found.high_ns;
  return gray::api::write_sized(answer, kLevelSizeFirst, level);
}

extern "C" void gb_order_free(gb_order_list_t* list) {
  delete list;
}
