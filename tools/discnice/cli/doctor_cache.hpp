// SPDX-License-Identifier: MIT
// doctor_cache: finds the method that tells here whether pages of a file are in the page cache. It tries the methods as a job would use them.
#pragma once

#include <cstdint>
#include <string>

#include <sys/types.h>

namespace discnice::cli {

/// The methods, the best first.
enum class CacheWay : std::uint8_t { cachestat, mincore, nowait, timed };

/// The name of the method, for a person.
const char* name_of(CacheWay way);

struct OwnCache {
  CacheWay way = CacheWay::timed;
  bool does_let_go = false;  // pages can be dropped again, and the method sees that they are gone
};

/// Tries the methods on a new, empty file of this user. Writes to the file.
OwnCache probe_own_cache(int fd);

/// Tries the methods on another user's file, which is open for reading. Reads one page of the file.
CacheWay probe_others_cache(int fd);

/// Finds a file of another user on the file system `device`. This user must be able to read the file. Unless this user is root, the file must not be
/// writable for this user. Searches the folder, then some well-known paths. Returns an empty text when no such file is found.
std::string find_others_file(const std::string& folder, dev_t device);

}  // namespace discnice::cli
