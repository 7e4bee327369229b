// SPDX-License-Identifier: MIT
// net_limits_test: the network limits of a job, as text and in a grant.
//
// How: a text is read into limits, which are put into a grant and read out of it again. Left out: the effect of the limits (system/discnice_net).
#include "tools/discnice/policy/net_limits.hpp"

#include <optional>
#include <string>

#include "tests/support/catch.hpp"
#include "tools/discnice/cli/limit_options.hpp"

using namespace discnice;
using namespace discnice::policy;

namespace {

std::optional<NetLimits> read(const std::string& text) {
  NetLimits limits;
  if (!parse_net_limits(text.data(), text.size(), &limits)) return std::nullopt;
  return limits;
}

}  // namespace

TEST_CASE("a rate is for each way, and each way may have its own", "[net]") {
  CHECK(read("off") == NetLimits{});
  CHECK(read("nice") == NetLimits{true, 0, 0});
  CHECK(read("1MB") == NetLimits{false, 1'000'000, 1'000'000});
  CHECK(read("up=1MB") == NetLimits{false, 1'000'000, 0});
  CHECK(read("up=1MB,down=2MB") == NetLimits{false, 1'000'000, 2'000'000});
  CHECK(read("down=2MB up=1MB nice") == NetLimits{true, 1'000'000, 2'000'000});
  CHECK(read("nice,40Mbit") == NetLimits{true, 5'000'000, 5'000'000});
}

TEST_CASE("what is no limit of the network is refused", "[net]") {
  for (const std::string text : {"",        " ",         ",",           "on",     "none", "nice,",
                                 ",nice",   "nice,nice", "nice,off",    "off,1M", "5",    "0",
                                 "1M,2M",   "1M,up=2M",  "up=1M,up=2M", "up=",    "up",   "up=nice",
                                 "left=1M", "Nice",      "1M,,nice",    "up=5",   "-1M"}) {
    INFO("'" << text << "'");
    CHECK_FALSE(read(text).has_value());
  }
}

TEST_CASE("a grant keeps them beside the disk's, and says them", "[net]") {
  Grant grant;
  grant.rate_bytes_per_s = 5 * 1024 * 1024;
  grant.policy_id = 1;
  for (const NetLimits limits : {NetLimits{}, {true, 0, 0}, {false, 1, 2}, {true, 3, 0}}) {
    set_net_limits(grant, limits);
    CHECK(net_limits_of(grant) == limits);
    CHECK(grant.rate_bytes_per_s == 5 * 1024 * 1024);
  }
  const auto says = [&grant](const NetLimits& limits) {
    set_net_limits(grant, limits);
    return cli::limits_text(grant);
  };
  CHECK(says({}) == "limit 5.00 MiB/s");
  CHECK(says({true, 0, 0}) == "limit 5.00 MiB/s; net nice");
  CHECK(says({false, 1 << 20, 1 << 20}) == "limit 5.00 MiB/s; net 1.00 MiB/s");
  CHECK(says({true, 1 << 20, 2 << 20}) == "limit 5.00 MiB/s; net nice, up 1.00 MiB/s, down 2.00 MiB/s");
  CHECK(says({false, 0, 1 << 20}) == "limit 5.00 MiB/s; net down 1.00 MiB/s");
}
