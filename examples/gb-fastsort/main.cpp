// SPDX-License-Identifier: MIT
// main: of gb-fastsort, the paper's sort with passes as large as memory allows ("Information and Control in Gray-Box
// Systems", SOSP 2001, sections 4.1 and 4.3).
#include <getopt.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <gray/gray.h>

#include "examples/gb-fastsort/input.hpp"
#include "examples/gb-fastsort/merge.hpp"
#include "examples/gb-fastsort/records.hpp"
#include "examples/gb-fastsort/runs.hpp"

namespace {

constexpr int kExitUsage = 2;
// The minimum that the paper gave each of its sorts: 100 MB of 477.
constexpr std::uint64_t kMinNumerator = 100;
constexpr std::uint64_t kMinDenominator = 477;

constexpr char kHelp[] =
    "Usage: gb-fastsort -o OUTPUT INPUT...   (- alone is standard input, with --pass)\n"
    "       gb-fastsort --check SORTED INPUT...\n"
    "       gb-fastsort --generate RECORDS OUTPUT\n"
    "\n"
    "Sorts records of 100 bytes by their first 10, in passes as large as memory allows.\n"
    "\n"
    "  -o, --output FILE  where the sorted records go\n"
    "  --pass BYTES       passes of this fixed size, instead of what gb_alloc() grants\n"
    "  --min BYTES        the least to start a pass with (default 100/477 of the data)\n"
    "  --max BYTES        the most to ask gb_alloc() for (default: what the second phase gains by)\n"
    "  --linear           read the inputs as they are, not what is cached first\n"
    "  --runs-only        only the first phase, as in the paper's figure 7: the runs are removed\n"
    "  --stats            one line on stderr: passes, seconds of each phase, major faults, returns\n"
    "  --check SORTED     is SORTED in order, and has it just the records of the INPUTs?\n"
    "  --generate RECORDS make random records; --seed N makes others\n"
    "  --help, --version\n"
    "\n"
    "Exit status: 0; 1 a file can't be used or the check fails; 2 usage.\n";

struct Options {
  fastsort::RunOptions runs;
  std::string output;
  std::string sorted;
  std::uint64_t generated = 0;
  std::uint64_t seed = 1;
  bool is_generating = false;
  bool is_runs_only = false;
  bool has_stats = false;
};

int fail_usage(const std::string& what) {
  std::fprintf(stderr, "gb-fastsort: %s; see gb-fastsort --help\n", what.c_str());
  return kExitUsage;
}

bool read_number(const char* text, std::uint64_t& number) {
  char* end = nullptr;
  errno = 0;
  number = std::strtoull(text, &end, 10);
  return errno == 0 && *text >= '0' && *text <= '9' && *end == '\0';
}

int end_output(int status) {
  if (std::fflush(stdout) == 0) return status;
  std::fprintf(stderr, "gb-fastsort: cannot write to standard output: %s\n", std::strerror(errno));
  return 1;
}

// -1 to go on, else the exit status.
int take_option(int letter, const char* word, Options& options) {
  std::uint64_t number = 0;
  if (std::strchr("pmxgs", letter) != nullptr && !read_number(optarg, number))
    return fail_usage(std::string("'") + optarg + "' is not a number");
  switch (letter) {
    case 'o':
      options.output = optarg;
      return -1;
    case 'p':
      options.runs.pass_bytes = number;
      return number > 0 ? -1 : fail_usage("--pass 0 sorts nothing");
    case 'm':
      options.runs.min_bytes = number;
      return -1;
    case 'x':
      options.runs.max_bytes = number;
      return number > 0 ? -1 : fail_usage("--max 0 sorts nothing");
    case 'g':
      options.generated = number;
      options.is_generating = true;
      return -1;
    case 's':
      options.seed = number;
      return -1;
    case 'c':
      options.sorted = optarg;
      return -1;
    case 'r':
      options.is_runs_only = true;
      return -1;
    case 'l':
      options.runs.is_linear = true;
      return -1;
    case 't':
      options.has_stats = true;
      return -1;
    case 'h':
      std::fputs(kHelp, stdout);
      return end_output(0);
    case 'v':
      std::printf("gb-fastsort (Gray Toolbox) %s\n", gb_version());
      return end_output(0);
    default:
      return fail_usage(std::string("option '") + word + "' is unknown or lacks its value");
  }
}

int read_options(int argc, char** argv, Options& options) {
  constexpr option kOptions[] = {{"output", required_argument, nullptr, 'o'},
                                 {"pass", required_argument, nullptr, 'p'},
                                 {"min", required_argument, nullptr, 'm'},
                                 {"max", required_argument, nullptr, 'x'},
                                 {"generate", required_argument, nullptr, 'g'},
                                 {"seed", required_argument, nullptr, 's'},
                                 {"check", required_argument, nullptr, 'c'},
                                 {"runs-only", no_argument, nullptr, 'r'},
                                 {"linear", no_argument, nullptr, 'l'},
                                 {"stats", no_argument, nullptr, 't'},
                                 {"help", no_argument, nullptr, 'h'},
                                 {"version", no_argument, nullptr, 'v'},
                                 {nullptr, 0, nullptr, 0}};
  opterr = 0;
  for (int letter; (letter = getopt_long(argc, argv, "o:", kOptions, nullptr)) != -1;) {
    const int status = take_option(letter, argv[optind - 1], options);
    if (status >= 0) return status;
  }
  options.runs.inputs.assign(argv + optind, argv + argc);
  if (options.runs.inputs.empty()) return fail_usage("no file is named");
  const bool is_sort = !options.is_generating && options.sorted.empty();
  if (is_sort && options.output.empty()) return fail_usage("no --output is named");
  const fastsort::RunOptions& runs = options.runs;
  if (runs.pass_bytes != 0 && runs.max_bytes != 0)
    return fail_usage("--pass asks gb_alloc() for nothing: leave out --pass or --max");
  if (runs.max_bytes != 0 && runs.min_bytes > runs.max_bytes)
    return fail_usage("--min is above --max: name a smaller --min or a larger --max");
  return -1;
}

int check(const Options& options) {
  const fastsort::Content sorted = fastsort::look_at({options.sorted});
  const fastsort::Content given = fastsort::look_at(options.runs.inputs);
  std::printf("%llu records, %s, %s\n", static_cast<unsigned long long>(sorted.records),
              sorted.is_ordered ? "in order" : "NOT IN ORDER",
              sorted == given ? "the same as given" : "NOT THE SAME AS GIVEN");
  return end_output(sorted.is_ordered && sorted == given ? 0 : 1);
}

int sort(Options& options) {
  std::uint64_t records = 0;
  const bool is_stream = fastsort::is_standard_input(options.runs.inputs);
  if (is_stream && options.runs.pass_bytes == 0)
    return fail_usage("standard input wants --pass BYTES: nobody knows how much will come");
  for (const std::string& path : options.runs.inputs)
    records += is_stream ? 0 : fastsort::count_records(path);
  if (options.runs.min_bytes == 0)
    options.runs.min_bytes = records * fastsort::kRecordBytes / kMinDenominator * kMinNumerator;
  options.runs.run_prefix = options.output + ".run" + std::to_string(getpid());
  fastsort::PhaseTimes times;
  const std::vector<std::string> runs = fastsort::make_runs(options.runs, times);
  const double merge_start = fastsort::now_s();
  if (options.is_runs_only) {
    for (const std::string& path : runs) unlink(path.c_str());
  } else {
    fastsort::merge_runs(runs, options.output);
  }
  if (options.has_stats) {
    const double mean_mib =
        runs.empty() ? 0
                     : static_cast<double>(times.memory_bytes) / static_cast<double>(runs.size()) / 0x1p20;
    std::fprintf(stderr,
                 "passes %zu mean_mib %.1f alloc_s %.3f read_s %.3f sort_s %.3f write_s %.3f merge_s %.3f "
                 "major_faults %ld returns %llu\n",
                 runs.size(), mean_mib, times.alloc_s, times.read_s, times.sort_s, times.write_s,
                 fastsort::now_s() - merge_start, times.major_faults,
                 static_cast<unsigned long long>(times.returns));
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  const int status = read_options(argc, argv, options);
  if (status >= 0) return status;
  if (!options.sorted.empty()) return check(options);
  if (!options.is_generating) return sort(options);
  fastsort::make_records(options.runs.inputs[0], options.generated, options.seed);
  return 0;
}
