// SPDX-License-Identifier: MIT
#include "tools/discnice/predictor/resting_files.hpp"

#include "tools/discnice/predictor/page_key.hpp"

namespace discnice::predictor {

static_assert((RestingFiles::kSets & (RestingFiles::kSets - 1)) == 0);

unsigned RestingFiles::set_of(const FileId& id) {
  return static_cast<unsigned>(spread(id.inode, id.device) >> 32U) % kSets;
}

unsigned RestingFiles::place_in(const Set& set, const FileId& id) {
  unsigned place = 0;
  while (place < kWays &&
         (set[place].inode != id.inode || set[place].device != id.device || set[place].pages == 0))
    ++place;
  return place;
}

unsigned RestingFiles::put(const File& file) {
  const std::uint64_t pages = file.end_page - file.first_page;
  if (file.id.device > UINT32_MAX || pages > UINT32_MAX || pages == 0) return 0;
  Set& set = sets_[set_of(file.id)];
  unsigned place = 0;
  while (place < kWays - 1 && set[place].pages != 0) ++place;
  const unsigned more = set[place].pages == 0 ? 1 : 0;
  for (; place > 0; --place) set[place] = set[place - 1];
  set[0] = {file.id.inode, file.first_page, file.dirty_since_ns, static_cast<std::uint32_t>(file.id.device),
            static_cast<std::uint32_t>(pages)};
  return more;
}

bool RestingFiles::look(const FileId& id, File* seen) const {
  const Set& set = sets_[set_of(id)];
  const unsigned place = place_in(set, id);
  if (place == kWays) return false;
  const Entry& entry = set[place];
  *seen = {id, entry.dirty_since_ns, entry.first_page, entry.first_page + entry.pages};
  return true;
}

bool RestingFiles::take(const FileId& id, File* taken) {
  if (!look(id, taken)) return false;
  Set& set = sets_[set_of(id)];
  unsigned place = place_in(set, id);
  for (; place < kWays - 1; ++place) set[place] = set[place + 1];
  set[kWays - 1] = {};
  return true;
}

std::uint64_t RestingFiles::pages() const {
  std::uint64_t pages = 0;
  for (const Set& set : sets_) {
    for (const Entry& entry : set) pages += entry.pages;
  }
  return pages;
}

void RestingFiles::forget_all() {
  for (Set& set : sets_) {
    for (Entry& entry : set) entry.pages = 0;
  }
}

}  // namespace discnice::predictor
