// SPDX-License-Identifier: MIT
// main: of gb-grep, the paper's grep that reads its files in the order of what is cached and where it lies ("Information and
// Control in Gray-Box Systems", SOSP 2001, sections 4.1 and 4.2). The ordering is order_files(); the rest is any grep.
#include <fcntl.h>
#include <getopt.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include <gray/gray.h>

namespace {

constexpr int kExitFound = 0;
constexpr int kExitNotFound = 1;
constexpr int kExitTrouble = 2;
constexpr std::size_t kReadBytes = 1U << 18U;
constexpr double kCachedMin =
    0.5;  // from this share on a file is read with the cached ones, the more of it the earlier
constexpr double kCachedSteps = 32;

constexpr char kHelp[] =
    "Usage: gb-grep [-c | -l | -q] [-u] [--explain] TEXT FILE...\n"
    "\n"
    "Prints the lines that hold TEXT, of the cached files first, then of the others as they lie on disk.\n"
    "\n"
    "  -c  only how many lines of each file do\n"
    "  -l  only the names of files that hold it\n"
    "  -q  nothing: end at the first match\n"
    "  -u  in the order given, as grep does\n"
    "  --explain  say on stderr what the order goes by on the first file's device\n"
    "  --help, --version\n"
    "\n"
    "Exit status: 0 found, 1 not found, 2 trouble or usage.\n";

struct Options {
  bool is_count = false;
  bool is_list = false;
  bool is_quiet = false;
  bool is_unordered = false;
  bool is_explained = false;
  std::string text;
};

struct File {
  const char* path;
  int cached_steps;  // 0: less than half
  gb_layout_place place;
};

const char* name_of(std::uint32_t origin) {
  switch (origin) {
    case GB_ORIGIN_CALLER:
      return "as asked for";
    case GB_ORIGIN_RECORD:
      return "from the record of this host";
    case GB_ORIGIN_NOW:
      return "not recorded: a cached read was timed just now";
    default:
      return "the library's own: microbench has not measured this host";
  }
}

void explain(gb_cache_t* detector, const char* path) {
  gb_cache_settings settings{};
  settings.size = sizeof settings;
  if (gb_cache_explain(detector, path, &settings) != 0) return;
  std::fprintf(stderr, "gb-grep: where the kernel does not tell, one probe answers for %llu bytes (%s)\n",
               static_cast<unsigned long long>(settings.prediction_unit_bytes),
               name_of(settings.prediction_unit_origin));
  std::fprintf(stderr, "gb-grep: a probe above %llu ns missed (%s)\n",
               static_cast<unsigned long long>(settings.hit_time_max_ns), name_of(settings.hit_time_origin));
}

void order_files(std::vector<const char*>& paths, bool is_explained) {
  gb_cache_t* detector = nullptr;
  if ((paths.size() < 2 && !is_explained) || gb_cache_open(nullptr, &detector) != 0) return;
  if (is_explained) explain(detector, paths[0]);
  gb_order_t order = GB_ORDER_NONE;
  gb_layout_advise(paths[0], 0, &order);
  std::vector<File> files;
  for (const char* path : paths) {
    File file{path, 0, {}};
    gb_cache_report report{};
    report.size = sizeof report;
    file.place.size = sizeof file.place;
    if (gb_cache_inspect(detector, path, &report) == 0 && report.cached_fraction >= kCachedMin)
      file.cached_steps = static_cast<int>(report.cached_fraction * kCachedSteps);
    gb_layout_find(path, &file.place);
    files.push_back(file);
  }
  gb_cache_close(detector);
  std::stable_sort(files.begin(), files.end(), [order](const File& a, const File& b) {
    if (a.cached_steps != b.cached_steps) return a.cached_steps > b.cached_steps;
    return gb_layout_compare_by(&a.place, &b.place, order) < 0;
  });
  for (std::size_t i = 0; i < files.size(); ++i) paths[i] = files[i].path;
}

// Counts the matching lines of a file, printing them as asked; -1 when it can't be read.
class Search {
 public:
  Search(const Options& options, bool has_names)
      : options_(options), has_names_(has_names), buffer_(kReadBytes) {}

