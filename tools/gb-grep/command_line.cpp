// SPDX-License-Identifier: MIT
#include "tools/gb-grep/command_line.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <string_view>

#include <getopt.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gb_grep {
namespace {

// Numbers for the long options without a letter.
enum Long : int {
  kBinaryFiles = 256,
  kColor,
  kExclude,
  kExcludeFrom,
  kExcludeFolder,
  kSeparator,
  kInclude,
  kOther,
  kHelp,
  kSorted,
};

constexpr char kLetters[] = ":0123456789A:B:C:D:EFGHILPTUVX:abcd:e:f:hiLlm:noqRrsuvwxyZz";

constexpr option kLongOptions[] = {{"after-context", required_argument, nullptr, 'A'},
                                   {"basic-regexp", no_argument, nullptr, 'G'},
                                   {"before-context", required_argument, nullptr, 'B'},
                                   {"binary", no_argument, nullptr, 'U'},
                                   {"binary-files", required_argument, nullptr, kBinaryFiles},
                                   {"byte-offset", no_argument, nullptr, 'b'},
                                   {"color", optional_argument, nullptr, kColor},
                                   {"colour", optional_argument, nullptr, kColor},
                                   {"context", required_argument, nullptr, 'C'},
                                   {"count", no_argument, nullptr, 'c'},
                                   {"dereference-recursive", no_argument, nullptr, 'R'},
                                   {"devices", required_argument, nullptr, 'D'},
                                   {"directories", required_argument, nullptr, 'd'},
                                   {"exclude", required_argument, nullptr, kExclude},
                                   {"exclude-dir", required_argument, nullptr, kExcludeFolder},
                                   {"exclude-from", required_argument, nullptr, kExcludeFrom},
                                   {"extended-regexp", no_argument, nullptr, 'E'},
                                   {"file", required_argument, nullptr, 'f'},
                                   {"files-with-matches", no_argument, nullptr, 'l'},
                                   {"files-without-match", no_argument, nullptr, 'L'},
                                   {"fixed-regexp", no_argument, nullptr, 'F'},
                                   {"fixed-strings", no_argument, nullptr, 'F'},
                                   {"group-separator", required_argument, nullptr, kSeparator},
                                   {"help", no_argument, nullptr, kHelp},
                                   {"ignore-case", no_argument, nullptr, 'i'},
                                   {"include", required_argument, nullptr, kInclude},
                                   {"initial-tab", no_argument, nullptr, 'T'},
                                   {"invert-match", no_argument, nullptr, 'v'},
                                   {"label", required_argument, nullptr, kOther},
                                   {"line-buffered", no_argument, nullptr, kOther},
                                   {"line-number", no_argument, nullptr, 'n'},
                                   {"line-regexp", no_argument, nullptr, 'x'},
                                   {"max-count", required_argument, nullptr, 'm'},
                                   {"no-filename", no_argument, nullptr, 'h'},
                                   {"no-group-separator", no_argument, nullptr, kSeparator},
                                   {"no-ignore-case", no_argument, nullptr, kOther},
                                   {"no-messages", no_argument, nullptr, 's'},
                                   {"null", no_argument, nullptr, 'Z'},
                                   {"null-data", no_argument, nullptr, 'z'},
                                   {"only-matching", no_argument, nullptr, 'o'},
                                   {"perl-regexp", no_argument, nullptr, 'P'},
                                   {"quiet", no_argument, nullptr, 'q'},
                                   {"recursive", no_argument, nullptr, 'r'},
                                   {"regexp", required_argument, nullptr, 'e'},
                                   {"silent", no_argument, nullptr, 'q'},
                                   {"sorted", no_argument, nullptr, kSorted},
                                   {"text", no_argument, nullptr, 'a'},
                                   {"unix-byte-offsets", no_argument, nullptr, 'u'},
                                   {"version", no_argument, nullptr, 'V'},
                                   {"with-filename", no_argument, nullptr, 'H'},
                                   {"word-regexp", no_argument, nullptr, 'w'},
                                   {nullptr, 0, nullptr, 0}};

// Whether the word begins a long option of grep. grep refuses such a word because it fits more than one option, or has a value that the option does not take.
bool begins_option(const char* word) {
  if (std::strncmp(word, "--", 2) != 0) return false;
  const std::size_t length = std::strcspn(word + 2, "=");
  return std::any_of(std::begin(kLongOptions), std::end(kLongOptions), [word, length](const option& known) {
    return known.name != nullptr && std::strncmp(known.name, word + 2, length) == 0;
  });
}

bool is_one_of(std::string_view letters, int letter) {
  return std::any_of(letters.begin(), letters.end(), [letter](char one) { return one == letter; });
}

// For a list that can be read only once, the name of a copy that each run of grep can read.
std::string readable_again(const char* path) {
  struct stat status {};
  const bool is_input = std::strcmp(path, "-") == 0;
  if (!is_input && (stat(path, &status) != 0 || S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)))
    return path;
  const int copy = memfd_create("patterns", 0);
  if (copy < 0) return path;
  std::ifstream file;
  if (!is_input) file.open(path, std::ios::binary);
  std::istream& stream = is_input ? std::cin : file;
  char block[1U << 16U];
  while (stream.read(block, sizeof block), stream.gcount() > 0)
    if (write(copy, block, static_cast<std::size_t>(stream.gcount())) != stream.gcount()) break;
  return "/dev/fd/" + std::to_string(copy);
}

