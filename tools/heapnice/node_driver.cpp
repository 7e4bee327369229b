// SPDX-License-Identifier: MIT
// node_driver: sets the largest old space of Node's heap, by the variable that Node reads at its start.
#include <algorithm>
#include <cstdlib>

#include "toolbox/base/units.hpp"
#include "toolbox/cli/quantities.hpp"
#include "tools/heapnice/start_driver.hpp"

namespace heapnice {
namespace {

// The share for young space, code and buffers, which are not in the old space.
constexpr std::uint64_t kBesideShare = 8;
constexpr char kOption[] = "--max-old-space-size=";

class NodeDriver : public StartDriver {
 public:
  explicit NodeDriver(const Options& options) : StartDriver(options, "node") {}

  void prepare() override {
    const char* before = std::getenv("NODE_OPTIONS");
    const std::string given = before == nullptr ? "" : before;
    const bool is_told =
        given.find("--max-old-space-size") != std::string::npos ||
        given.find("--max_old_space_size") != std::string::npos ||
        std::any_of(options().command.begin(), options().command.end(), [](const std::string& word) {
          return word.starts_with("--max-old-space-size") || word.starts_with("--max_old_space_size");
        });
    if (is_told) {
      log().note("the size of Node's old space is given already: it keeps to that");
      return;
    }
    const std::uint64_t bytes = start_bytes(options());
    const std::uint64_t old_bytes = bytes - bytes / kBesideShare;
    if (old_bytes < gray::base::kMiB) {
      log().note("the least that the heap shall have is not there now: Node is told nothing");
      return;
    }
    const std::string option = kOption + std::to_string(old_bytes / gray::base::kMiB);
    tell("NODE_OPTIONS", given.empty() ? option : given + " " + option, "Node is told " + option + " (MiB)");
  }
};

}  // namespace

std::unique_ptr<Driver> make_node_driver(const Options& options) {
  return std::make_unique<NodeDriver>(options);
}

}  // namespace heapnice
