// SPDX-License-Identifier: MIT
// pass_size: decides how much memory a pass should use: at most as much as speeds up the second phase, and at most as much as has saved time in earlier passes.
//
// Knowledge assumed: all runs are merged at once, each through a buffer of its own. A disk that is read in parts of its access unit reaches its full rate. So
// runs that are longer than the number of runs times that unit do not speed up the merge. In the first phase, memory beyond the processor's caches and the
// needs of the page cache costs time instead of saving it.
// Output observed: the time of each pass for each record, for reading, sorting and writing together.
// Inference drawn: if a pass of half the size took clearly less time for each record, larger passes save no time. Then half of the smaller size is
// tried next. Otherwise the larger size is right, because it makes fewer runs. The first pass is not counted, because it finds the disk idle.
// What breaks it: other programs whose load changes at the same times as the passes; a disk whose speed changes within two passes by more than the least
// difference that is acted on. Both sizes sort correctly, so a wrong choice costs at most this difference.
#pragma once

#include <cstdint>

namespace fastsort {

/// The size of a pass beyond which the second phase does not become faster, if its disk is read in parts of `unit_bytes`. This size is the geometric mean of
/// data and unit. With it there are as many runs as a pass holds units. 0 if the unit is not known.
std::uint64_t worthwhile_bytes(std::uint64_t data_bytes, std::uint64_t unit_bytes);

/// The sizes of the passes of one sort, in records.
class PassSize {
 public:
  /// No size below `records_least` is tried. 0: the user has set the size, and no other size is tried.
  explicit PassSize(std::uint64_t records_least) : records_least_(records_least) {}

  /// The records of the next pass, if `records_fit` fit into memory and `records_left` are left. All remaining passes get the same size, because a short last pass would leave
  /// memory unused that other sorts lack.
  [[nodiscard]] std::uint64_t next(std::uint64_t records_fit, std::uint64_t records_left) const;

  /// Notes the time of a pass with the size of next().
  void note(std::uint64_t records, double seconds);

  /// No later pass will use memory for more records than this; 0: a later pass may use more.
  [[nodiscard]] std::uint64_t records_most() const { return is_settled_ ? tried_records_ : 0; }

 private:
  std::uint64_t records_least_;
  std::uint64_t tried_records_ = 0;  // the size that is tried now; 0: as many records as fit
  std::uint64_t best_records_ = 0;
  double best_s_ = 0;  // time for each record with best_records_
  bool is_warm_ = false;
  bool is_settled_ = false;
};

}  // namespace fastsort
