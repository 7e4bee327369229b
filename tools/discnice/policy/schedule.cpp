// SPDX-License-Identifier: MIT
#include "tools/discnice/policy/schedule.hpp"

#include <cstring>
#include <initializer_list>

#include "toolbox/base/units.hpp"
#include "tools/discnice/policy/registry.hpp"

namespace discnice::policy {
namespace {

constexpr const char* kDays[] = {"mon", "tue", "wed", "thu", "fri", "sat", "sun"};
constexpr std::size_t kDayLetters = 3;
constexpr unsigned kDayCount = 7;

struct Word {
  const char* start;
  std::size_t length;
};

bool is_word(Word word, const char* text) {
  return word.length == std::strlen(text) && std::memcmp(word.start, text, word.length) == 0;
}

// Takes the next word from the front of the text. Empty at the end of the text.
Word next_word(const char** at, const char* end) {
  while (*at < end && **at == ' ') ++*at;
  const char* start = *at;
  while (*at < end && **at != ' ') ++*at;
  return {start, static_cast<std::size_t>(*at - start)};
}

bool read_day(Word word, unsigned* day) {
  if (word.length != kDayLetters) return false;
  for (unsigned i = 0; i < kDayCount; ++i) {
    bool is_same = true;
    for (std::size_t j = 0; j < kDayLetters; ++j) is_same = is_same && (word.start[j] | 0x20) == kDays[i][j];
    if (is_same) *day = i;
    if (is_same) return true;
  }
  return false;
}

// Splits "a-b". Without a dash both results are the whole word.
void split(Word word, Word* first, Word* last) {
  const void* dash = std::memchr(word.start, '-', word.length);
  *first = *last = word;
  if (dash == nullptr) return;
  first->length = static_cast<std::size_t>(static_cast<const char*>(dash) - word.start);
  last->start = word.start + first->length + 1;
  last->length = word.length - first->length - 1;
}

bool read_days(Word word, ScheduleEntry* entry) {
  Word first{};
  Word last{};
  split(word, &first, &last);
  return read_day(first, &entry->first_day) && read_day(last, &entry->last_day);
}

bool is_digit(char character) {
  return character >= '0' && character <= '9';
}

bool read_clock(Word word, unsigned* minute) {
  constexpr std::size_t kClockLetters = 5;
  if (word.length != kClockLetters || word.start[2] != ':') return false;
  for (const std::size_t i : {0UL, 1UL, 3UL, 4UL}) {
    if (!is_digit(word.start[i])) return false;
  }
  const auto number = [&word](std::size_t i) {
    return static_cast<unsigned>((word.start[i] - '0') * 10 + (word.start[i + 1] - '0'));
  };
  if (number(0) > 24 || number(3) > 59 || number(0) * 60 + number(3) > kDayMinutes) return false;
  *minute = number(0) * 60 + number(3);
  return true;
}

bool read_hours(Word word, ScheduleEntry* entry) {
  if (std::memchr(word.start, '-', word.length) == nullptr) return false;
  Word first{};
  Word last{};
  split(word, &first, &last);
  return read_clock(first, &entry->from_minute) && read_clock(last, &entry->to_minute) &&
         entry->from_minute != entry->to_minute;
}

bool read_action(Word word, ScheduleEntry* entry) {
  entry->is_pause = is_word(word, "pause");
  if (entry->is_pause) return true;
  const int id = policy_id_by_name(word.start, word.length);
  if (id >= 0 && !policy_by_id(static_cast<std::uint32_t>(id)).needs_rate) {
    entry->policy_id = static_cast<std::uint32_t>(id);
    return true;
  }
  const auto rate = gray::base::parse_rate_bytes_per_s(word.start, word.length);
  if (!rate || gray::base::is_unit_forgotten(word.start, word.length, rate.value())) return false;
  entry->policy_id = kRateWindowId;
  entry->rate_bytes_per_s = rate.value();
  return true;
}

// `net` and its limit, up to the entry's end.
bool read_net(const char* at, const char* end, ScheduleEntry* entry) {
  while (at < end && *at == ' ') ++at;
  while (at < end && end[-1] == ' ') --end;
  entry->has_net = parse_net_limits(at, static_cast<std::size_t>(end - at), &entry->net);
  return entry->has_net;
}

// Reads one entry; returns what is wrong with it, or null.
const char* read_entry(const char* at, const char* end, ScheduleEntry* entry) {
  Word word = next_word(&at, end);
  const bool is_else = is_word(word, "else");
  const bool has_days = !is_else && read_days(word, entry);
  if (is_else || has_days) word = next_word(&at, end);
  const bool has_hours = !is_else && read_hours(word, entry);
  if (has_hours) word = next_word(&at, end);
  if (std::memchr(word.start, ':', word.length) != nullptr)
    return "hours are written 09:00-18:00, two different ones from 00:00 to 24:00, once in an entry";
  if (!is_else && !has_days && !has_hours)
    return "an entry begins with days (Mon-Fri), hours (09:00-18:00) or 'else'";
  if (!read_action(word, entry))
    return "an entry ends with a rate and its unit (2M), a policy that needs none, or 'pause'";
  word = next_word(&at, end);
  if (is_word(word, "net"))
    return read_net(at, end, entry)
               ? nullptr
               : "behind 'net' stands nice, off, a rate with its unit (500K), up=RATE or down=RATE";
  if (word.length != 0) return "entries are separated by commas";
  return nullptr;
}

bool is_day_within(const ScheduleEntry& entry, unsigned day) {
  if (entry.first_day <= entry.last_day) return day >= entry.first_day && day <= entry.last_day;
  return day >= entry.first_day || day <= entry.last_day;
}

bool holds(const ScheduleEntry& entry, unsigned day, unsigned minute) {
  if (entry.from_minute < entry.to_minute)
    return is_day_within(entry, day) && minute >= entry.from_minute && minute < entry.to_minute;
  // For a range that passes midnight, the morning belongs to the day before.
  if (minute >= entry.from_minute) return is_day_within(entry, day);
  return minute < entry.to_minute && is_day_within(entry, (day + kDayCount - 1) % kDayCount);
}

}  // namespace

Schedule parse_schedule(const char* text, std::size_t length) {
  Schedule schedule;
  const char* const end = text + length;
  const char* at = text;
  while (at <= end) {
    const auto* comma = static_cast<const char*>(std::memchr(at, ',', static_cast<std::size_t>(end - at)));
    const char* entry_end = comma != nullptr ? comma : end;
    schedule.problem_position = static_cast<std::size_t>(at - text);
    if (schedule.count == kScheduleEntriesMax) {
      schedule.problem = "there are too many entries";
      return schedule;
    }
    schedule.problem = read_entry(at, entry_end, &schedule.entries[schedule.count]);
    if (schedule.problem != nullptr) return schedule;
    ++schedule.count;
    at = entry_end + 1;
  }
  return schedule;
}

const ScheduleEntry* active_entry(const Schedule& schedule, unsigned day, unsigned minute) {
  for (unsigned i = 0; i < schedule.count; ++i) {
    if (holds(schedule.entries[i], day, minute)) return &schedule.entries[i];
  }
  return nullptr;
}

bool is_always_said(const Schedule& schedule) {
  if (schedule.count == 0) return false;
  for (unsigned minute = 0; minute < kDayCount * kDayMinutes; ++minute) {
    if (active_entry(schedule, minute / kDayMinutes, minute % kDayMinutes) == nullptr) return false;
  }
  return true;
}

Grant scheduled(const Grant& grant, const ScheduleEntry* entry) {
  Grant result = grant;
  if (entry == nullptr) return result;
  result.flags &= ~kPaused;
  result.policy_id = entry->policy_id;
  result.rate_bytes_per_s = entry->rate_bytes_per_s;
  if (entry->is_pause) result.flags |= kPaused;
  if (entry->has_net) set_net_limits(result, entry->net);
  return result;
}

}  // namespace discnice::policy
