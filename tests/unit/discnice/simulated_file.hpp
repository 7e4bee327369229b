// SPDX-License-Identifier: MIT
// simulated_file: a page cache that is a list of pages, for models that ask a ResidencyOracle.
//
// The model itself fills the cache: a Reader makes the pages resident that a read fetches according to the model, so that the next read finds them.
// The Reader fails the test when the number of pages differs from the prediction.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

#include "tools/discnice/predictor/predictor.hpp"

namespace discnice::test {

inline constexpr std::uint64_t kNowNs = 5'000'000'000;

/// The resident pages of one file. Pages past the end of the file are never resident.
class SimulatedFile {
 public:
  explicit SimulatedFile(std::uint64_t size_bytes)
      : size_bytes_(size_bytes), resident_((size_bytes + kPageBytes - 1) / kPageBytes, 0) {}

  [[nodiscard]] std::uint64_t size_bytes() const { return size_bytes_; }
  [[nodiscard]] std::uint64_t page_count() const { return resident_.size(); }
  [[nodiscard]] bool is_resident(std::uint64_t page) const {
    return page < resident_.size() && resident_[page] != 0;
  }
  [[nodiscard]] predictor::CacheShape& shape() { return *shape_; }
  [[nodiscard]] std::uint64_t resident_pages() const { return resident_pages_; }
  [[nodiscard]] std::uint64_t questions() const { return questions_; }

  /// Makes [first_page, end_page) resident or absent. Returns how many pages changed.
  std::uint64_t set(std::uint64_t first_page, std::uint64_t end_page, bool is_resident = true) {
    std::uint64_t changed = 0;
    for (std::uint64_t page = first_page; page < end_page && page < resident_.size(); ++page) {
      if ((resident_[page] != 0) == is_resident) continue;
      resident_[page] = is_resident ? 1 : 0;
      ++changed;
    }
    resident_pages_ = is_resident ? resident_pages_ + changed : resident_pages_ - changed;
    return changed;
  }

  [[nodiscard]] std::uint64_t count(std::uint64_t first_page, std::uint64_t page_count) const {
    std::uint64_t resident = 0;
    for (std::uint64_t i = 0; i < page_count && first_page + i < resident_.size(); ++i) {
      resident += resident_[first_page + i];
    }
    return resident;
  }

  /// Answers with the kernel's own count, as cachestat gives it.
  predictor::ResidencyOracle counting() {
    return {this,
            [](void* context, std::uint64_t first_page, std::uint64_t page_count) {
              auto& file = *static_cast<SimulatedFile*>(context);
              ++file.questions_;
              return file.count(first_page, page_count);
            },
            nullptr};
  }

  /// Answers in the same way, and makes the pages resident that the model says it fetches.
  predictor::ResidencyOracle filling() {
    predictor::ResidencyOracle oracle = counting();
    oracle.note_fetch = [](void* context, std::uint64_t first_page, std::uint64_t page_count) {
      static_cast<SimulatedFile*>(context)->set(first_page, first_page + page_count);
    };
    return oracle;
  }

  /// Answers by one-byte reads that are refused on a miss. The miss brings the page in.
  predictor::ResidencyOracle probing() {
    return {this, nullptr, [](void* context, std::uint64_t page) {
              auto& file = *static_cast<SimulatedFile*>(context);
              ++file.questions_;
              if (file.is_resident(page)) return predictor::Answer::hit;
              file.set(page, page + 1);
              return predictor::Answer::miss;
            }};
  }

 private:
  std::uint64_t size_bytes_;
  std::vector<std::uint8_t> resident_;
  std::uint64_t questions_ = 0;
  std::uint64_t resident_pages_ = 0;
  // Too large for the stack. Copies of the file share it.
  std::shared_ptr<predictor::CacheShape> shape_ = std::make_shared<predictor::CacheShape>();
};

/// One open file description on a SimulatedFile, read through the model.
class Reader {
 public:
  Reader(SimulatedFile& file, const predictor::ReadaheadLimits& limits) : file_(file) {
    state_.limits = limits;
  }

  /// Reads, and returns the bytes that the disk must deliver according to the model.
  std::uint64_t read(std::uint64_t offset_bytes, std::uint64_t length_bytes) {
    IoOp op;
    op.offset_bytes = offset_bytes;
    op.length_bytes = length_bytes;
    op.file_size_bytes = file_.size_bytes();
    const std::uint64_t resident_before = file_.resident_pages();
    const IoEstimate estimate = predictor::estimate_read(op, state_, file_.shape(), file_.filling(), now_ns_);
    if ((file_.resident_pages() - resident_before) * kPageBytes != estimate.read_bytes) {
      throw std::logic_error("the pages predicted are not those the model says it fetches");
    }
    read_bytes_ += estimate.read_bytes;
    return estimate.read_bytes;
  }

  /// Makes `count` reads of `length_bytes`: the first at `first_byte`, each of the others `step_bytes` after the read before.
  Reader& repeat(std::uint64_t first_byte, std::uint64_t length_bytes, std::uint64_t count,
                 std::int64_t step_bytes) {
    for (std::uint64_t i = 0; i < count; ++i) {
      read(first_byte + i * static_cast<std::uint64_t>(step_bytes), length_bytes);
    }
    return *this;
  }

  /// Reads [first_byte, end_byte) from front to back in calls of `length_bytes`.
  Reader& scan(std::uint64_t first_byte, std::uint64_t end_byte, std::uint64_t length_bytes) {
    const std::uint64_t count = (end_byte - first_byte + length_bytes - 1) / length_bytes;
    return repeat(first_byte, length_bytes, count, static_cast<std::int64_t>(length_bytes));
  }

  [[nodiscard]] std::uint64_t read_bytes() const { return read_bytes_; }
  predictor::FileState& state() { return state_; }
  void set_now(std::uint64_t now_ns) { now_ns_ = now_ns; }

 private:
  SimulatedFile& file_;
  predictor::FileState state_;
  std::uint64_t now_ns_ = kNowNs;
  std::uint64_t read_bytes_ = 0;
};

}  // namespace discnice::test
