// SPDX-License-Identifier: MIT
// environment_test: the environment variables for use without the launcher, in every good and every bad spelling.
//
// How: the test makes environment arrays in the form in which main() gets them. Left out: how the library carries out
// a request; system tests preload it. The tests of toolbox/base test amounts and units.
#include "tools/discnice/preload/process/environment.hpp"

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/catch.hpp"
#include "tools/discnice/kernel/residency.hpp"
#include "tools/discnice/policy/registry.hpp"

using namespace discnice;
using namespace discnice::guest;

namespace {

constexpr std::uint64_t kMiB = 1'048'576;

// An environment in its own writable memory, ended by a null pointer.
class Environment {
 public:
  Environment(std::initializer_list<const char*> entries) : Environment(std::vector(entries)) {}
  explicit Environment(const std::vector<const char*>& entries) : texts_(entries.begin(), entries.end()) {
    for (std::string& text : texts_) pointers_.push_back(text.data());
    pointers_.push_back(nullptr);
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

  char** get() { return pointers_.data(); }
  [[nodiscard]] std::string entry(std::size_t index) const { return pointers_[index]; }
  [[nodiscard]] Request read() const { return read_request(pointers_.data()); }

 private:
  std::vector<std::string> texts_;
  std::vector<char*> pointers_;
};

std::string text_of(Text text) {
  return text ? std::string(text.start, text.length) : std::string("(none)");
}

void check_nothing_asked(const Request& request) {
  CHECK_FALSE(request.is_disabled);
  CHECK_FALSE(request.has_rate);
  CHECK_FALSE(request.is_alone);
  CHECK(text_of(request.segment) == "(none)");
  CHECK(request.complaint == nullptr);
  CHECK(request.bad_entry == nullptr);
  CHECK(request.grant.policy_id == policy::kRateWindowId);
  CHECK(request.grant.rate_bytes_per_s == 0);
  CHECK(request.options.is_ledger_on == 1);
  CHECK(request.options.cache_backend == 0);
}

}  // namespace

TEST_CASE("an environment that says nothing of us asks for nothing", "[environment]") {
  check_nothing_asked(read_request(nullptr));
  check_nothing_asked(Environment({}).read());
  check_nothing_asked(
      Environment({"PATH=/bin", "", "=", "=DISCNICE_RATE=5M", "RATE=5M", "discnice_rate=5M", "DISCNICE_",
                   "DISCNICE_=5M", "DISCNICE_RATE", "DISCNICE_RATES=5M", "DISCNICE_RAT=5M",
                   "XDISCNICE_RATE=5M", "DISCNICE_SEGMENT", "DISCNICE_POLICY"})
          .read());
}

TEST_CASE("a variable set to nothing asks for nothing", "[environment]") {
  check_nothing_asked(Environment({"DISCNICE_RATE=", "DISCNICE_POLICY=", "DISCNICE_LEDGER=",
                                   "DISCNICE_BACKEND=", "DISCNICE_DISABLE=", "DISCNICE_SEGMENT="})
                          .read());
}

TEST_CASE("a rate is read in every spelling", "[environment]") {
  const std::pair<const char*, std::uint64_t> rates[] = {
      {"DISCNICE_RATE=5M", 5 * kMiB},
      {"DISCNICE_RATE=5MiB", 5 * kMiB},
      {"DISCNICE_RATE=5MB/s", 5'000'000},
      {"DISCNICE_RATE=40Mbit", 5'000'000},
      {"DISCNICE_RATE=40Mbps", 5'000'000},
      {"DISCNICE_RATE=1.5M", 3 * kMiB / 2},
      {"DISCNICE_RATE=1B", 1},
      {"DISCNICE_RATE=4096", 4'096},
      {"DISCNICE_RATE=512K/s", 512 * 1'024U},
  };
  for (const auto& [entry, rate] : rates) {
    INFO(entry);
    const Environment environment({"A=b", entry, "C=d"});
    const Request request = environment.read();
    CHECK(request.has_rate);
    CHECK(request.grant.rate_bytes_per_s == rate);
    CHECK(request.grant.policy_id == policy::kRateWindowId);
    CHECK(request.complaint == nullptr);
    CHECK_FALSE(request.segment);
  }
}

TEST_CASE("a bad rate is no rate, and the complaint names the entry", "[environment]") {
  for (const char* entry :
       {"DISCNICE_RATE=5X", "DISCNICE_RATE=-5M", "DISCNICE_RATE=+5M", "DISCNICE_RATE= 5M",
        "DISCNICE_RATE=5M ", "DISCNICE_RATE=5 M", "DISCNICE_RATE=0", "DISCNICE_RATE=0M", "DISCNICE_RATE=M",
        "DISCNICE_RATE=5M,", "DISCNICE_RATE=5M,foo=1", "DISCNICE_RATE=fast",
        "DISCNICE_RATE=99999999999999999999", "DISCNICE_RATE=1e6", "DISCNICE_RATE=5mb", "DISCNICE_RATE=.",
        "DISCNICE_RATE==5M", "DISCNICE_RATE=,segment=discnice-1-2-3", "DISCNICE_RATE=5Q,segment=none"}) {
    INFO(entry);
    const Environment environment({"A=b", entry});
    const Request request = environment.read();
    CHECK_FALSE(request.has_rate);
    CHECK(request.grant.rate_bytes_per_s == 0);
    REQUIRE(request.complaint != nullptr);
    CHECK(std::strlen(request.complaint) > 0);
    REQUIRE(request.bad_entry != nullptr);
    CHECK(std::string(request.bad_entry) == entry);
  }
}

TEST_CASE("each policy is asked for by its name", "[environment]") {
  for (std::uint32_t id = 0; id < policy::policy_count(); ++id) {
    const std::string entry = std::string("DISCNICE_POLICY=") + policy::policy_by_id(id).name;
    const Request request = Environment({entry.c_str()}).read();
    CHECK(request.grant.policy_id == id);
    CHECK((request.complaint != nullptr) == policy::policy_by_id(id).needs_rate);
    CHECK_FALSE(request.has_rate);
  }
}

TEST_CASE("the ledger and the backend are read in their spellings", "[environment]") {
  CHECK(Environment({"DISCNICE_RATE=1M", "DISCNICE_LEDGER=on"}).read().options.is_ledger_on == 1);
  CHECK(Environment({"DISCNICE_RATE=1M", "DISCNICE_LEDGER=off"}).read().options.is_ledger_on == 0);
  const std::pair<const char*, Backend> backends[] = {
      {"DISCNICE_BACKEND=auto", Backend::automatic},  {"DISCNICE_BACKEND=cachestat", Backend::cachestat},
      {"DISCNICE_BACKEND=mincore", Backend::mincore}, {"DISCNICE_BACKEND=nowait", Backend::nowait},
      {"DISCNICE_BACKEND=timed", Backend::timed},     {"DISCNICE_BACKEND=none", Backend::none},
  };
  for (const auto& [entry, backend] : backends) {
    INFO(entry);
    const Request request = Environment({"DISCNICE_POLICY=nice", entry}).read();
    CHECK(request.options.cache_backend == static_cast<std::uint32_t>(backend));
    CHECK(request.complaint == nullptr);
  }
}

TEST_CASE("what becomes of the page cache is read in its spellings", "[environment]") {
  const std::pair<const char*, CacheUse> uses[] = {{"DISCNICE_CACHE=auto", CacheUse::automatic},
                                                   {"DISCNICE_CACHE=neutral", CacheUse::neutral},
                                                   {"DISCNICE_CACHE=own=200M", CacheUse::own},
                                                   {"DISCNICE_CACHE=shared", CacheUse::shared}};
  for (const auto& [entry, use] : uses) {
    INFO(entry);
    const Request request = Environment({"DISCNICE_POLICY=nice", entry}).read();
    CHECK(request.grant.cache == use);
    CHECK(request.grant.own_cache_bytes == (use == CacheUse::own ? 200 * kMiB : 0));
    CHECK(request.complaint == nullptr);
  }
  for (const char* entry : {"DISCNICE_CACHE=own", "DISCNICE_CACHE=own=", "DISCNICE_CACHE=own=x",
                            "DISCNICE_CACHE=Neutral", "DISCNICE_CACHE=200M"}) {
    INFO(entry);
    CHECK(Environment({"DISCNICE_POLICY=nice", entry}).read().complaint != nullptr);
  }
}

TEST_CASE("a variable that another one leaves without effect is complained about", "[environment]") {
  const std::pair<std::vector<const char*>, std::string> cases[] = {
      {{"DISCNICE_POLICY=rate"}, "DISCNICE_POLICY=rate"},
      {{"DISCNICE_POLICY=share"}, "DISCNICE_POLICY=share"},
      {{"DISCNICE_RATE=5M", "DISCNICE_POLICY=unlimited"}, "DISCNICE_RATE=5M"},
      {{"DISCNICE_LEDGER=off"}, "DISCNICE_LEDGER=off"},
      {{"DISCNICE_CACHE=neutral"}, "DISCNICE_CACHE=neutral"},
      {{"DISCNICE_BACKEND=timed", "DISCNICE_RATE="}, "DISCNICE_BACKEND=timed"},
      {{"DISCNICE_RATE=5"}, "DISCNICE_RATE=5"},
  };
  for (const auto& [entries, bad] : cases) {
    INFO(bad);
    const Environment environment(entries);
    const Request request = environment.read();
    REQUIRE(request.complaint != nullptr);
    CHECK(std::string(request.bad_entry) == bad);
  }
}

TEST_CASE("in a job of the launcher's no variable of bare use is complained about", "[environment]") {
  for (const char* entry : {"DISCNICE_RATE=abc", "DISCNICE_POLICY=rate", "DISCNICE_LEDGER=off"}) {
    const Request request = Environment({entry, "DISCNICE_SEGMENT=discnice-1-2-3"}).read();
    CHECK(request.complaint == nullptr);
    CHECK(request.segment);
  }
}

TEST_CASE("an unknown word of a choice is complained about and changes nothing", "[environment]") {
  for (const char* entry :
       {"DISCNICE_POLICY=rates", "DISCNICE_POLICY=Rate", "DISCNICE_POLICY=rat", "DISCNICE_POLICY=1",
        "DISCNICE_LEDGER=yes", "DISCNICE_LEDGER=of", "DISCNICE_LEDGER=off ", "DISCNICE_LEDGER=1",
        "DISCNICE_BACKEND=", "DISCNICE_BACKEND=cache", "DISCNICE_BACKEND=autos", "DISCNICE_BACKEND=Timed"}) {
    INFO(entry);
    const Environment environment({entry});
    const Request request = environment.read();
    CHECK(request.grant.policy_id == policy::kRateWindowId);
    CHECK(request.options.is_ledger_on == 1);
    CHECK(request.options.cache_backend == 0);
    if (entry[std::strlen(entry) - 1] == '=') {
      CHECK(request.complaint == nullptr);
    } else {
      REQUIRE(request.complaint != nullptr);
      CHECK(std::string(request.bad_entry) == entry);
    }
  }
}

TEST_CASE("anything but nothing and 0 disables", "[environment]") {
  CHECK(Environment({"DISCNICE_DISABLE=1"}).read().is_disabled);
  CHECK(Environment({"DISCNICE_DISABLE=yes"}).read().is_disabled);
  CHECK(Environment({"DISCNICE_DISABLE=00"}).read().is_disabled);
  CHECK(Environment({"DISCNICE_RATE=5M", "DISCNICE_DISABLE=1"}).read().is_disabled);
  CHECK_FALSE(Environment({"DISCNICE_DISABLE=0"}).read().is_disabled);
  CHECK_FALSE(Environment({"DISCNICE_DISABLE="}).read().is_disabled);
}

TEST_CASE("a segment behind the rate is joined, and the rate is kept for when it is gone", "[environment]") {
  const Environment environment({"DISCNICE_RATE=5M,segment=discnice-1-2-3"});
  const Request request = environment.read();
  CHECK(text_of(request.segment) == "discnice-1-2-3");
  CHECK(request.has_rate);
  CHECK(request.grant.rate_bytes_per_s == 5 * kMiB);
  CHECK_FALSE(request.is_alone);
  CHECK(request.complaint == nullptr);
}

TEST_CASE("the word none for a segment means that there is none to share", "[environment]") {
  const Request request = Environment({"DISCNICE_RATE=5M,segment=none"}).read();
  CHECK(request.is_alone);
  CHECK_FALSE(request.segment);
  CHECK(request.has_rate);
  CHECK(request.complaint == nullptr);
}

TEST_CASE("the launcher's segment goes before the one behind a rate, in either order", "[environment]") {
  const Environment first({"DISCNICE_SEGMENT=discnice-9-9-9", "DISCNICE_RATE=5M,segment=discnice-1-2-3"});
  const Environment last({"DISCNICE_RATE=5M,segment=discnice-1-2-3", "DISCNICE_SEGMENT=discnice-9-9-9"});
  CHECK(text_of(first.read().segment) == "discnice-9-9-9");
  CHECK(text_of(last.read().segment) == "discnice-9-9-9");
}

TEST_CASE("all variables together are read together", "[environment]") {
  const Environment environment({"DISCNICE_BACKEND=timed", "DISCNICE_LEDGER=off", "DISCNICE_POLICY=nice",
                                 "DISCNICE_RATE=1M", "DISCNICE_DISABLE=0", "DISCNICE_FUTURE=7"});
  const Request request = environment.read();
  CHECK(request.options.cache_backend == static_cast<std::uint32_t>(Backend::timed));
  CHECK(request.options.is_ledger_on == 0);
  CHECK(request.grant.policy_id == policy::kNiceId);
  CHECK(request.grant.rate_bytes_per_s == kMiB);
  CHECK(request.complaint == nullptr);
}

TEST_CASE("an announced segment is what a child reads", "[environment]") {
  Environment environment({"A=b", "DISCNICE_RATE=5M", "C=d"});
  announce_segment(environment.get(), "discnice-0-1-2");
  CHECK(environment.entry(1) == "DISCNICE_RATE=5M,segment=discnice-0-1-2");
  CHECK(environment.entry(0) == "A=b");
  CHECK(environment.entry(2) == "C=d");
  const Request request = environment.read();
  CHECK(text_of(request.segment) == "discnice-0-1-2");
  CHECK(request.grant.rate_bytes_per_s == 5 * kMiB);
  CHECK(request.complaint == nullptr);
}

TEST_CASE("a second announcement takes the place of the first", "[environment]") {
  Environment environment({"DISCNICE_RATE=5M,segment=discnice-0-1-2"});
  announce_segment(environment.get(), "discnice-3-4-5");
  CHECK(environment.entry(0) == "DISCNICE_RATE=5M,segment=discnice-3-4-5");
  announce_segment(environment.get(), "discnice-66-77-88");  // written over its own buffer
  CHECK(environment.entry(0) == "DISCNICE_RATE=5M,segment=discnice-66-77-88");
  announce_segment(environment.get(), nullptr);
  CHECK(environment.entry(0) == "DISCNICE_RATE=5M,segment=none");
  CHECK(environment.read().is_alone);
}

TEST_CASE("a rate text that leaves no room for the segment stays as it is", "[environment]") {
  const std::string longest_name = "discnice-" + std::string(protocol::kJobNameBytesMax - 10, '1');
  for (std::size_t zeros = 0; zeros < 200; ++zeros) {
    const std::string entry = "DISCNICE_RATE=" + std::string(zeros, '0') + "5M";
    Environment environment({entry.c_str()});
    announce_segment(environment.get(), longest_name.c_str());
    const bool is_announced = environment.entry(0) != entry;
    INFO(zeros << " zeros");
    if (is_announced) {
      CHECK(environment.entry(0) == entry + ",segment=" + longest_name);
    } else {
      CHECK(zeros > 60);
    }
  }
}

TEST_CASE("without a rate there is nowhere to announce, and nothing is touched", "[environment]") {
  Environment environment({"A=b", "DISCNICE_RATES=5M"});
  announce_segment(environment.get(), "discnice-0-1-2");
  announce_segment(nullptr, "discnice-0-1-2");
  CHECK(environment.entry(0) == "A=b");
  CHECK(environment.entry(1) == "DISCNICE_RATES=5M");
}

TEST_CASE("a silenced entry is empty, and asks for nothing and complains of nothing", "[environment]") {
  const char* entry = GENERATE("DISCNICE_RATE=5Q", "DISCNICE_POLICY=x", "DISCNICE_LEDGER=maybe",
                               "DISCNICE_BACKEND=x", "DISCNICE_RATE=5Q,segment=none");
  Environment environment({"A=b", entry});
  const Request bad = environment.read();
  REQUIRE(bad.bad_entry != nullptr);
  silence_entry(bad.bad_entry);
  const std::string name(entry, std::strchr(entry, '='));
  CHECK(environment.entry(1) == name + "=");
  CHECK(environment.entry(0) == "A=b");
  CHECK(environment.read().complaint == nullptr);
  CHECK_FALSE(environment.read().has_rate);
}
