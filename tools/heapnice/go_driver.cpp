// SPDX-License-Identifier: MIT
// go_driver: sets the largest heap of a Go program, by the variable that the Go runtime reads at its start.
#include <cstdlib>

#include "toolbox/cli/quantities.hpp"
#include "tools/heapnice/start_driver.hpp"

namespace heapnice {
namespace {

class GoDriver : public StartDriver {
 public:
  explicit GoDriver(const Options& options) : StartDriver(options, "go") {}

  void prepare() override {
    if (const char* given = std::getenv("GOMEMLIMIT")) {
      log().note(std::string("GOMEMLIMIT is ") + given + " already: the program keeps to that");
      return;
    }
    const std::uint64_t bytes = start_bytes(options());
    if (bytes == 0) {
      log().note("the least that the heap shall have is not there now: the program is told nothing");
      return;
    }
    tell("GOMEMLIMIT", std::to_string(bytes),
         "the program is told GOMEMLIMIT=" + gray::cli::format_bytes(bytes));
  }
};

}  // namespace

std::unique_ptr<Driver> make_go_driver(const Options& options) {
  return std::make_unique<GoDriver>(options);
}

}  // namespace heapnice