  long in(const char* path) {
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return -1;
    long matches = 0;
    std::size_t kept = 0;  // bytes of a line that goes on in the next block
    ssize_t length = 0;
    while ((length = read(fd, buffer_.data() + kept, buffer_.size() - kept)) > 0) {
      const std::size_t filled = kept + static_cast<std::size_t>(length);
      const void* newline = memrchr(buffer_.data(), '\n', filled);
      const std::size_t whole =
          newline == nullptr
              ? 0
              : static_cast<std::size_t>(static_cast<const char*>(newline) - buffer_.data()) + 1;
      matches += in_lines(path, buffer_.data(), buffer_.data() + whole);
      kept = filled - whole;
      std::memmove(buffer_.data(), buffer_.data() + whole, kept);
      if (kept == buffer_.size()) buffer_.resize(2 * kept);
      if (matches > 0 && (options_.is_quiet || options_.is_list)) break;
    }
    const int error = errno;
    close(fd);
    errno = error;
    if (length < 0) return -1;
    if (length == 0 && kept > 0) matches += in_lines(path, buffer_.data(), buffer_.data() + kept);
    return matches;
  }

 private:
  // The text is looked for in all lines at once; most blocks hold none.
  long in_lines(const char* path, const char* at, const char* end) {
    long matches = 0;
    while (const void* found =
               memmem(at, static_cast<std::size_t>(end - at), options_.text.data(), options_.text.size())) {
      const char* here = static_cast<const char*>(found);
      const void* before = memrchr(at, '\n', static_cast<std::size_t>(here - at));
      const void* after = std::memchr(here, '\n', static_cast<std::size_t>(end - here));
      const char* line_end = after == nullptr ? end : static_cast<const char*>(after);
      print(path, before == nullptr ? at : static_cast<const char*>(before) + 1, line_end);
      ++matches;
      if (after == nullptr || options_.is_quiet || options_.is_list) break;
      at = line_end + 1;
    }
    return matches;
  }

  void print(const char* path, const char* line, const char* line_end) const {
    if (options_.is_count || options_.is_list || options_.is_quiet) return;
    if (has_names_) std::printf("%s:", path);
    std::fwrite(line, 1, static_cast<std::size_t>(line_end - line), stdout);
    std::putchar('\n');
  }

  const Options& options_;
  bool has_names_;
  std::vector<char> buffer_;
};

int end_output(int status) {
  if (std::fflush(stdout) == 0) return status;
  std::fprintf(stderr, "gb-grep: cannot write to standard output: %s\n", std::strerror(errno));
  return kExitTrouble;
}

int search(const Options& options, const std::vector<const char*>& paths) {
  Search search(options, paths.size() > 1);
  bool is_found = false;
  bool has_failed = false;
  for (const char* path : paths) {
    const long matches = search.in(path);
    if (matches < 0) {
      std::fprintf(stderr, "gb-grep: %s: %s\n", path, std::strerror(errno));
      has_failed = true;
      continue;
    }
    is_found = is_found || matches > 0;
    if (options.is_count) std::printf("%s:%ld\n", path, matches);
    if (options.is_list && matches > 0) std::printf("%s\n", path);
    if (options.is_quiet && is_found) break;
  }
  if (has_failed && !(options.is_quiet && is_found)) return end_output(kExitTrouble);
  return end_output(is_found ? kExitFound : kExitNotFound);
}

int fail_usage(const char* what, const char* word) {
  std::fprintf(stderr, "gb-grep: %s%s; see gb-grep --help\n", what, word);
  return kExitTrouble;
}

}  // namespace

int main(int argc, char** argv) {
  constexpr option kOptions[] = {{"help", no_argument, nullptr, 'h'},
                                 {"version", no_argument, nullptr, 'v'},
                                 {"explain", no_argument, nullptr, 'e'},
                                 {nullptr, 0, nullptr, 0}};
  Options options;
  opterr = 0;
  for (int letter; (letter = getopt_long(argc, argv, "+clqu", kOptions, nullptr)) != -1;) {
    if (letter == 'h') std::fputs(kHelp, stdout);
    if (letter == 'v') std::printf("gb-grep (Gray Toolbox) %s\n", gb_version());
    if (letter == 'h' || letter == 'v') return end_output(0);
    if (letter == '?') return fail_usage("unknown option ", argv[optind - 1]);
    options.is_explained = options.is_explained || letter == 'e';
    options.is_count = options.is_count || letter == 'c';
    options.is_list = options.is_list || letter == 'l';
    options.is_quiet = options.is_quiet || letter == 'q';
    options.is_unordered = options.is_unordered || letter == 'u';
  }
  if (argc - optind < 2) return fail_usage("write gb-grep TEXT FILE...", "");
  options.text = argv[optind];
  if (options.text.empty()) return fail_usage("there is no text to look for", "");
  if (options.text.find('\n') != std::string::npos) return fail_usage("the text must lie in one line", "");
  std::vector<const char*> paths(argv + optind + 1, argv + argc);
  if (!options.is_unordered) order_files(paths, options.is_explained);
  return search(options, paths);
}
