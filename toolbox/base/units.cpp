// SPDX-License-Identifier: MIT
#include "toolbox/base/units.hpp"

#include <cerrno>

namespace gray::base {
namespace {

constexpr std::uint64_t kValueMax = UINT64_C(0x7fffffffffffffff);
constexpr unsigned kFractionDigitsMax = 9;

struct Unit {
  // An array, no pointer: a table of pointers costs relocations at every start of a preload library.
  char name[8];
  std::uint64_t numerator;
  std::uint64_t denominator;
};

// Small letters are accepted where they have only one meaning. "5mb" is not accepted, because it may mean bits.
constexpr Unit kByteUnits[] = {
    {"", 1, 1},
    {"B", 1, 1},
    {"K", kKiB, 1},
    {"k", kKiB, 1},
    {"KiB", kKiB, 1},
    {"M", kMiB, 1},
    {"m", kMiB, 1},
    {"MiB", kMiB, 1},
    {"G", kGiB, 1},
    {"g", kGiB, 1},
    {"GiB", kGiB, 1},
    {"T", 1024 * kGiB, 1},
    {"t", 1024 * kGiB, 1},
    {"TiB", 1024 * kGiB, 1},
    {"KB", 1000, 1},
    {"kB", 1000, 1},
    {"MB", 1'000'000, 1},
    {"GB", 1'000'000'000, 1},
    {"TB", 1'000'000'000'000, 1},
};

constexpr Unit kBitUnits[] = {
    {"bit", 1, 8},          {"kbit", 1000, 8},          {"Kbit", 1000, 8},          {"Mbit", 1'000'000, 8},
    {"mbit", 1'000'000, 8}, {"Gbit", 1'000'000'000, 8}, {"gbit", 1'000'000'000, 8},
};

constexpr Unit kTimeUnits[] = {
    {"ns", 1, 1},
    {"us", 1000, 1},
    {"ms", kNanosecondsPerMillisecond, 1},
    {"s", kNanosecondsPerSecond, 1},
    {"m", 60 * kNanosecondsPerSecond, 1},
    {"h", 3600 * kNanosecondsPerSecond, 1},
};

// A number as whole + fraction / scale, and the place where it ended.
struct Number {
  std::uint64_t whole = 0;
  std::uint64_t fraction = 0;
  std::uint64_t scale = 1;
  std::size_t end = 0;
};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

Result<Number> parse_number(const char* text, std::size_t length) {
  Number number;
  std::size_t i = 0;
  for (; i < length && is_digit(text[i]); ++i) {
    const auto digit = static_cast<std::uint64_t>(text[i] - '0');
    if (number.whole > (kValueMax - digit) / 10) return Result<Number>::failure(-ERANGE);
    number.whole = number.whole * 10 + digit;
  }
  if (i == 0) return Result<Number>::failure(-EINVAL);
  if (i < length && text[i] == '.') {
    const std::size_t first = ++i;
    for (; i < length && is_digit(text[i]); ++i) {
      if (i - first >= kFractionDigitsMax) return Result<Number>::failure(-EINVAL);
      number.fraction = number.fraction * 10 + static_cast<std::uint64_t>(text[i] - '0');
      number.scale *= 10;
    }
    if (i == first) return Result<Number>::failure(-EINVAL);
  }
  number.end = i;
  return number;
}

bool is_same_text(const char* text, std::size_t length, const char* name) {
  std::size_t i = 0;
  for (; i < length && name[i] != '\0'; ++i) {
    if (text[i] != name[i]) return false;
  }
  return i == length && name[i] == '\0';
}

template <std::size_t N>
const Unit* find_unit(const Unit (&units)[N], const char* text, std::size_t length) {
  for (const Unit& unit : units) {
    if (is_same_text(text, length, unit.name)) return &unit;
  }
  return nullptr;
}

Result<std::uint64_t> scale(const Number& number, const Unit& unit) {
  __extension__ using Wide = unsigned __int128;  // the product of two 64-bit numbers, then divided
  // An overflow is refused before the multiplication: with all factors even the wide product could wrap round to a small value.
  if (number.whole > static_cast<Wide>(kValueMax) * unit.denominator / unit.numerator) {
    return Result<std::uint64_t>::failure(-ERANGE);
  }
  const Wide value = (static_cast<Wide>(number.whole) * number.scale + number.fraction) * unit.numerator /
                     (static_cast<Wide>(number.scale) * unit.denominator);
  if (value > kValueMax) return Result<std::uint64_t>::failure(-ERANGE);
  return static_cast<std::uint64_t>(value);
}

// "5MB/s" -> "5MB": the length without "per second". A rate may leave that out.
std::size_t length_without_per_second(const char* text, std::size_t length) {
  if (length >= 2 && text[length - 1] == 's' && (text[length - 2] == '/' || text[length - 2] == 'p'))
    return length - 2;
  return length;
}

}  // namespace

Result<std::uint64_t> parse_bytes(const char* text, std::size_t length) {
  const Result<Number> number = parse_number(text, length);
  if (!number) return Result<std::uint64_t>::failure(number.error());
  const std::size_t end = number.value().end;
  const Unit* unit = find_unit(kByteUnits, text + end, length - end);
  if (unit == nullptr) return Result<std::uint64_t>::failure(-EINVAL);
  return scale(number.value(), *unit);
}

Result<std::uint64_t> parse_rate_bytes_per_s(const char* text, std::size_t length) {
  const std::size_t amount_length = length_without_per_second(text, length);
  const Result<Number> number = parse_number(text, amount_length);
  if (!number) return Result<std::uint64_t>::failure(number.error());
  const std::size_t end = number.value().end;
  const Unit* unit = find_unit(kByteUnits, text + end, amount_length - end);
  if (unit == nullptr) unit = find_unit(kBitUnits, text + end, amount_length - end);
  if (unit == nullptr && amount_length < length &&
      text[amount_length] == 'p') {  // "40Mbps": bits, as everywhere
    static constexpr Unit kBitsPerSecond[] = {
        {"b", 1, 8}, {"kb", 1000, 8}, {"Mb", 1'000'000, 8}, {"Gb", 1'000'000'000, 8}};
    unit = find_unit(kBitsPerSecond, text + end, amount_length - end);
  }
  if (unit == nullptr) return Result<std::uint64_t>::failure(-EINVAL);
  const Result<std::uint64_t> rate = scale(number.value(), *unit);
  if (rate && rate.value() == 0) return Result<std::uint64_t>::failure(-EINVAL);
  return rate;
}

bool is_unit_forgotten(const char* text, std::size_t length, std::uint64_t rate_bytes_per_s) {
  const std::size_t amount_length = length_without_per_second(text, length);
  return rate_bytes_per_s < kKiB && amount_length != 0 && is_digit(text[amount_length - 1]);
}

Result<std::uint64_t> parse_duration_ns(const char* text, std::size_t length) {
  const Result<Number> number = parse_number(text, length);
  if (!number) return Result<std::uint64_t>::failure(number.error());
  const std::size_t end = number.value().end;
  const Unit* unit = find_unit(kTimeUnits, text + end, length - end);
  if (unit == nullptr) return Result<std::uint64_t>::failure(-EINVAL);
  return scale(number.value(), *unit);
}

}  // namespace gray::base
