// SPDX-License-Identifier: MIT
#include "tools/discnice/predictor/resting_files.hpp"

#include "tools/discnice/predictor/page_key.hpp"

namespace discnice::predictor {
namespace {

using gray::base::read_once;

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

unsigned RestingFiles::find(const FileId& id, std::uint64_t hash, Entry* found) const {
  const unsigned set = set_of(hash);
  const std::uint8_t tag = tag_of(hash);
  for (unsigned place = 0; place < kWays; ++place) {
    if (read_once(memory_.tags[set][place]) != tag) continue;
    *found = read_once(memory_.sets[set][place]);
    if (found->inode == id.inode && found->device == id.device) return place;
  }
  return kWays;
}

unsigned RestingFiles::put(const File& file) {
  const std::uint64_t pages = file.end_page - file.first_page;
  if (file.id.device > UINT32_MAX || pages > UINT32_MAX || pages == 0) return 0;
  const std::uint64_t hash = hash_of(file.id);
  const unsigned set = set_of(hash);
  unsigned place = 0;
  while (place < kWays && read_once(memory_.tags[set][place]) != 0) ++place;
  const unsigned more = place < kWays ? 1 : 0;
  if (more == 0) {
    const std::uint8_t next = read_once(memory_.nexts[set]);
    lease_.write(memory_.nexts[set], static_cast<std::uint8_t>(next + 1));
    place = next % kWays;
  }
  lease_.write(memory_.tags[set][place], tag_of(hash));
  lease_.write(memory_.sets[set][place],
               {file.id.inode, file.first_page, file.dirty_since_ns,
                static_cast<std::uint32_t>(file.id.device), static_cast<std::uint32_t>(pages)});
  return more;
}

bool RestingFiles::look(const FileId& id, File* seen) const {
  Entry entry;
  if (find(id, hash_of(id), &entry) == kWays || entry.first_page > kPagesMax - entry.pages) return false;
  *seen = {id, entry.dirty_since_ns, entry.first_page, entry.first_page + entry.pages};
  return true;
}

bool RestingFiles::take(const FileId& id, File* taken) {
  const std::uint64_t hash = hash_of(id);
  Entry entry;
  const unsigned place = find(id, hash, &entry);
  if (place == kWays) return false;
  lease_.write(memory_.tags[set_of(hash)][place], 0);
  *taken = {id, entry.dirty_since_ns, entry.first_page, entry.first_page + entry.pages};
  return entry.first_page <= kPagesMax - entry.pages;
}

std::uint64_t RestingFiles::pages() const {
  std::uint64_t pages = 0;
  for (unsigned set = 0; set < kSets; ++set) {
    for (unsigned place = 0; place < kWays; ++place) {
      if (read_once(memory_.tags[set][place]) != 0) pages += read_once(memory_.sets[set][place].pages);
    }
  }
  return pages;
}

void RestingFiles::forget_all() {
  for (auto& set : memory_.tags) {
    for (std::uint8_t& tag : set) lease_.write(tag, 0);
  }
}

}  // namespace discnice::predictor
