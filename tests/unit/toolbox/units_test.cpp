// SPDX-License-Identifier: MIT
// units_test: every spelling is read as its value, and a wrong spelling is refused.
//
// How: the test has a table for each unit, tests the limits from both sides, and checks the number of every error. The fuzz entry tests random text.
#include "toolbox/base/units.hpp"

#include <cerrno>
#include <string_view>

#include "tests/support/catch.hpp"

using namespace gray::base;

namespace {

constexpr std::uint64_t kMost = UINT64_C(0x7fffffffffffffff);

// The parsed value, or the negative errno, as one number for a table.
long long number(const Result<std::uint64_t>& result) {
  return result ? static_cast<long long>(result.value()) : result.error();
}

long long bytes(std::string_view text) {
  return number(parse_bytes(text.data(), text.size()));
}

long long rate(std::string_view text) {
  return number(parse_rate_bytes_per_s(text.data(), text.size()));
}

long long duration(std::string_view text) {
  return number(parse_duration_ns(text.data(), text.size()));
}

struct Spelling {
  const char* text;
  long long value;
};

constexpr Spelling kAmounts[] = {
    {"0", 0},
    {"007", 7},
    {"4096", 4096},
    {"3B", 3},
    {"2K", 2LL << 10},
    {"2KiB", 2LL << 10},
    {"5M", 5LL << 20},
    {"5MiB", 5LL << 20},
    {"3G", 3LL << 30},
    {"3GiB", 3LL << 30},
    {"2T", 2LL << 40},
    {"2TiB", 2LL << 40},
    {"2kB", 2000},
    {"2KB", 2000},
    {"5MB", 5'000'000},
    {"3GB", 3'000'000'000},
    {"2TB", 2'000'000'000'000},
    {"1.5M", 1'572'864},
    {"0.5K", 512},
    {"1.9", 1},
    {"0.000000001GB", 1},
};

}  // namespace

TEST_CASE("every spelling of an amount reads as its bytes", "[units]") {
  for (const Spelling& spelling : kAmounts) {
    INFO(spelling.text);
    CHECK(bytes(spelling.text) == spelling.value);
  }
}

TEST_CASE("a rate takes amounts, bits and per second", "[units]") {
  for (const Spelling& spelling : kAmounts) {
    INFO(spelling.text);
    CHECK(rate(spelling.text) == (spelling.value == 0 ? -EINVAL : spelling.value));
  }
  CHECK(rate("5M/s") == 5LL << 20);
  CHECK(rate("5MB/s") == 5'000'000);
  CHECK(rate("5MBps") == 5'000'000);
  CHECK(rate("80bit") == 10);
  CHECK(rate("8kbit") == 1000);
  CHECK(rate("8Kbit/s") == 1000);
  CHECK(rate("40Mbit") == 5'000'000);
  CHECK(rate("1Gbit/s") == 125'000'000);
  CHECK(rate("80bps") == 10);
  CHECK(rate("8kbps") == 1000);
  CHECK(rate("40Mbps") == 5'000'000);
  CHECK(rate("1Gbps") == 125'000'000);
}

TEST_CASE("a rate of nothing is refused", "[units]") {
  CHECK(rate("0") == -EINVAL);
  CHECK(rate("0M/s") == -EINVAL);
  CHECK(rate("7bit") == -EINVAL);
  CHECK(rate("0.5") == -EINVAL);
}

TEST_CASE("every spelling of a duration reads as its nanoseconds", "[units]") {
  CHECK(duration("5ns") == 5);
  CHECK(duration("10us") == 10'000);
  CHECK(duration("250ms") == 250'000'000);
  CHECK(duration("1s") == 1'000'000'000);
  CHECK(duration("2m") == 120'000'000'000);
  CHECK(duration("1h") == 3'600'000'000'000);
  CHECK(duration("0s") == 0);
  CHECK(duration("1.5s") == 1'500'000'000);
  CHECK(duration("0.5ns") == 0);
}

TEST_CASE("small letters are read where they can mean nothing else", "[units]") {
  CHECK(bytes("5k") == 5 * 1024);
  CHECK(bytes("5m") == bytes("5M"));
  CHECK(bytes("2g") == bytes("2G"));
  CHECK(rate("5m/s") == rate("5M"));
  CHECK(rate("40mbit") == rate("40Mbit"));
}

TEST_CASE("what is not such a text is refused, not guessed", "[units]") {
  const char* const text = GENERATE("", " ", " 5", "5 ", "5 M", "-5", "+5", "M", ".5M", "5.M", "5..5M", "5mb",
                                    "5mib", "5gb", "5MiBs", "5Mx", "5e3", "0x10", "5,5M", "1.0000000000M");
  INFO("'" << text << "'");
  CHECK(bytes(text) == -EINVAL);
}

TEST_CASE("an amount takes no bits and no per second, a duration no bare number", "[units]") {
  CHECK(bytes("5Mbit") == -EINVAL);
  CHECK(bytes("5M/s") == -EINVAL);
  CHECK(rate("5Mb") == -EINVAL);
  CHECK(rate("5Mb/s") == -EINVAL);
  CHECK(rate("/s") == -EINVAL);
  CHECK(rate("ps") == -EINVAL);
  CHECK(rate("5M/s/s") == -EINVAL);
  CHECK(duration("5") == -EINVAL);
  CHECK(duration("5 s") == -EINVAL);
  CHECK(duration("5S") == -EINVAL);
  CHECK(duration("5d") == -EINVAL);
}

TEST_CASE("the text ends where its length says", "[units]") {
  CHECK(number(parse_bytes("5MB", 2)) == 5LL << 20);
  CHECK(number(parse_bytes("5\0M", 3)) == -EINVAL);
  CHECK(number(parse_bytes(nullptr, 0)) == -EINVAL);
}

TEST_CASE("the largest number is read and one more is out of range", "[units]") {
  CHECK(bytes("9223372036854775807") == static_cast<long long>(kMost));
  CHECK(bytes("9223372036854775808") == -ERANGE);
  CHECK(bytes("99999999999999999999999999") == -ERANGE);
  CHECK(bytes("8388607T") == 8388607LL << 40);
  CHECK(bytes("8388608T") == -ERANGE);
  CHECK(bytes("9223372036GB") == 9'223'372'036'000'000'000);
  CHECK(bytes("9223372037GB") == -ERANGE);
  CHECK(duration("9223372036s") == 9'223'372'036'000'000'000);
  CHECK(duration("2562048h") == -ERANGE);
  CHECK(rate("8589934591.999999999G") == static_cast<long long>(kMost) - 1);
}

TEST_CASE("a product too wide for 128 bits is out of range, not a small number", "[units]") {
  // 309485009821345069 * 10^9 * 2^40 is just above a multiple of 2^128.
  CHECK(bytes("309485009821345069.000000000T") == -ERANGE);
  CHECK(rate("309485009821345069.000000000TiB/s") == -ERANGE);
  CHECK(bytes("9223372036854775807.999999999T") == -ERANGE);
}

TEST_CASE("reading leaves errno alone", "[units]") {
  errno = 4321;
  bytes("5M");
  bytes("x");
  rate("99999999999999999999");
  duration("1s");
  CHECK(errno == 4321);
}
