// SPDX-License-Identifier: MIT
#include "tools/discnice/predictor/fetched_pages.hpp"

namespace discnice::predictor {

// cppcheck-suppress uninitMemberVar ; runs_ counts only as far as run_count_ says
FetchedPages::FetchedPages(const ResidencyOracle& before) : before_(before), oracle_(before) {
  if (!before.is_exact()) return;
  oracle_.context = this;
  oracle_.count_resident = count_resident;
  oracle_.probe = nullptr;
  oracle_.note_fetch = nullptr;  // add() tells the listener
}

void FetchedPages::add(std::uint64_t first_page, std::uint64_t end_page) {
  if (before_.note_fetch != nullptr) before_.note_fetch(before_.context, first_page, end_page - first_page);
  std::uint32_t first = 0;  // the first run that ends at or after the new run's start
  while (first < run_count_ && runs_[first].end_page < first_page) ++first;
  std::uint32_t end = first;  // the run behind the last run that touches the new run
  while (end < run_count_ && runs_[end].first_page <= end_page) ++end;
  if (first == end) {
    if (run_count_ == kRunsMax) return;
    for (std::uint32_t i = run_count_; i > first; --i) runs_[i] = runs_[i - 1];
    ++run_count_;
    runs_[first] = {first_page, end_page};
    return;
  }
  if (runs_[first].first_page < first_page) first_page = runs_[first].first_page;
  if (runs_[end - 1].end_page > end_page) end_page = runs_[end - 1].end_page;
  runs_[first] = {first_page, end_page};
  for (std::uint32_t i = end; i < run_count_; ++i) runs_[first + 1 + i - end] = runs_[i];
  run_count_ -= end - first - 1;
}

std::uint64_t FetchedPages::count_resident(void* context, std::uint64_t first_page,
                                           std::uint64_t page_count) {
  return static_cast<const FetchedPages*>(context)->count(first_page, first_page + page_count);
}

std::uint64_t FetchedPages::count(std::uint64_t page, std::uint64_t end) const {
  std::uint64_t resident = 0;
  const auto ask_up_to = [&](std::uint64_t next) {
    if (next > page) resident += before_.count_resident(before_.context, page, next - page);
  };
  for (std::uint32_t i = 0; i < run_count_ && page < end && runs_[i].first_page < end; ++i) {
    if (runs_[i].end_page <= page) continue;
    ask_up_to(runs_[i].first_page);
    if (runs_[i].first_page > page) page = runs_[i].first_page;
    const std::uint64_t run_end = runs_[i].end_page < end ? runs_[i].end_page : end;
    resident += run_end - page;
    page = run_end;
  }
  ask_up_to(end);
  return resident;
}

}  // namespace discnice::predictor
