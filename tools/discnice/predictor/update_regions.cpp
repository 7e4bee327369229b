// SPDX-License-Identifier: MIT
#include "tools/discnice/predictor/update_regions.hpp"

#include "tools/discnice/predictor/dirty_age.hpp"
#include "tools/discnice/predictor/page_key.hpp"

namespace discnice::predictor {
namespace {

std::uint64_t overlap(std::uint64_t a_first, std::uint64_t a_end, std::uint64_t b_first,
                      std::uint64_t b_end) {
  const std::uint64_t first = a_first > b_first ? a_first : b_first;
  const std::uint64_t end = a_end < b_end ? a_end : b_end;
  return end > first ? end - first : 0;
}

}  // namespace

std::uint16_t UpdateRegions::tag_of(const FileId& file) {
  return static_cast<std::uint16_t>(spread(file.inode, file.device) >> 48U);
}

unsigned UpdateRegions::index_of(const FileId& file) const {
  if (last_ < file_count() && files_[last_].id == file) return last_;
  const std::uint16_t tag = tag_of(file);
  for (unsigned i = file_count(); i-- > 0;) {
    if (tags_[i] == tag && files_[i].id == file) return i;
  }
  return kFilesMax;
}

UpdateRegions::File* UpdateRegions::find(const FileId& file, std::uint64_t now_ns) {
  const unsigned index = index_of(file);
  if (index == kFilesMax) return wake(file, now_ns);
  if (now_ns - files_[index].dirty_since_ns < kDirtyAgeMaxNs) return &files_[index];
  drop(index);  // written back by age
  return nullptr;
}

UpdateRegions::File& UpdateRegions::find_or_add(const FileId& file, std::uint64_t now_ns) {
  File* known = find(file, now_ns);
  return known != nullptr ? *known : add(file, now_ns);
}

unsigned UpdateRegions::longest_unused() const {
  unsigned longest = 0;
  for (unsigned i = 1; i < file_count(); ++i) {
    if (last_marks_[i] < last_marks_[longest]) longest = i;
  }
  return longest;
}

UpdateRegions::File& UpdateRegions::add(const FileId& file, std::uint64_t dirty_since_ns) {
  unsigned place = file_count();
  if (place < kFilesMax) {
    file_count_ = place + 1;
  } else {
    place = longest_unused();
    put_to_rest(files_[place]);
  }
  File& added = files_[place];
  added.id = file;
  tags_[place] = tag_of(file);
  added.dirty_since_ns = dirty_since_ns;
  added.interval_count = 0;
  return added;
}

void UpdateRegions::put_to_rest(const File& file) {
  if (rest_ == Rest::not_needed) rest_ = Rest::wanted;
  if (rest_ != Rest::allowed) return;
  Interval longest;
  for (std::uint32_t i = 0; i < file.count(); ++i) {
    const Interval& one = file.intervals[i];
    if (one.end_page - one.first_page > longest.end_page - longest.first_page) longest = one;
  }
  resting_count_ += resting_.put({file.id, file.dirty_since_ns, longest.first_page, longest.end_page});
}

// A file that is written to or removed is one of the table again.
UpdateRegions::File* UpdateRegions::wake(const FileId& id, std::uint64_t now_ns) {
  RestingFiles::File rested;
  if (resting_count_ == 0 || rest_ != Rest::allowed || !resting_.take(id, &rested)) return nullptr;
  --resting_count_;
  if (now_ns - rested.dirty_since_ns >= kDirtyAgeMaxNs) return nullptr;
  File& woken = add(id, rested.dirty_since_ns);
  last_marks_[&woken - files_] = ++marks_;
  insert(woken, {rested.first_page, rested.end_page});
  return &woken;
}

void UpdateRegions::drop(unsigned index) {
  const unsigned last = file_count() - 1;
  file_count_ = last;
  files_[index] = files_[last];
  tags_[index] = tags_[last];
  last_marks_[index] = last_marks_[last];
}

// Puts `count` intervals, one more than there is room for at most, into the file. When there is no room the shortest is forgotten, but
// not the newest: who writes here and there goes on where he is, and the place would be forgotten again at each step.
void UpdateRegions::store(File& file, const Interval* kept, std::uint32_t count, std::uint32_t newest) {
  std::uint32_t shortest = count;
  if (count > kIntervalsMax) {
    shortest = newest == 0 ? 1 : 0;
    for (std::uint32_t i = shortest + 1; i < count; ++i) {
      if (i != newest &&
          kept[i].end_page - kept[i].first_page < kept[shortest].end_page - kept[shortest].first_page)
        shortest = i;
    }
  }
  file.interval_count = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (i != shortest) file.intervals[file.interval_count++] = kept[i];
  }
}

