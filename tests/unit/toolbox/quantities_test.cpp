// SPDX-License-Identifier: MIT
// quantities_test: the texts for sizes, rates and times that a person reads, and the error sentences for wrong texts.
//
// How: the texts are compared with literal texts at each change of unit and of rounding. The parsing is compared with toolbox/base/units, whose own tests cover
// the spellings.
#include "toolbox/cli/quantities.hpp"

#include <cmath>
#include <limits>

#include "tests/support/catch.hpp"

using namespace gray::cli;

TEST_CASE("bytes print in powers of 1024 with three digits", "[cli]") {
  CHECK(format_bytes(0) == "0 B");
  CHECK(format_bytes(1023) == "1023 B");
  CHECK(format_bytes(1024) == "1.00 KiB");
  CHECK(format_bytes(12'897'485) == "12.3 MiB");
  CHECK(format_bytes(1024 * 1024 - 1) == "1.00 MiB");
  CHECK(format_bytes(1023 * 1024) == "1023 KiB");
  CHECK(format_bytes(std::numeric_limits<std::uint64_t>::max()) == "16.0 EiB");
}

TEST_CASE("rates print in powers of 1024, so that what was typed in them reads back", "[cli]") {
  constexpr double kMiB = 1024 * 1024;
  CHECK(format_rate(0) == "0 B/s");
  CHECK(format_rate(static_cast<double>(read_rate_bytes_per_s("5M").value)) == "5.00 MiB/s");
  CHECK(format_rate(static_cast<double>(read_rate_bytes_per_s("1.5G").value)) == "1.50 GiB/s");
  CHECK(format_rate(static_cast<double>(read_rate_bytes_per_s("5MB").value)) == "4.77 MiB/s");
  CHECK(format_rate(1023) == "1023 B/s");
  CHECK(format_rate(kMiB - 1) == "1.00 MiB/s");
  CHECK(format_rate(9.996 * kMiB) == "10.0 MiB/s");
  CHECK(format_rate(99.96 * kMiB) == "100 MiB/s");
  CHECK(format_rate(1023 * kMiB) == "1023 MiB/s");
  CHECK(format_rate(-1) == "-");
  CHECK(format_rate(std::nan("")) == "-");
  CHECK(format_rate(HUGE_VAL) == "-");
}

TEST_CASE("durations print in the unit a person would choose", "[cli]") {
  CHECK(format_duration_ns(0) == "0 s");
  CHECK(format_duration_ns(25) == "25.0 ns");
  CHECK(format_duration_ns(1.25e9) == "1.25 s");
  CHECK(format_duration_ns(999'999.9) == "1.00 ms");
  CHECK(format_duration_ns(59.4e9) == "59.4 s");
  CHECK(format_duration_ns(125e9) == "2 min 05 s");
  CHECK(format_duration_ns(3599.9e9) == "1 h 00 min");
  CHECK(format_duration_ns(3599e9) == "59 min 59 s");
  CHECK(format_duration_ns(11220e9) == "3 h 07 min");
  CHECK(format_duration_ns(-1) == "-");
}

TEST_CASE("1024 and 1000 are told apart by the spelling", "[cli]") {
  CHECK(read_rate_bytes_per_s("5M").value == 5 * 1024 * 1024);
  CHECK(read_rate_bytes_per_s("5MiB").value == 5 * 1024 * 1024);
  CHECK(read_rate_bytes_per_s("5MB/s").value == 5'000'000);
  CHECK(read_rate_bytes_per_s("40Mbit").value == 5'000'000);
  CHECK(read_bytes("1.5GiB").value == 1'610'612'736);
  CHECK(read_duration_ns("250ms").value == 250'000'000);
}

TEST_CASE("a wrong quantity is explained with what would be right", "[cli]") {
  const auto problem = read_rate_bytes_per_s("5X").problem;
  CHECK(problem.find("'5X' is not a rate") == 0);
  CHECK(problem.find("5MB/s") != std::string::npos);
  CHECK(problem.find("1024") != std::string::npos);
  CHECK(read_bytes("").problem.find("'' is not an amount of bytes") == 0);
  CHECK(read_bytes("99999999999G").problem == "'99999999999G' is too large for an amount of bytes");
  CHECK(read_duration_ns("5").problem.find("with its unit") != std::string::npos);
}

TEST_CASE("a rate of zero is called too low, not unreadable", "[cli]") {
  CHECK(read_rate_bytes_per_s("0").problem.find("below one byte") != std::string::npos);
  CHECK(read_rate_bytes_per_s("0.0MB/s").problem.find("below one byte") != std::string::npos);
  CHECK(read_rate_bytes_per_s("0x5").problem.find("is not a rate") != std::string::npos);
  CHECK(read_rate_bytes_per_s("0.5bit/s").problem.find("below one byte") != std::string::npos);
  CHECK(read_rate_bytes_per_s("8bit").value == 1);
  CHECK(read_bytes("0").is_ok());
}