// Reads globs in the same way as grep: one glob a line, without the blanks at its end. False: the file cannot be read.
bool add_from(const std::string& path, Globs& globs) {
  std::ifstream file(path, std::ios::binary);
  for (std::string glob; std::getline(file, glob);) {
    const std::size_t last = glob.find_last_not_of(" \t\r\v\f");
    if (last != std::string::npos) globs.add(glob.substr(0, last + 1), false);
  }
  return file.eof();
}

std::string without_slashes_at_end(std::string glob) {
  while (glob.size() > 1 && glob.back() == '/') glob.pop_back();
  return glob;
}

class Reader {
 public:
  Reader(int argc, char** argv) : arguments_(argv, argv + argc), given_(arguments_) {}

  Reading read() {
    arguments_.push_back(nullptr);
    opterr = 0;
    const auto count = static_cast<int>(given_.size());
    for (int letter; (letter = getopt_long(count, arguments_.data(), kLetters, kLongOptions, nullptr)) != -1;)
      if (!take(letter)) break;
    end();
    return std::move(reading_);
  }

 private:
  // False: reading stops here.
  bool take(int letter) {
    const char* word = arguments_[static_cast<std::size_t>(optind) - 1];
    CommandLine& line = reading_.line;
    last_value_ = optarg;
    switch (letter) {
      case '?':
        reading_.way = begins_option(word) ? Way::plain_grep : Way::usage;
        reading_.unknown = optopt != 0 ? std::string("-") + static_cast<char>(optopt) : word;
        return false;
      case ':':
        reading_.way = Way::plain_grep;
        return false;
      case kHelp:
        reading_.way = Way::help;
        return false;
      case 'V':
        reading_.way = Way::version;
        return false;
      case kSorted:
        line.is_sorted = true;
        own_.insert(word);
        break;
      case 'r':
      case 'R':
        line.is_recursive = true;
        line.follows_links = letter == 'R';
        break;
      case 'd':
        take_directories(optarg);
        break;
      case 'D':
        line.reads_devices = std::strcmp(optarg, "read") == 0;
        line.skips_devices = std::strcmp(optarg, "skip") == 0;
        if (!line.reads_devices && !line.skips_devices) reading_.way = Way::plain_grep;
        break;
      case 'e':
        has_patterns_ = true;
        break;
      case 'f':
        has_patterns_ = true;
        replace(word, readable_again(optarg));
        break;
      default:
        take_output(letter, word);
        take_globs(letter, word);
    }
    return true;
  }