// Merges `added` with the intervals it touches.
void UpdateRegions::insert(File& file, Interval added) {
  Interval kept[kIntervalsMax + 1];
  std::uint32_t count = 0;
  std::uint32_t place = UINT32_MAX;  // of the added one, once it has one
  for (std::uint32_t i = 0; i < file.count(); ++i) {
    const Interval old = file.intervals[i];
    if (old.end_page < added.first_page || old.first_page > added.end_page) {
      if (place == UINT32_MAX && old.first_page > added.end_page) {
        place = count;
        kept[count++] = added;
      }
      kept[count++] = old;
      continue;
    }
    if (old.first_page < added.first_page) added.first_page = old.first_page;
    if (old.end_page > added.end_page) added.end_page = old.end_page;
  }
  if (place == UINT32_MAX) {  // it goes behind everything that lies before it
    place = count;
    while (place > 0 && kept[place - 1].first_page > added.first_page) {
      kept[place] = kept[place - 1];
      --place;
    }
    kept[place] = added;
    ++count;
  }
  store(file, kept, count, place);
}

std::uint64_t UpdateRegions::mark(const FileId& id, std::uint64_t first_page, std::uint64_t end_page,
                                  std::uint64_t now_ns) {
  if (end_page <= first_page) return 0;
  File& file = find_or_add(id, now_ns);
  last_ = static_cast<unsigned>(&file - files_);
  last_marks_[last_] = ++marks_;
  std::uint64_t already = 0;
  for (std::uint32_t i = 0; i < file.count(); ++i) {
    already += overlap(first_page, end_page, file.intervals[i].first_page, file.intervals[i].end_page);
  }
  if (already < end_page - first_page) insert(file, {first_page, end_page});
  return end_page - first_page - already;
}

bool UpdateRegions::is_dirty(const FileId& id, std::uint64_t page, std::uint64_t now_ns) const {
  const unsigned index = index_of(id);
  RestingFiles::File rested;
  if (index == kFilesMax) {
    return resting_count_ != 0 && rest_ == Rest::allowed && resting_.look(id, &rested) &&
           now_ns - rested.dirty_since_ns < kDirtyAgeMaxNs && page >= rested.first_page &&
           page < rested.end_page;
  }
  if (now_ns - files_[index].dirty_since_ns >= kDirtyAgeMaxNs) return false;
  const File& file = files_[index];
  for (std::uint32_t i = 0; i < file.count(); ++i) {
    if (page >= file.intervals[i].first_page && page < file.intervals[i].end_page) return true;
  }
  return false;
}

std::uint64_t UpdateRegions::remove(const FileId& id, std::uint64_t first_page, std::uint64_t end_page,
                                    std::uint64_t now_ns) {
  File* file = find(id, now_ns);
  if (file == nullptr) return 0;
  Interval kept[kIntervalsMax + 1];  // one that is cut in its middle becomes two
  std::uint32_t count = 0;
  std::uint64_t removed = 0;
  for (std::uint32_t i = 0; i < file->count(); ++i) {
    const Interval old = file->intervals[i];
    const std::uint64_t gone = overlap(old.first_page, old.end_page, first_page, end_page);
    removed += gone;
    if (gone == 0) {
      kept[count++] = old;
      continue;
    }
    if (first_page > old.first_page) kept[count++] = {old.first_page, first_page};
    if (end_page < old.end_page) kept[count++] = {end_page, old.end_page};
  }
  store(*file, kept, count, UINT32_MAX);
  if (file->interval_count == 0) drop(static_cast<unsigned>(file - files_));
  return removed;
}

void UpdateRegions::clear(const FileId& id) {
  RestingFiles::File rested;
  if (const unsigned index = index_of(id); index != kFilesMax) {
    drop(index);
  } else if (resting_count_ != 0 && rest_ == Rest::allowed && resting_.take(id, &rested)) {
    --resting_count_;
  }
}

void UpdateRegions::forget_all() {
  file_count_ = 0;
  resting_count_ = 0;
  if (rest_ == Rest::allowed) resting_.forget_all();
}

std::uint64_t UpdateRegions::dirty_pages() const {
  std::uint64_t pages = rest_ == Rest::allowed ? resting_.pages() : 0;
  for (unsigned i = 0; i < file_count(); ++i) {
    for (std::uint32_t k = 0; k < files_[i].count(); ++k) {
      pages += files_[i].intervals[k].end_page - files_[i].intervals[k].first_page;
    }
  }
  return pages;
}

}  // namespace discnice::predictor
