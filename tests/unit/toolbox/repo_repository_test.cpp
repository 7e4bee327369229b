// SPDX-License-Identifier: MIT
// repo_repository_test: which source wins for a key, and that every value names its source.
//
// How: all sources give the same key first, then fewer and fewer, down to none. Left out: the formats, which have
// tests of their own.
#include "toolbox/repo/repository.hpp"

#include <cerrno>
#include <cstdlib>

#include "tests/support/catch.hpp"
#include "tests/unit/toolbox/temporary_folder.hpp"

using namespace gray::repo;

namespace {

const Fingerprint kHere{"0123abcd", "Quick CPU", "6.1.0", true};

Parameter make(const std::string& key, const std::string& device, double value) {
  Parameter parameter;
  parameter.key = key;
  parameter.device = device;
  parameter.value = value;
  parameter.unit = "ns";
  return parameter;
}

struct TestPlaces {
  TestPlaces() {
    places.user_path = folder.path("user/p");
    places.host_path = folder.path("host/p");
    places.fingerprint = kHere;
  }
  TemporaryFolder folder;
  Places places;
};

}  // namespace

TEST_CASE("flag beats environment beats user beats host beats shipped default", "[repo]") {
  TestPlaces test;
  Repository repository(test.places);
  CHECK(repository.find("disk.miss_ns")->source == Source::kDefault);

  REQUIRE(repository.update(Source::kHost, {{make("disk.miss_ns", "", 4)}, {}}).is_ok());
  CHECK(repository.value("disk.miss_ns").value() == 4);
  CHECK(repository.find("disk.miss_ns")->source == Source::kHost);
  CHECK(repository.find("disk.miss_ns")->origin == test.places.host_path);

  REQUIRE(repository.update(Source::kUser, {{make("disk.miss_ns", "", 3)}, {}}).is_ok());
  CHECK(repository.value("disk.miss_ns").value() == 3);
  CHECK(repository.find("disk.miss_ns")->source == Source::kUser);
  CHECK(repository.find("disk.miss_ns")->origin == test.places.user_path);

  test.places.environment = {"HOME=/", "GRAY_PARAM_DISK_MISS_NS=2"};
  Repository with_environment(test.places);
  CHECK(with_environment.value("disk.miss_ns").value() == 2);
  CHECK(with_environment.find("disk.miss_ns")->source == Source::kEnvironment);
  CHECK(with_environment.find("disk.miss_ns")->origin == "GRAY_PARAM_DISK_MISS_NS");

  REQUIRE(with_environment.set_flag("disk.miss_ns=9").empty());
  REQUIRE(with_environment.set_flag("disk.miss_ns=1").empty());
  CHECK(with_environment.value("disk.miss_ns").value() == 1);
  CHECK(with_environment.find("disk.miss_ns")->source == Source::kFlag);
  CHECK(with_environment.find("disk.miss_ns")->parameter.unit == "ns");
  CHECK(with_environment.problems().empty());
}

TEST_CASE("forgetting lets the next source show through", "[repo]") {
  TestPlaces test;
  Repository repository(test.places);
  REQUIRE(repository.update(Source::kHost, {{make("disk.miss_ns", "", 4)}, {}}).is_ok());
  REQUIRE(repository.update(Source::kUser, {{make("disk.miss_ns", "", 3)}, {}}).is_ok());
  REQUIRE(repository.update(Source::kUser, {{}, {{"disk.miss_ns", ""}}}).is_ok());
  CHECK(repository.find("disk.miss_ns")->source == Source::kHost);
}

TEST_CASE("within one source the device's own value wins, but a nearer source wins over it", "[repo]") {
  TestPlaces test;
  Repository repository(test.places);
  REQUIRE(repository
              .update(Source::kHost, {{make("disk.miss_ns", "", 10), make("disk.miss_ns", "uuid:1", 11)}, {}})
              .is_ok());
  CHECK(repository.value("disk.miss_ns", "uuid:1").value() == 11);
  CHECK(repository.value("disk.miss_ns", "uuid:2").value() == 10);
  CHECK(repository.value("disk.miss_ns").value() == 10);
  REQUIRE(repository.update(Source::kUser, {{make("disk.miss_ns", "", 20)}, {}}).is_ok());
  CHECK(repository.value("disk.miss_ns", "uuid:1").value() == 20);
  REQUIRE(repository.set_flag("disk.miss_ns@uuid:1=30").empty());
  CHECK(repository.value("disk.miss_ns", "uuid:1").value() == 30);
  CHECK(repository.value("disk.miss_ns", "uuid:2").value() == 20);
}