  void take_output(int letter, const char* word) {
    CommandLine& line = reading_.line;
    if (is_one_of("ABC0123456789", letter)) line.has_context = true;
    if (is_one_of("clLq", letter)) line.prints_lines = false;
    line.is_quiet = line.is_quiet || letter == 'q';
    line.is_silent = line.is_silent || letter == 's';
    if (letter == kColor) {
      constexpr const char* kByTerminal[] = {"auto", "tty", "if-tty"};
      line.is_color_by_terminal =
          optarg == nullptr || std::any_of(std::begin(kByTerminal), std::end(kByTerminal),
                                           [](const char* value) { return std::strcmp(value, optarg) == 0; });
    }
    if (letter != kColor && letter != kSeparator) return;
    if (optarg == word) line.separator_words.emplace_back(arguments_[static_cast<std::size_t>(optind) - 2]);
    line.separator_words.emplace_back(word);
  }

  void take_globs(int letter, const char* word) {
    CommandLine& line = reading_.line;
    if (letter == kInclude || letter == kExclude) line.file_globs.add(optarg, letter == kInclude);
    if (letter == kExcludeFrom) {
      const std::string list = readable_again(optarg);
      if (!add_from(list, line.file_globs)) reading_.way = Way::plain_grep;
      replace(word, list);
    }
    if (letter == kExcludeFolder) line.folder_globs.add(without_slashes_at_end(optarg), false);
    if (letter != kInclude && letter != kExclude && letter != kExcludeFrom && letter != kExcludeFolder)
      return;
    globs_.insert(word);
    if (optarg == word) globs_.insert(arguments_[static_cast<std::size_t>(optind) - 2]);
  }

  // grep also accepts an abbreviated word if no other word begins in the same way.
  void take_directories(const std::string& action) {
    const auto is = [&action](const std::string& word, std::size_t length_min) {
      return action.size() >= length_min && word.starts_with(action);
    };
    if (is("recurse", 3)) {
      reading_.line.is_recursive = true;
    } else if (is("read", 3) || is("skip", 1)) {
      reading_.line.is_recursive = false;
    } else {
      reading_.way = Way::plain_grep;
    }
  }

  // Replaces the value of the option that was just read.
  void replace(const char* word, const std::string& value) {
    if (value != optarg) instead_[word] = std::string(word, static_cast<std::size_t>(optarg - word)) + value;
  }

  std::string as_passed_on(const char* word) const {
    const auto other = instead_.find(word);
    return other == instead_.end() ? word : other->second;
  }

  void end() {
    CommandLine& line = reading_.line;
    for (std::size_t i = 1; i < given_.size(); ++i)
      if (own_.count(given_[i]) == 0) reading_.plain.push_back(as_passed_on(given_[i]));
    auto next = static_cast<std::size_t>(optind);
    for (std::size_t i = 1; i < next && i < given_.size(); ++i)
      if (own_.count(arguments_[i]) == 0 && globs_.count(arguments_[i]) == 0)
        line.words.push_back(as_passed_on(arguments_[i]));
    const bool is_value = next > 0 && arguments_[next - 1] == last_value_;
    if (!line.words.empty() && line.words.back() == "--" && !is_value) line.words.pop_back();
    if (!has_patterns_ && next < given_.size()) line.pattern = arguments_[next++];
    for (; next < given_.size(); ++next) line.files.push_back(arguments_[next]);
    if (!has_patterns_ && !line.pattern && reading_.way == Way::order) reading_.way = Way::plain_grep;
  }

  std::vector<char*> arguments_;  // getopt reorders these
  std::vector<char*> given_;
  std::set<const char*> own_;
  std::set<const char*> globs_;
  std::map<const char*, std::string> instead_;
  bool has_patterns_ = false;
  const char* last_value_ = nullptr;
  Reading reading_;
};

}  // namespace

Reading read_command_line(int argc, char** argv) {
  return Reader(argc, argv).read();
}

}  // namespace gb_grep
