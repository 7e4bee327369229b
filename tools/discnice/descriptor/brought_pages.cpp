// SPDX-License-Identifier: MIT
#include "tools/discnice/descriptor/brought_pages.hpp"

namespace discnice::guest {
namespace {

bool is_streamed(std::uint64_t first_page, std::uint64_t end_page) {
  return first_page == 0 || end_page - first_page >= kStreamedPagesMin;
}

}  // namespace

void BroughtPages::drop(unsigned place) {
  --count_;
  for (unsigned i = place; i < count_; ++i) runs_[i] = runs_[i + 1];
}

void BroughtPages::add(const PageRun& run) {
  if (is_empty(run)) return;
  if (count_ != 0) {
    Run& last = runs_[count_ - 1];
    if (run.first_page >= last.news_page && run.first_page <= last.end_page) {
      if (run.end_page > last.end_page) last.end_page = run.end_page;
      return;
    }
  }
  if (count_ == kRunsMax) drop(0);
  runs_[count_++] = {run.first_page, run.first_page, run.first_page, run.end_page};
}

void BroughtPages::note_let_go(const Parting& parting, bool is_end_gone) {
  for (unsigned i = 0; i < count_ && is_end_gone; ++i) {
    if (runs_[i].news_page == parting.run.end_page) runs_[i].again_page = runs_[i].news_page;
  }
  if (gone_end_page_ == 0 || parting.news_page < gone_first_page_) gone_first_page_ = parting.news_page;
  if (parting.run.end_page > gone_end_page_) gone_end_page_ = parting.run.end_page;
}

bool BroughtPages::was_let_go(const PageRun& run) const {
  return run.first_page < gone_end_page_ && run.end_page > gone_first_page_;
}

Parting BroughtPages::part(Run& run, std::uint64_t end_page, std::uint64_t overlap_pages) {
  const bool does_reach = run.news_page - run.again_page > overlap_pages;
  const Parting parting{{does_reach ? run.news_page - overlap_pages : run.again_page, end_page},
                        run.news_page};
  run.news_page = end_page;
  return parting;
}

Parting BroughtPages::part_behind(std::uint64_t page, std::uint64_t pages_min, std::uint64_t overlap_pages) {
  for (unsigned i = 0; i < count_; ++i) {
    Run& run = runs_[i];
    const bool is_last = i + 1 == count_;
    const std::uint64_t end = run.end_page < page ? run.end_page : page;
    if (!is_last && run.news_page == run.end_page) {
      drop(i--);
      continue;
    }
    if (end <= run.news_page || !is_streamed(run.first_page, run.end_page)) continue;
    const bool has_ended = !is_last && end == run.end_page;
    if (end - run.news_page >= pages_min || has_ended) return part(run, end, overlap_pages);
  }
  return {};
}

Parting BroughtPages::part_all(std::uint64_t overlap_pages) {
  for (unsigned i = 0; i < count_; ++i) {
    Run& run = runs_[i];
    if (run.news_page < run.end_page && is_streamed(run.first_page, run.end_page))
      return part(run, run.end_page, overlap_pages);
  }
  return {};
}

}  // namespace discnice::guest
