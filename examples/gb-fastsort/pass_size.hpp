// SPDX-License-Identifier: MIT
// pass_size: how much memory a pass is worth: no more than the second phase gains by, and of that what passes have proved to pay.
//
// Knowledge assumed: the runs are merged at once, each through a buffer of its own. A disk that is read in parts of its access unit reaches its full speed. So runs that are
// longer than their number times that unit gain nothing in the merge. In the first phase memory beyond the processor's caches and the page cache's needs costs rather than pays.
// Output observed: the time of each pass for each of its records, reading, sorting and writing together.
// Inference drawn: where a pass of half the size took clearly less for a record, the larger ones do not pay, and half of what is left is
// tried next; else the larger size is right, for it leaves fewer runs. The first pass is not counted: it finds the disk idle.
// What breaks it: others whose work comes and goes in the rhythm of the passes; a disk whose pace drifts by more than the gain that
// counts within two passes. Either size sorts right, so a wrong answer costs that gain at most.
#pragma once

#include <cstdint>

namespace fastsort {

/// The data of a pass beyond which the second phase gains nothing, if its disk is read in such parts: the geometric mean, where there are
/// as many runs as a pass holds parts. 0 if the unit is not known.
std::uint64_t worthwhile_bytes(std::uint64_t data_bytes, std::uint64_t unit_bytes);

/// The sizes of the passes of one sort, in records.
class PassSize {
 public:
  /// Not tried below `records_least`; 0: the size is given, and nothing is tried.
  explicit PassSize(std::uint64_t records_least) : records_least_(records_least) {}

  /// The number of records of the next pass, if this many fit into memory and this many are left. All remaining passes get the same size: a short last pass would mean that
  /// earlier passes took memory that others lacked.
  [[nodiscard]] std::uint64_t next(std::uint64_t records_fit, std::uint64_t records_left) const;

  /// Notes how long a pass took, of the size that next() gave.
  void note(std::uint64_t records, double seconds);

  /// Memory for more records than these will not be used any more; 0: it may be.
  [[nodiscard]] std::uint64_t records_most() const { return is_settled_ ? tried_records_ : 0; }

 private:
  std::uint64_t records_least_;
  std::uint64_t tried_records_ = 0;  // now; 0: as many as fit
  std::uint64_t best_records_ = 0;
  double best_s_ = 0;  // a record of it
  bool is_warm_ = false;
  bool is_settled_ = false;
};

}  // namespace fastsort
