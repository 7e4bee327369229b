// SPDX-License-Identifier: MIT
// progress_words_test: values of a job's progress in its segment are used only if they are possible.
#include "tools/discnice/protocol/progress_words.hpp"

#include <limits>
#include <memory>

#include "tests/support/catch.hpp"

using namespace discnice;
using namespace discnice::protocol;

namespace {

void add_pair(gray::base::LineSums& sums, double x, double y) {
  gray::base::add_sums(sums, {1, x, y, x * x, x * y}, 1);
}

}  // namespace

TEST_CASE("what was stored of the progress comes back", "[progress_words]") {
  const auto place = std::make_unique<Progress>();
  JobProgress progress;
  add_pair(progress.learned[2], 8, 7500);
  progress.signs = 5;
  progress.sign_count = 3;
  progress.is_suspended = 1;
  store_progress(*place, progress);
  const JobProgress loaded = load_progress(*place);
  CHECK(loaded.learned[2].y == 7500);
  CHECK(loaded.learned[2].products == 60'000);
  CHECK(loaded.signs == 5);
  CHECK(loaded.sign_count == 3);
  CHECK(loaded.is_suspended == 1);
}

TEST_CASE("sums that cannot be are those of nothing learned, of their kind alone", "[progress_words]") {
  for (const double wrong :
       {-1.0, 1e300, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    JobProgress progress;
    add_pair(progress.learned[0], 8, 7500);
    add_pair(progress.learned[1], 8, 7500);
    progress.learned[0].x_squares = wrong;
    const JobProgress checked = possible(progress);
    CHECK(checked.learned[0].weight == 0);
    CHECK(checked.learned[0].x_squares == 0);
    CHECK(checked.learned[1].weight == 1);
  }
}

TEST_CASE("calls add up, none beyond all measure, and are taken out once", "[progress_words]") {
  OpenCallSums sums{};
  add_call(sums, 128, 900);
  add_call(sums, UINT64_MAX, UINT64_MAX);
  CHECK(look_at_calls(sums).calls == 2);
  CHECK(look_at_calls(sums).us == 900 + kCallUsMax);
  const CallSums taken = take_calls(sums);
  CHECK(taken.kib == 128 + kCallKibMax);
  CHECK(taken.kib_us == 128 * 900 + kCallKibMax * kCallUsMax);
  CHECK(take_calls(sums).calls == 0);
}
