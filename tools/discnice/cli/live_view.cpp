// SPDX-License-Identifier: MIT
#include "tools/discnice/cli/live_view.hpp"

// The macros of ncurses have the names of common functions. This definition turns the macros off.
#define NCURSES_NOMACROS 1
#include <fmt/core.h>
#include <ncurses.h>
#include <term.h>

#include <cerrno>
#include <clocale>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

#include <langinfo.h>
#include <poll.h>
#include <unistd.h>

#include "toolbox/base/clock.hpp"
#include "toolbox/cli/diagnostics.hpp"
#include "tools/discnice/cli/job_looks.hpp"
#include "tools/discnice/cli/jobs.hpp"
#include "tools/discnice/cli/limit_options.hpp"
#include "tools/discnice/cli/live_screen.hpp"
#include "tools/discnice/protocol/segment.hpp"

namespace discnice::cli {
namespace {

constexpr std::uint64_t kLookNs = 1'000'000'000;
constexpr std::uint64_t kMessageNs = 5'000'000'000;  // how long a message stays
constexpr int kEscape = 27;
constexpr std::size_t kAnswerMax = 24;
constexpr short kAlarmPair = 1;

volatile std::sig_atomic_t ending_signal = 0;

void note_ending(int number) {
  ending_signal = number;
}

// Catches the signals that would end the program, so that the program can restore the terminal first.
void catch_endings() {
  struct sigaction action {};
  action.sa_handler = note_ending;
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaction(number, &action, nullptr);
}

// Takes over the terminal for the screen, and restores the terminal at the end.
class Terminal {
 public:
  Terminal() : screen_(newterm(nullptr, stdout, stdin)) {
    if (screen_ == nullptr) return;
    cbreak();
    noecho();
    nonl();
    keypad(stdscr, true);
    curs_set(0);
    set_escdelay(50);
    const char* const no_color = std::getenv("NO_COLOR");
    if ((no_color == nullptr || *no_color == '\0') && has_colors()) {
      start_color();
      use_default_colors();
      init_pair(kAlarmPair, COLOR_RED, -1);
      has_alarm_ = true;
    }
  }
  ~Terminal() {
    if (screen_ == nullptr) return;
    endwin();
    delscreen(screen_);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  [[nodiscard]] bool is_there() const { return screen_ != nullptr; }

  void show(const Scene& scene) const {
    int row = 0;
    erase();
    for (const ScreenLine& line : compose(scene, getmaxx(stdscr), getmaxy(stdscr))) {
      for (const Span& span : line) {
        attrset(static_cast<int>(attributes_of(span.style)));
        mvaddstr(row, span.column, span.text.c_str());
      }
      ++row;
    }
    attrset(A_NORMAL);
    refresh();
  }

 private:
  [[nodiscard]] attr_t attributes_of(Style style) const {
    switch (style) {
      case Style::plain:
        return A_NORMAL;
      case Style::bold:
        return A_BOLD;
      case Style::dim:
        return A_DIM;
      case Style::alarm:
        return has_alarm_ ? static_cast<attr_t>(COLOR_PAIR(kAlarmPair)) | A_BOLD : A_BOLD;
      case Style::chosen:
        return A_REVERSE;
    }
    return A_NORMAL;
  }

  SCREEN* screen_;
  bool has_alarm_ = false;
};

std::string time_of_day() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  char text[16];
  localtime_r(&now, &local);
  return {text, std::strftime(text, sizeof text, "%H:%M:%S", &local)};
}

// Changes the chosen job as the keys request.
class Keys {
 public:
  explicit Keys(Scene& scene) : scene_(scene) {}

  /// Returns false when the key ends the program.
  bool take(int key) {
    scene_.message.clear();
    taken_at_ns_ = gray::base::monotonic_ns();
    if (!scene_.question.empty()) {
      answer(key);
      return true;
    }
    switch (key) {
      case 'q':
        return false;
      case 'p':
        set_paused(true);
        break;
      case 'r':
        set_paused(false);
        break;
      case 's':
        ask();
        break;
      case 't':
        scene_.has_processes = !scene_.has_processes;
        break;
      case KEY_UP:
      case 'k':
        if (scene_.chosen > 0) --scene_.chosen;
        break;
      case KEY_DOWN:
      case 'j':
        if (scene_.chosen + 1 < scene_.look.jobs.size()) ++scene_.chosen;
        break;
      default:
        break;
    }
    return true;
  }

  /// Removes the message about the last key when it is old.
  void forget_message() {
    if (taken_at_ns_ + kMessageNs < gray::base::monotonic_ns()) scene_.message.clear();
  }

