// SPDX-License-Identifier: MIT
// benchmark: the parts of a host benchmark: a descriptor, and a session that is set up, runs in rounds and cleans up after itself.
//
//   Output       one key of the repository that a benchmark fills, with its meaning and its readers
//   Benchmark    the descriptor at the end of each file of benchmarks/
//   Session      the constructor sets up, round() measures, the destructor cleans up
//
// Rounds are short, so that the runner can interleave them. The rounds of one benchmark are spread over the whole run, so a disturbance of a second affects a
// few rounds of each benchmark instead of all rounds of one benchmark. A session makes only files without a name, so that a killed run leaves no file behind.
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

/// The reason why a benchmark cannot run here. It is information for a person, not a failure. Only sessions throw it, and the runner catches it.
class NotAvailable : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

enum class Effort { kQuick, kDefault, kFull };

/// What a benchmark needs in order to run.
enum class Needs { kNothing, kTestFile };

/// The kind of a key.
enum class Kind {
  kValue,  ///< One number with its spread.
  kCurve,  ///< Many numbers, one for each point; curve.hpp defines their spelling.
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
  /// The programs that read the key: folders of this repository whose code names the key, separated by commas; "microbench report" for the page that it draws. Empty if no
  /// program reads it.
  const char* readers;
  /// What a person does with the figure, as a phrase. It may be empty only if a program reads the key. A figure without any use is not measured.
  /// tests/shape/check_figures.py checks both fields.
  const char* reason;
  bool is_per_device;
  Kind kind = Kind::kValue;
  /// The quantile of the samples that is recorded; usually the median. When other programs can only make a figure worse, it is the quantile a tenth from the
  /// undisturbed end, because the next run finds that value again. When samples are of two kinds whose shares change from run to run, it is a quantile well
  /// inside one kind.
  double quantile = kMedian;
};

/// The resources that a session may use.
struct Context {
  const gray::timing::Timer& timer;
  Effort effort = Effort::kDefault;
  TestFile* file = nullptr;  ///< Null for benchmarks that need no file.
  /// An interval is narrow enough if half the 90 % interval of the median, divided by the median, is not above this.
  double interval_max = 0.05;
  std::uint64_t seed = 1;
};

/// One measured number. The key is a key of the descriptor, or a point of a curve of the descriptor.
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

  /// The results of the rounds so far: by default the median of each series.
  [[nodiscard]] virtual std::vector<Finding> findings() const;

  /// Before rounds_min() rounds no interval is used. After rounds_max() rounds the session ends in any case.
  [[nodiscard]] virtual std::size_t rounds_min() const { return 7; }
  [[nodiscard]] virtual std::size_t rounds_max() const { return 2000; }

  /// Whether the interval of every series is at most Context::interval_max.
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
  const char* grounds;  ///< How it measures, and why the figures are reliable: one or two sentences.
  Needs needs;
  Effort effort_min;  ///< The benchmark does not run with less effort.
  std::span<const Output> outputs;
  std::unique_ptr<Session> (*set_up)(const Context&);  ///< Throws NotAvailable.
};

/// Makes a session of class S; for descriptors.
template <typename S>
std::unique_ptr<Session> make_session(const Context& context) {
  return std::make_unique<S>(context);
}

}  // namespace microbench
