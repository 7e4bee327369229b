// SPDX-License-Identifier: MIT
// catch_main: the main() of the unit tests when the test framework is Catch2 2. Catch2 3 has a main() of its own.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