 private:
  template <typename Change>
  void change(Change apply, const std::string& what) {
    if (scene_.look.jobs.empty()) {
      scene_.message = "no job is running";
      return;
    }
    const std::string name = std::to_string(scene_.look.jobs[scene_.chosen].number);
    std::string problem;
    auto job = find_job(name, &problem);
    if (job) {
      Grant grant = protocol::load_grant(job->segment());
      problem = apply(grant);
      if (problem.empty()) protocol::change_grant(job->segment(), grant);
      if (problem.empty()) scene_.look.jobs[scene_.chosen].grant = grant;
    }
    scene_.message = problem.empty() ? fmt::format("job {} {}", name, what) : problem;
  }

  void set_paused(bool is_paused) {
    change(
        [is_paused](Grant& grant) {
          grant.flags = is_paused ? grant.flags | kPaused : grant.flags & ~kPaused;
          return std::string();
        },
        is_paused ? "is paused: what needs the disk waits" : "goes on");
  }

  void ask() {
    if (scene_.look.jobs.empty()) {
      scene_.message = "no job is running";
      return;
    }
    answer_.clear();
    show_question();
  }

  void show_question() {
    scene_.question = fmt::format("Rate of job {} (5M, 800K, none; Esc leaves it): {}_",
                                  scene_.look.jobs[scene_.chosen].number, answer_);
  }

  void answer(int key) {
    if (key == kEscape || scene_.look.jobs.empty()) {
      scene_.question.clear();
    } else if (key == '\n' || key == '\r' || key == KEY_ENTER) {
      scene_.question.clear();
      set_rate();
    } else {
      if ((key == KEY_BACKSPACE || key == 127 || key == '\b') && !answer_.empty()) answer_.pop_back();
      if (key >= ' ' && key < 127 && answer_.size() < kAnswerMax) answer_ += static_cast<char>(key);
      show_question();
    }
  }

  void set_rate() {
    if (answer_.empty()) return;
    LimitTexts texts;
    texts.rate = answer_;
    change(
        [&texts](Grant& grant) {
          std::string problem = apply_limits(texts, grant);
          if (problem.empty()) problem = find_useless(texts, {grant});
          if (problem.empty() && (grant.flags & kHeldByGroup) != 0) problem = judge_for_group(texts, {grant});
          return problem;
        },
        "has the rate " + answer_);
  }

  Scene& scene_;
  std::string answer_;
  std::uint64_t taken_at_ns_ = 0;
};

int milliseconds_until(std::uint64_t instant_ns) {
  const std::uint64_t now_ns = gray::base::monotonic_ns();
  return instant_ns <= now_ns ? 0 : static_cast<int>((instant_ns - now_ns) / 1'000'000 + 1);
}

bool is_terminal_gone() {
  pollfd keyboard{STDIN_FILENO, POLLIN, 0};
  return poll(&keyboard, 1, 0) < 0 ? errno != EINTR : (keyboard.revents & ~POLLIN) != 0;
}

// Handles the keys until the next sample is due. Returns false when a key, a signal or the end of the terminal ends the program.
bool take_keys(const Terminal& terminal, Scene& scene, Keys& keys, std::uint64_t until_ns) {
  while (ending_signal == 0) {
    const int left_ms = milliseconds_until(until_ns);
    if (left_ms == 0) return true;
    timeout(left_ms);
    const int key = getch();
    if (key == ERR && is_terminal_gone()) return false;
    if (key == ERR) continue;
    if (key != KEY_RESIZE && !keys.take(key)) return false;
    terminal.show(scene);
  }
  return false;
}

}  // namespace

bool can_show_live() {
  int error = 0;
  if (isatty(STDOUT_FILENO) == 0 || isatty(STDIN_FILENO) == 0) return false;
  if (setupterm(nullptr, STDOUT_FILENO, &error) != OK) return false;
  char name[] = "cup";
  const char* const moves = tigetstr(name);
  return moves != nullptr && moves != reinterpret_cast<const char*>(-1);
}

int show_live(bool has_processes) {
  std::setlocale(LC_CTYPE, "");
  Scene scene;
  scene.has_processes = has_processes;
  scene.is_utf8 = std::strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
  Watch watch;
  Keys keys(scene);
  catch_endings();
  {
    const Terminal terminal;
    if (!terminal.is_there())
      return gray::cli::fail(gray::cli::kExitSomeFailed, "no screen on this terminal");
    do {
      take_look(scene, watch.look());
      keys.forget_message();
      if (!scene.look.is_complete) scene.message = some_missing();
      scene.clock = time_of_day();
      terminal.show(scene);
    } while (take_keys(terminal, scene, keys, gray::base::monotonic_ns() + kLookNs));
  }
  if (ending_signal != 0) {
    std::signal(ending_signal, SIG_DFL);
    raise(ending_signal);
  }
  return 0;
}

}  // namespace discnice::cli
