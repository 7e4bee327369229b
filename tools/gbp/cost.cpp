// SPDX-License-Identifier: MIT
#include "tools/gbp/cost.hpp"

#include <cerrno>
#include <memory>

#include <fcntl.h>
#include <unistd.h>

#include "toolbox/cli/progress.hpp"

namespace gbp {
namespace {

struct CloseCache {
  void operator()(gb_cache_t* detector) const { gb_cache_close(detector); }
};

// The place of a file is known even to those who may not read it; whoever gets the list wants to read it.
int readability(const char* path) {
  return faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) == 0 ? 0 : -errno;
}

void look_at_file(gb_cache_t* detector, const Wanted& wanted, File& file) {
  if (wanted.is_cache_wanted) {
    file.error = gb_cache_inspect(detector, file.path.c_str(), &file.cache);
  } else {
    file.error = readability(file.path.c_str());
  }
  if (wanted.is_layout_wanted && file.error == 0) file.error = gb_layout_find(file.path.c_str(), &file.place);
}

}  // namespace

std::vector<File> look_at(const std::vector<std::string>& paths, const Wanted& wanted) {
  gb_cache_options options{};
  options.size = sizeof options;
  options.backend = wanted.backend;
  options.prediction_unit_bytes = wanted.host.prediction_unit_bytes;
  options.hit_time_max_ns = wanted.host.hit_time_max_ns;
  gb_cache_t* opened = nullptr;
  const gb_status_t status = gb_cache_open(&options, &opened);
  const std::unique_ptr<gb_cache_t, CloseCache> detector(opened);
  gray::cli::Progress progress("looking at files", paths.size());
  std::vector<File> files;
  files.reserve(paths.size());
  for (const std::string& path : paths) {
    File& file = files.emplace_back();
    file.path = path;
    file.position = files.size() - 1;
    file.error = status;
    if (status == 0) look_at_file(detector.get(), wanted, file);
    progress.set(files.size());
  }
  return files;
}

}  // namespace gbp