TEST_CASE("a key nobody knows is -ENOENT and a default carries its unit", "[repo]") {
  TestPlaces test;
  const Repository repository(test.places);
  CHECK(repository.value("no.such_key").error() == -ENOENT);
  CHECK_FALSE(repository.find("no.such_key").has_value());
  CHECK(repository.find("disk.readahead_max_bytes")->parameter.unit == "bytes");
  CHECK(repository.find("disk.readahead_max_bytes", "uuid:1")->source == Source::kDefault);
}

TEST_CASE("a damaged file is one problem and the next source answers", "[repo]") {
  TestPlaces test;
  {
    Repository repository(test.places);
    REQUIRE(repository.update(Source::kHost, {{make("disk.miss_ns", "", 4)}, {}}).is_ok());
    REQUIRE(repository.update(Source::kUser, {{make("disk.miss_ns", "", 3)}, {}}).is_ok());
  }
  const std::string whole = test.folder.read("user/p");
  test.folder.write("user/p", whole.substr(0, whole.size() - 5));
  const Repository repository(test.places);
  CHECK(repository.value("disk.miss_ns").value() == 4);
  REQUIRE(repository.problems().size() == 1);
  CHECK(repository.problems()[0].find(test.places.user_path) == 0);
  CHECK(repository.user_file().status == FileStatus::kTorn);
}

TEST_CASE("a variable that is no number or names no parameter is a problem, not a value", "[repo]") {
  TestPlaces test;
  test.places.environment = {"GRAY_PARAM_DISK_MISS_NS=5ms", "GRAY_PARAM_DISK_MIS_NS=5",
                             "GRAY_PARAM_CACHE_HIT_NS=", "GRAY_PARAM_TIMER_OVERHEAD_NS=1\n2"};
  const Repository repository(test.places);
  CHECK(repository.problems().size() == 4);
  CHECK(repository.find("disk.miss_ns")->source == Source::kDefault);
  CHECK(repository.find("cache.hit_ns")->source == Source::kDefault);
  for (const std::string& problem : repository.problems()) CHECK(problem.find('\n') == std::string::npos);
}

TEST_CASE("a wrong flag says what is wrong and changes nothing", "[repo]") {
  TestPlaces test;
  Repository repository(test.places);
  CHECK(repository.set_flag("disk.miss_ns").find("KEY=VALUE") != std::string::npos);
  CHECK(repository.set_flag("=5").find("KEY=VALUE") != std::string::npos);
  CHECK(repository.set_flag("disk.miss_ns=5ms").find("'5ms'") != std::string::npos);
  CHECK(repository.set_flag("disk.mis_ns=5") == "there is no parameter 'disk.mis_ns'");
  CHECK(repository.find("disk.miss_ns")->source == Source::kDefault);
}

TEST_CASE("the list has each name once, in order, with the source that won", "[repo]") {
  TestPlaces test;
  Repository repository(test.places);
  REQUIRE(repository
              .update(Source::kHost, {{make("disk.miss_ns", "uuid:1", 11), make("own.thing_ns", "", 1)}, {}})
              .is_ok());
  const std::vector<Found> all = repository.list();
  std::string last;
  std::size_t measured = 0;
  for (const Found& found : all) {
    const std::string name = format_name(found.parameter.key, found.parameter.device);
    CHECK(name > last);
    last = name;
    if (found.source == Source::kHost) ++measured;
  }
  CHECK(measured == 2);
}

TEST_CASE("only the user's and the host's files can be changed, and only where there is a place", "[repo]") {
  TestPlaces test;
  test.places.user_path.clear();
  Repository repository(test.places);
  CHECK(repository.update(Source::kFlag, {}).error == -EINVAL);
  CHECK(repository.update(Source::kUser, {}).error == -ENOENT);
}

TEST_CASE("the user's place follows XDG_DATA_HOME, then HOME, and ignores relative paths", "[repo]") {
  const auto with = [](const char* data_home, const char* home) {
    const std::string old_home = std::getenv("HOME") != nullptr ? std::getenv("HOME") : "/";
    setenv("XDG_DATA_HOME", data_home, 1);
    setenv("HOME", home, 1);
    const Places places = default_places();
    unsetenv("XDG_DATA_HOME");
    setenv("HOME", old_home.c_str(), 1);
    return places.user_path.substr(0, places.user_path.rfind('/'));
  };
  CHECK(with("/data", "/home/me") == "/data/gray");
  CHECK(with("data", "/home/me") == "/home/me/.local/share/gray");
  CHECK(with("", "").empty());
}

TEST_CASE("the file's name is the machine's", "[repo]") {
  CHECK(file_name_for(kHere) == "host-0123abcd.params");
  CHECK(file_name_for({"host:a/b", "", "", false}) == "host-host-a-b.params");
}
