// SPDX-License-Identifier: MIT
#include "tools/discnice/predictor/update_regions.hpp"

#include "tools/discnice/predictor/dirty_age.hpp"
#include "tools/discnice/predictor/page_key.hpp"

namespace discnice::predictor {
namespace {

using gray::base::read_once;
using gray::base::write_once;

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

std::uint64_t UpdateRegions::File::pages_in(std::uint64_t first_page, std::uint64_t end_page) const {
  std::uint64_t pages = 0;
  for (unsigned i = 0; i < count; ++i)
    pages += overlap(first_page, end_page, intervals[i].first_page, intervals[i].end_page);
  return pages;
}

unsigned UpdateRegions::file_count() const {
  const std::uint32_t count = read_once(memory_.file_count);
  return count < kFilesMax ? count : kFilesMax;
}

// Damaged memory may make this count wrong. It becomes right when the table is cleared. Until then it only causes look-ups that find
// nothing.
std::uint32_t UpdateRegions::resting_count() const {
  return read_once(memory_.resting_count);
}

void UpdateRegions::count_resting(std::uint32_t more, std::uint32_t less) {
  const std::uint32_t count = resting_count() + more;
  lease_.write(memory_.resting_count, count > less ? count - less : 0);
}

void UpdateRegions::set_rest(Rest rest) {
  lease_.write(memory_.rest, static_cast<std::uint32_t>(rest));
}

bool UpdateRegions::load(unsigned index, File* file) const {
  const Entry& entry = memory_.files[index];
  const auto head = read_once(entry.head);
  if (head.interval_count > kIntervalsMax) return false;
  file->id = head.id;
  file->dirty_since_ns = head.dirty_since_ns;
  file->count = static_cast<unsigned>(head.interval_count);
  std::uint64_t before = 0;
  for (unsigned i = 0; i < file->count; ++i) {
    const Interval one = file->intervals[i] = read_once(entry.intervals[i]);
    const bool is_behind = i == 0 || one.first_page > before;
    if (!is_behind || one.end_page <= one.first_page || one.end_page > kPagesMax) return false;
    before = one.end_page;
  }
  return true;
}

void UpdateRegions::store(unsigned index, const File& file) {
  Entry& entry = memory_.files[index];
  const unsigned count = file.count < kIntervalsMax ? file.count : kIntervalsMax;
  lease_.write(entry.head, {file.id, file.dirty_since_ns, count});
  for (unsigned i = 0; i < count; ++i) lease_.write(entry.intervals[i], file.intervals[i]);
}

unsigned UpdateRegions::index_of(const FileId& file) const {
  const unsigned count = file_count();
  const std::uint32_t last = read_once(memory_.last);
  if (last < count && read_once(memory_.files[last].head.id) == file) return last;
  const std::uint16_t tag = tag_of(file);
  for (unsigned i = count; i-- > 0;) {
    if (read_once(memory_.tags[i]) == tag && read_once(memory_.files[i].head.id) == file) return i;
  }
  return kFilesMax;
}

unsigned UpdateRegions::find(const FileId& file, std::uint64_t now_ns, File* found) {
  const unsigned index = index_of(file);
  if (index == kFilesMax) return wake(file, now_ns, found);
  if (load(index, found) && found->id == file && is_young(found->dirty_since_ns, now_ns)) return index;
  drop(index);  // written back by age, or damaged
  return kFilesMax;
}

unsigned UpdateRegions::longest_unused() const {
  unsigned longest = 0;
  std::uint64_t longest_mark = UINT64_MAX;
  for (unsigned i = 0; i < kFilesMax; ++i) {
    const std::uint64_t mark = read_once(memory_.last_marks[i]);
    if (mark >= longest_mark) continue;
    longest = i;
    longest_mark = mark;
  }
  return longest;
}

unsigned UpdateRegions::add(const File& file) {
  unsigned place = file_count();
  const bool has_room = place < kFilesMax;
  if (!has_room) {
    place = longest_unused();
    File unused;
    if (load(place, &unused)) put_to_rest(unused);
  }
  store(place, file);
  lease_.write(memory_.tags[place], tag_of(file.id));
  if (has_room) lease_.write(memory_.file_count, place + 1);
  return place;
}

void UpdateRegions::put_to_rest(const File& file) {
  if (rest_is(Rest::not_needed)) set_rest(Rest::wanted);
  if (!rest_is(Rest::allowed)) return;
  Interval longest{0, 0};
  for (unsigned i = 0; i < file.count; ++i) {
    const Interval& one = file.intervals[i];
    if (one.end_page - one.first_page > longest.end_page - longest.first_page) longest = one;
  }
  count_resting(resting().put({file.id, file.dirty_since_ns, longest.first_page, longest.end_page}), 0);
}

// Moves a resting file back into the table, because it is written to or removed.
unsigned UpdateRegions::wake(const FileId& id, std::uint64_t now_ns, File* woken) {
  RestingFiles::File rested;
  if (!has_resting() || !resting().take(id, &rested)) return kFilesMax;
  count_resting(0, 1);
  if (!is_young(rested.dirty_since_ns, now_ns)) return kFilesMax;
  *woken = File(id, rested.dirty_since_ns);
  if (rested.end_page > rested.first_page) woken->append({rested.first_page, rested.end_page});
  const unsigned index = add(*woken);
  note_mark(index);
  return index;
}

void UpdateRegions::note_mark(unsigned index) {
  if (!lease_.is_held()) return;
  const std::uint64_t marks = read_once(memory_.marks) + 1;
  write_once(memory_.marks, marks);
  write_once(memory_.last_marks[index], marks);
}

// Whether the file was marked last and one of its intervals contains the whole range. Most writes are such rewrites, which change only a number.
bool UpdateRegions::is_rewrite(const FileId& id, std::uint64_t first_page, std::uint64_t end_page,
                               std::uint64_t now_ns, unsigned* index) const {
  const std::uint32_t last = read_once(memory_.last);
  if (last >= file_count()) return false;
  const Entry& entry = memory_.files[last];
  const auto head = read_once(entry.head);
  if (!(head.id == id) || !is_young(head.dirty_since_ns, now_ns) || head.interval_count > kIntervalsMax)
    return false;
  *index = last;
  for (unsigned i = 0; i < head.interval_count; ++i) {
    const Interval one = read_once(entry.intervals[i]);
    if (one.first_page <= first_page && end_page <= one.end_page) return true;
  }
  return false;
}

void UpdateRegions::drop(unsigned index) {
  const unsigned count = file_count();
  if (index >= count) return;  // another process has emptied the table meanwhile
  const unsigned last = count - 1;
  lease_.write(memory_.file_count, last);
  if (index == last) return;
  lease_.write(memory_.files[index], read_once(memory_.files[last]));
  lease_.write(memory_.tags[index], read_once(memory_.tags[last]));
  lease_.write(memory_.last_marks[index], read_once(memory_.last_marks[last]));
}

// When there is no room, the shortest interval except the newest is forgotten. A program that writes at random places continues at the newest
// interval. Without the exception this interval would be forgotten at each step.
void UpdateRegions::forget_shortest(File& file, unsigned newest) {
  if (file.count <= kIntervalsMax) return;
  unsigned shortest = newest == 0 ? 1 : 0;
  for (unsigned i = shortest + 1; i < file.count; ++i) {
    const Interval& one = file.intervals[i];
    const Interval& least = file.intervals[shortest];
    if (i != newest && one.end_page - one.first_page < least.end_page - least.first_page) shortest = i;
  }
  for (unsigned i = shortest + 1; i < file.count; ++i) file.intervals[i - 1] = file.intervals[i];
  --file.count;
}

// Merges `added` with the intervals it touches.
void UpdateRegions::insert(File& file, Interval added) {
  File merged(file.id, file.dirty_since_ns);
  unsigned i = 0;
  while (i < file.count && file.intervals[i].end_page < added.first_page) merged.append(file.intervals[i++]);
  const unsigned newest = merged.count;
  for (; i < file.count && file.intervals[i].first_page <= added.end_page; ++i) {
    const Interval& old = file.intervals[i];
    if (old.first_page < added.first_page) added.first_page = old.first_page;
    if (old.end_page > added.end_page) added.end_page = old.end_page;
  }
  merged.append(added);
  while (i < file.count) merged.append(file.intervals[i++]);
  forget_shortest(merged, newest);
  file = merged;
}

std::uint64_t UpdateRegions::mark(const FileId& id, std::uint64_t first_page, std::uint64_t end_page,
                                  std::uint64_t now_ns) {
  if (end_page <= first_page) return 0;
  const std::uint64_t asked = end_page - first_page;
  if (end_page > kPagesMax) return asked;
  unsigned index = 0;
  if (is_rewrite(id, first_page, end_page, now_ns, &index)) {
    note_mark(index);
    return 0;
  }
  File file;
  index = find(id, now_ns, &file);
  if (index == kFilesMax) {
    file = File(id, now_ns);
    index = add(file);
  }
  lease_.write(memory_.last, index);
  note_mark(index);
  const std::uint64_t already = file.pages_in(first_page, end_page);
  if (already < asked) {
    insert(file, {first_page, end_page});
    store(index, file);
  }
  return already < asked ? asked - already : 0;
}

bool UpdateRegions::is_dirty(const FileId& id, std::uint64_t page, std::uint64_t now_ns) const {
  const unsigned index = index_of(id);
  if (index == kFilesMax) {
    RestingFiles::File rested;
    return has_resting() && resting().look(id, &rested) && is_young(rested.dirty_since_ns, now_ns) &&
           page >= rested.first_page && page < rested.end_page;
  }
  File file;
  return load(index, &file) && file.id == id && is_young(file.dirty_since_ns, now_ns) &&
         file.pages_in(page, page + 1) != 0;
}

std::uint64_t UpdateRegions::remove(const FileId& id, std::uint64_t first_page, std::uint64_t end_page,
                                    std::uint64_t now_ns) {
  File file;
  const unsigned index = find(id, now_ns, &file);
  if (index == kFilesMax) return 0;
  File left(id, file.dirty_since_ns);
  std::uint64_t removed = 0;
  for (unsigned i = 0; i < file.count; ++i) {
    const Interval& old = file.intervals[i];
    const std::uint64_t gone = overlap(old.first_page, old.end_page, first_page, end_page);
    removed += gone;
    if (gone == 0) {
      left.append(old);
      continue;
    }
    if (first_page > old.first_page) left.append({old.first_page, first_page});
    if (end_page < old.end_page) left.append({end_page, old.end_page});
  }
  forget_shortest(left, kIntervalsMax + 1);
  if (left.count == 0) {
    drop(index);
  } else if (removed != 0) {
    store(index, left);
  }
  return removed;
}

void UpdateRegions::clear(const FileId& id) {
  RestingFiles::File rested;
  if (const unsigned index = index_of(id); index != kFilesMax) {
    drop(index);
  } else if (has_resting() && resting().take(id, &rested)) {
    count_resting(0, 1);
  }
}

void UpdateRegions::forget_all() {
  const bool has_rest = rest_is(Rest::allowed);
  lease_.write(memory_.file_count, 0);
  lease_.write(memory_.resting_count, 0);
  if (has_rest) resting().forget_all();
}

std::uint64_t UpdateRegions::dirty_pages() const {
  std::uint64_t pages = rest_is(Rest::allowed) ? resting().pages() : 0;
  for (unsigned i = 0; i < file_count(); ++i) {
    File file;
    if (load(i, &file)) pages += file.pages_in(0, kPagesMax);
  }
  return pages;
}

}  // namespace discnice::predictor
