// SPDX-License-Identifier: MIT
#include "tools/gb-grep/runs.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <sys/stat.h>
#include <unistd.h>

#include "toolbox/cli/diagnostics.hpp"
#include "tools/gb-grep/grep_program.hpp"
#include "tools/gb-grep/held_output.hpp"
#include "tools/gb-grep/marks.hpp"
#include "tools/gbp/batches.hpp"

namespace gb_grep {
namespace {

constexpr int kTrouble = 2;

// A mark in the list takes less than three times the bytes of the shortest name, so a list with marks needs at most four times the
// bytes.
constexpr std::size_t kRoomShare = 4;

// The exit status that a single grep over all files would have.
class Outcome {
 public:
  explicit Outcome(bool is_quiet) : is_quiet_(is_quiet) {}

  void add(int status) {
    is_found_ = is_found_ || status == 0;
    has_failed_ = has_failed_ || status >= kTrouble;
  }
  /// Whether no further run is needed.
  [[nodiscard]] bool is_over() const { return is_quiet_ && is_found_; }
  [[nodiscard]] int status() const {
    if (is_over()) return 0;
    if (has_failed_) return kTrouble;
    return is_found_ ? 0 : 1;
  }

 private:
  bool is_quiet_;
  bool is_found_ = false;
  bool has_failed_ = false;
};

// grep decides by its own stdout, which differs from the stdout of gb-grep if the output is held.
std::string color_word() {
  const char* terminal = std::getenv("TERM");
  const bool has_colors = terminal != nullptr && std::strcmp(terminal, "dumb") != 0;
  return has_colors && isatty(STDOUT_FILENO) == 1 ? "--color=always" : "--color=never";
}

// The words before the files in a run. With more than one file, or with a folder, each printed line has a file name, unless the user's options say otherwise.
std::vector<std::string> begin_of(const CommandLine& line, bool is_held) {
  std::vector<std::string> words{"-H"};
  words.insert(words.end(), line.words.begin(), line.words.end());
  if (is_held)
    words.insert(words.end(),
                 {"--line-buffered", "--devices=read"});  // marks are pipes, which count as devices
  if (is_held && line.is_color_by_terminal) words.push_back(color_word());
  words.emplace_back("--");
  if (line.pattern) words.push_back(*line.pattern);
  return words;
}

Wording learn_wording(const std::string& program, const CommandLine& line) {
  if (!line.has_context || !line.prints_lines) return {};
  const int groups = memory_file("x\n\nx\n");
  std::vector<std::string> words = line.separator_words;
  if (line.is_color_by_terminal) words.push_back(color_word());
  words.insert(words.end(), {"-h", "-A0", "-e", "x", "--", name_of(groups)});
  const std::string lines = ask_grep(program, words).out;
  Wording wording;
  const std::size_t length = lines.find('\n') + 1;
  if (lines.size() > 2 * length) wording.separator = lines.substr(length, lines.size() - 2 * length);
  const int no_text = memory_file(std::string("\0x\n", 3));
  const Answer answer = ask_grep(program, {"-e", "x", "--", name_of(no_text)});
  const std::string said = answer.out + answer.err;
  if (const std::size_t at = said.find(name_of(no_text)); at != std::string::npos) {
    wording.binary_before = said.substr(0, at);
    wording.binary_behind = said.substr(at + name_of(no_text).size());
  }
  close(groups);
  close(no_text);
  return wording;
}

int run_in_turn(const std::string& program, const CommandLine& line, const std::vector<gbp::File>& files,
                const std::vector<std::size_t>& ends) {
  const std::vector<std::string> words = begin_of(line, false);
  Outcome outcome(line.is_quiet);
  std::size_t next = 0;
  for (const std::size_t end : ends) {
    std::vector<char*> arguments = as_arguments(words);
    arguments.pop_back();
    for (; next < end; ++next) arguments.push_back(const_cast<char*>(files[next].path));
    arguments.push_back(nullptr);
    outcome.add(wait_for(start_grep(program, arguments, STDOUT_FILENO, STDERR_FILENO)));
    if (outcome.is_over()) break;
  }
  return outcome.status();
}

// Runs of grep whose output is held, and written in the order of the turns.
class HeldRuns {
 public:
  HeldRuns(const std::string& program, const CommandLine& line, const std::vector<gbp::File>& files)
      : program_(program),
        line_(line),
        files_(files),
        words_(begin_of(line, true)),
        held_(learn_wording(program, line)),
        outcome_(line.is_quiet) {}

