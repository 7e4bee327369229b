// SPDX-License-Identifier: MIT
#include "tools/discnice/predictor/resting_files.hpp"

#include "tools/discnice/predictor/page_key.hpp"

namespace discnice::predictor {
namespace {

unsigned set_of(std::uint64_t hash) {
  return static_cast<unsigned>(hash >> 32U) % RestingFiles::kSets;
}

std::uint8_t tag_of(std::uint64_t hash) {
  const auto tag = static_cast<std::uint8_t>(hash >> 56U);
  return tag != 0 ? tag : 1;
}

}  // namespace

static_assert((RestingFiles::kSets & (RestingFiles::kSets - 1)) == 0);

std::uint64_t RestingFiles::hash_of(const FileId& id) {
  return spread(id.inode, id.device);
}

unsigned RestingFiles::place_of(const FileId& id, std::uint64_t hash) const {
  const unsigned set = set_of(hash);
  const std::uint8_t tag = tag_of(hash);
  for (unsigned place = 0; place < kWays; ++place) {
    if (tags_[set][place] != tag) continue;
    const Entry& entry = sets_[set][place];
    if (entry.inode == id.inode && entry.device == id.device) return place;
  }
  return kWays;
}

unsigned RestingFiles::put(const File& file) {
  const std::uint64_t pages = file.end_page - file.first_page;
  if (file.id.device > UINT32_MAX || pages > UINT32_MAX || pages == 0) return 0;
  const std::uint64_t hash = hash_of(file.id);
  const unsigned set = set_of(hash);
  unsigned place = 0;
  while (place < kWays && tags_[set][place] != 0) ++place;
  const unsigned more = place < kWays ? 1 : 0;
  if (more == 0) place = nexts_[set]++ % kWays;
  tags_[set][place] = tag_of(hash);
  sets_[set][place] = {file.id.inode, file.first_page, file.dirty_since_ns,
                       static_cast<std::uint32_t>(file.id.device), static_cast<std::uint32_t>(pages)};
  return more;
}

bool RestingFiles::look(const FileId& id, File* seen) const {
  const std::uint64_t hash = hash_of(id);
  const unsigned place = place_of(id, hash);
  if (place == kWays) return false;
  const Entry& entry = sets_[set_of(hash)][place];
  *seen = {id, entry.dirty_since_ns, entry.first_page, entry.first_page + entry.pages};
  return true;
}

bool RestingFiles::take(const FileId& id, File* taken) {
  if (!look(id, taken)) return false;
  const std::uint64_t hash = hash_of(id);
  tags_[set_of(hash)][place_of(id, hash)] = 0;
  return true;
}

std::uint64_t RestingFiles::pages() const {
  std::uint64_t pages = 0;
  for (unsigned set = 0; set < kSets; ++set) {
    for (unsigned place = 0; place < kWays; ++place) {
      if (tags_[set][place] != 0) pages += sets_[set][place].pages;
    }
  }
  return pages;
}

void RestingFiles::forget_all() {
  for (auto& set : tags_) {
    for (std::uint8_t& tag : set) tag = 0;
  }
}

}  // namespace discnice::predictor
