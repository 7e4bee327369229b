// SPDX-License-Identifier: MIT
// catch: includes the test framework, whichever of its two generations the machine has.
//
// Catch2 2.13 (Debian 12) is one header; Catch2 3 is many. Tests include this file and use only what both have: TEST_CASE, SECTION, REQUIRE*, CHECK*, Approx,
// GENERATE with values, range, table.
#pragma once

#if __has_include(<catch2/catch_test_macros.hpp>)
#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_adapters.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>
#endif
