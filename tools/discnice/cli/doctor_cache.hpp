// SPDX-License-Identifier: MIT
// doctor_cache: by which means the page cache can be asked about a file here, tried as a job would use them.
#pragma once

#include <cstdint>
#include <string>

#include <sys/types.h>

namespace discnice::cli {

/// The best first.
enum class CacheWay : std::uint8_t { cachestat, mincore, nowait, timed };

/// For a person.
const char* name_of(CacheWay way);

struct OwnCache {
  CacheWay way = CacheWay::timed;
  bool does_let_go = false;  // what was brought in can be dropped again, and is seen to be gone
};

/// Of a new and empty file of this user's, which is written to.
OwnCache probe_own_cache(int fd);

/// Of somebody else's file, open for reading. Reads one page of it.
CacheWay probe_others_cache(int fd);

/// A file on that file system that belongs to somebody else and can be read and not written: in the folder, or well known. Empty where none was found.
std::string find_others_file(const std::string& folder, dev_t device);

}  // namespace discnice::cli