  int over(const std::vector<std::size_t>& ends) {
    if (!marks_.are_there() || !held_.is_ready())
      return gray::cli::fail(kTrouble, "cannot make a temporary file in '{}'; name another folder in TMPDIR",
                             temporary_folder());
    find_output();
    std::size_t begin = 0;
    for (const std::size_t end : ends) {
      run(begin, end);
      if (const int error = held_.write_due(); error != 0)
        return gray::cli::fail(kTrouble, "write error: {}", gray::cli::error_text(error));
      begin = end;
    }
    return outcome_.status();
  }

 private:
  struct Place {
    std::uint64_t out = 0;
    std::uint64_t err = 0;
  };

  // Successive files whose output is one piece: indexes from `begin` to before `end`.
  struct Stretch {
    std::size_t begin;
    std::size_t end;
  };

  [[nodiscard]] std::uint32_t turn_of(std::size_t index) const {
    return line_.is_sorted ? files_[index].rank : static_cast<std::uint32_t>(index);
  }

  [[nodiscard]] Place place_now() const { return {held_.out().bytes(), held_.err().bytes()}; }

  // Whether a file's output may be in one piece with the output for the file before.
  [[nodiscard]] bool goes_on(std::size_t index) const {
    const bool has_groups = line_.has_context && line_.prints_lines;
    return !has_groups && turn_of(index) == turn_of(index - 1) + 1;
  }

  // grep refuses to read the file to which it writes. If the output is held, grep does not know the file to which gb-grep writes.
  void find_output() {
    struct stat status {};
    is_output_file_ = line_.prints_lines && fstat(STDOUT_FILENO, &status) == 0 && S_ISREG(status.st_mode);
    output_device_ = status.st_dev;
    output_inode_ = status.st_ino;
  }

  [[nodiscard]] bool is_output(std::size_t index) const {
    return is_output_file_ && files_[index].error == 0 && files_[index].inode == output_inode_ &&
           files_[index].device == output_device_;
  }

  [[nodiscard]] bool is_skipped_device(std::size_t index) const {
    struct stat status {};
    const char* path = files_[index].path;
    return line_.skips_devices && std::strcmp(path, "-") != 0 && stat(path, &status) == 0 &&
           !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
  }

  void run_at_output(std::size_t index) {
    std::vector<std::string> words = begin_of(line_, false);
    words.emplace_back(files_[index].path);
    outcome_.add(wait_for(start_grep(program_, as_arguments(words), STDOUT_FILENO, STDERR_FILENO)));
    add_nothing(index);
  }

  void add_nothing(std::size_t index) {
    Piece piece;
    piece.next_turn = turn_of(index) + 1;
    held_.add(turn_of(index), piece, files_[index].path);
  }

  [[nodiscard]] std::vector<Stretch> divide(std::size_t begin, std::size_t end) {
    std::vector<Stretch> stretches;
    for (std::size_t i = begin; i < end; ++i) {
      if (is_output(i)) {
        run_at_output(i);
      } else if (is_skipped_device(i)) {
        add_nothing(i);
      } else if (!stretches.empty() && stretches.back().end == i && goes_on(i)) {
        ++stretches.back().end;
      } else {
        stretches.push_back({i, i + 1});
      }
    }
    return stretches;
  }

