// SPDX-License-Identifier: MIT
#include "libgray/src/order/find_order.hpp"

#include "libgray/src/order/best_order.hpp"
#include "libgray/src/order/look.hpp"

namespace gray::order {

int find_order(const char* const* paths, std::size_t count, const Request& request, Found& found) {
  const int status = look_at(paths, count, request, found.files);
  if (status != 0) return status;
  if (request.is_cache_wanted()) found.levels = find_levels(found.files, request);
  sort_files(found.files, request.mode, request.is_by_folder);
  for (File& file : found.files) file.path = "";
  return 0;
}

}  // namespace gray::order
