// SPDX-License-Identifier: MIT
// benchmark: what a benchmark of the host is: a descriptor, and a session that is set up, runs in rounds and
// cleans up after itself.
//
//   Output       one key of the repository that a benchmark fills: the one place that says what it means and who reads it
//   Benchmark    the descriptor at the end of each file of benchmarks/
//   Session      set-up is its constructor, run its round(), clean-up its destructor
//
// Rounds are short, so that the runner can interleave them: the rounds of one benchmark are spread over the
// whole run, and a disturbance of a second spoils a few rounds of each and not all of one.
// Whatever a session puts into a file system has no name, so that a killed run leaves nothing behind.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "toolbox/timing/timer.hpp"

namespace microbench {

class TestFile;

/// Why a benchmark cannot be run here. This is a message for a person, not a failure. Only sessions throw it, and the runner catches it.
class NotAvailable : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

enum class Effort { kQuick, kDefault, kFull };

/// What a benchmark needs.
enum class Needs { kNothing, kTestFile };

/// What kind of thing a key is.
enum class Kind {
  kValue,  ///< One number with its spread.
  kCurve,  ///< Many, one a point: see curve.hpp for how they are spelled.
};

inline constexpr double kMedian = 0.5;
inline constexpr double kCalmTime = 0.1;
inline constexpr double kCalmestTime = 0.05;
inline constexpr double kQuarter = 0.25;
inline constexpr double kCalmRate = 0.9;

struct Output {
  const char* key;
  const char* unit;
  const char* method;   ///< One word.
  const char* meaning;  ///< One phrase.
  /// Which programs look it up: folders of this repository whose code names the key, with commas between; "microbench report" for the
  /// page that it draws. Empty where none does.
  const char* readers;
  /// What a person does with it, as a phrase. Never empty where no program reads it: a figure without either is not measured.
  /// tests/shape/check_figures.py holds both.
  const char* reason;
  bool is_per_device;
  Kind kind = Kind::kValue;
  /// What is recorded of the samples. The median, but where a neighbour on the processor or in memory only ever takes away: then
  /// a tenth from the undisturbed end, which the next run finds again; where samples are of two kinds, whose shares change from run to
  /// run, a place well inside the one kind.
  double quantile = kMedian;
};

/// What a session may use.
struct Context {
  const gray::timing::Timer& timer;
  Effort effort = Effort::kDefault;
  TestFile* file = nullptr;    ///< Null for benchmarks that need none.
  double interval_max = 0.05;  ///< Half the 90 % interval of a median over the median: narrow enough.
  std::uint64_t seed = 1;
};

/// One result. Its key and unit are those of the descriptor, or of a point of one of its curves.
struct Finding {
  std::string key;
  double value = 0;
  std::optional<double> spread;
  std::uint64_t samples = 0;
};

class Session {
 public:
  explicit Session(const Context& context) : context_(context) {}
  virtual ~Session() = default;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Measures once more. Throws NotAvailable.
  virtual void round() = 0;

  /// The results after the rounds so far: usually the median of each series.
  [[nodiscard]] virtual std::vector<Finding> findings() const;

  /// Before this many rounds no interval is believed. After this many it ends in any case.
  [[nodiscard]] virtual std::size_t rounds_min() const { return 7; }
  [[nodiscard]] virtual std::size_t rounds_max() const { return 2000; }

  /// Whether the interval of every series is as narrow as wanted.
  [[nodiscard]] bool is_narrow() const;

 protected:
  void add(const std::string& key, double value) { series_[key].push_back(value); }
  [[nodiscard]] const std::vector<double>& values(const std::string& key) const;
  [[nodiscard]] double median(const std::string& key) const;
  [[nodiscard]] const Context& context() const { return context_; }

 private:
  Context context_;
  std::map<std::string, std::vector<double>> series_;
};

struct Benchmark {
  const char* name;
  const char* what;     ///< What it measures, as a phrase after "measuring".
  const char* grounds;  ///< How, and why the figures are believed: one or two sentences.
  Needs needs;
  Effort effort_min;  ///< Not run below it.
  std::span<const Output> outputs;
  std::unique_ptr<Session> (*set_up)(const Context&);  ///< Throws NotAvailable.
};

/// For descriptors: makes a session of one class.
template <typename S>
std::unique_ptr<Session> make_session(const Context& context) {
  return std::make_unique<S>(context);
}

}  // namespace microbench