  void run(std::size_t begin, std::size_t end) {
    const std::vector<Stretch> stretches = divide(begin, end);
    if (stretches.empty()) return;
    // The list begins with two marks: the output between them is what grep prints about a mark itself.
    std::vector<char*> arguments = as_arguments(words_);
    arguments.pop_back();
    const auto add = [&arguments](const char* word) { arguments.push_back(const_cast<char*>(word)); };
    std::size_t mark = 0;
    add(marks_.name(mark));
    for (const Stretch& stretch : stretches) {
      add(marks_.name(++mark));
      for (std::size_t i = stretch.begin; i < stretch.end; ++i) add(files_[i].path);
    }
    arguments.push_back(nullptr);
    const pid_t grep = start_grep(program_, arguments, held_.out().fd(), held_.err().fd());
    const std::vector<Place> places =
        grep < 0 ? std::vector<Place>(mark + 2, place_now()) : follow(grep, mark + 1);
    outcome_.add(wait_for(grep));
    take_pieces(stretches, places);
  }

  // The end of the output at each mark, and at the end of the run. Messages that grep prints at the start of each run lie before the first mark.
  std::vector<Place> follow(pid_t grep, std::size_t marks) {
    std::vector<Place> places;
    marks_.begin(grep);
    for (std::size_t i = 0; i < marks && marks_.wait(i); ++i) {
      places.push_back(place_now());
      marks_.let_go();
    }
    marks_.end();
    places.resize(marks + 1, place_now());
    return places;
  }

  void take_pieces(const std::vector<Stretch>& stretches, const std::vector<Place>& places) {
    const Place own{places[1].out - places[0].out, places[1].err - places[0].err};
    held_.begin_run();
    for (std::size_t i = 0; i < stretches.size(); ++i) {
      const Place& from = places[i + 1];
      const Place& to = places[i + 2];
      Piece piece;
      piece.out_begin = std::min(from.out + own.out, to.out);
      piece.out_end = to.out;
      piece.err_begin = std::min(from.err + own.err, to.err);
      piece.err_end = to.err;
      piece.next_turn = turn_of(stretches[i].end - 1) + 1;
      held_.add(turn_of(stretches[i].begin), piece, files_[stretches[i].begin].path);
    }
  }

  const std::string& program_;
  const CommandLine& line_;
  const std::vector<gbp::File>& files_;
  std::vector<std::string> words_;
  HeldOutput held_;
  Outcome outcome_;
  Marks marks_;
  bool is_output_file_ = false;
  dev_t output_device_ = 0;
  ino_t output_inode_ = 0;
};

// A trial run over /dev/null, so that an error or a warning about the options or the pattern is printed once and not by each run.
Answer try_out(const std::string& program, const CommandLine& line) {
  std::vector<std::string> words = begin_of(line, false);
  words.emplace_back("/dev/null");
  return ask_grep(program, words);
}

bool is_in_given_order(const std::vector<gbp::File>& files) {
  return std::is_sorted(files.begin(), files.end(),
                        [](const gbp::File& a, const gbp::File& b) { return a.rank < b.rank; });
}

}  // namespace

int run_over(const std::string& program, const CommandLine& line, const std::vector<gbp::File>& files) {
  const std::vector<std::string> words = begin_of(line, false);
  const std::size_t room_bytes = gbp::argument_room_bytes(words);
  const std::vector<std::size_t> ends = gbp::batch_ends(files, false, room_bytes);
  const bool is_put_back = line.is_sorted && !line.is_quiet && !is_in_given_order(files);
  if (ends.size() == 1 && !is_put_back) {
    std::vector<std::string> all = words;
    for (const gbp::File& file : files) all.emplace_back(file.path);
    return become_grep(program, all);
  }
  const Answer start = try_out(program, line);
  if (start.status >= kTrouble || !start.err.empty())
    static_cast<void>(write_all(STDERR_FILENO, start.err.data(), start.err.size()));
  if (start.status >= kTrouble) return kTrouble;
  const bool has_groups = line.has_context && line.prints_lines;
  if (!is_put_back && !has_groups && start.err.empty()) return run_in_turn(program, line, files, ends);
  return HeldRuns(program, line, files).over(gbp::batch_ends(files, false, room_bytes / kRoomShare));
}

}  // namespace gb_grep
