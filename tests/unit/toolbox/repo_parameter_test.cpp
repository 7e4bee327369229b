// SPDX-License-Identifier: MIT
// repo_parameter_test: the spelling of keys, numbers, fingerprints, device identities and shipped defaults.
//
// How: the results are compared with literal texts. Fingerprints are read from small invented root folders.
// Left out: the identities of real file systems, because they depend on the host.
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <limits>
#include <random>

#include "tests/support/catch.hpp"
#include "tests/unit/toolbox/temporary_folder.hpp"
#include "toolbox/repo/device_identity.hpp"
#include "toolbox/repo/fingerprint.hpp"
#include "toolbox/repo/parameter.hpp"
#include "toolbox/repo/shipped_defaults.hpp"

using namespace gray::repo;

TEST_CASE("a name is a key of dotted lower-case words, with or without a device", "[repo]") {
  CHECK(parse_name("disk.miss_ns")->key == "disk.miss_ns");
  CHECK(parse_name("disk.miss_ns")->device.empty());
  CHECK(parse_name("disk.miss_ns@uuid:3F-6c")->device == "uuid:3F-6c");
  for (const char* wrong :
       {"", ".", "a.", ".a", "a..b", "Disk.miss", "a b", "a@", "@b", "a@b@c", "a@b c", "a\n", "a-b"}) {
    INFO("'" << wrong << "'");
    CHECK_FALSE(parse_name(wrong).has_value());
  }
  CHECK_FALSE(parse_name(std::string(200, 'a')).has_value());
}

TEST_CASE("the variable of a key is upper case with underscores", "[repo]") {
  CHECK(environment_name("disk.miss_ns") == "GRAY_PARAM_DISK_MISS_NS");
  CHECK(environment_name("memory.touch_4k_ns") == "GRAY_PARAM_MEMORY_TOUCH_4K_NS");
}

TEST_CASE("numbers survive being written and read, whatever their size", "[repo]") {
  std::mt19937_64 random(1);
  for (int i = 0; i < 10'000; ++i) {
    const double number = std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 200) - 100);
    REQUIRE(parse_number(format_number(number)) == number);
  }
  for (const double number :
       {0.0, 1.0, 0.1, std::numeric_limits<double>::max(), std::numeric_limits<double>::denorm_min()}) {
    CHECK(parse_number(format_number(number)) == number);
  }
}

TEST_CASE("what is no finite number of zero or more is refused", "[repo]") {
  for (const char* wrong : {"", "-1", "nan", "inf", "1e999", "1x", " 1", "1 ", "+1", "0x10", "1,5"}) {
    INFO("'" << wrong << "'");
    CHECK_FALSE(parse_number(wrong).has_value());
  }
}

TEST_CASE("a parameter that could not be read back is not well formed", "[repo]") {
  Parameter good;
  good.key = "disk.miss_ns";
  good.unit = "ns";
  CHECK(is_well_formed(good));
  const auto changed = [&](auto change) {
    Parameter parameter = good;
    change(parameter);
    return is_well_formed(parameter);
  };
  CHECK_FALSE(changed([](Parameter& p) { p.unit = "a b"; }));
  CHECK_FALSE(changed([](Parameter& p) { p.unit = ""; }));
  CHECK_FALSE(changed([](Parameter& p) { p.method = "a\nend 0"; }));
  CHECK_FALSE(changed([](Parameter& p) { p.date = ""; }));
  CHECK_FALSE(changed([](Parameter& p) { p.value = -1; }));
  CHECK_FALSE(changed([](Parameter& p) { p.value = std::nan(""); }));
  CHECK_FALSE(changed([](Parameter& p) { p.spread = HUGE_VAL; }));
  CHECK_FALSE(changed([](Parameter& p) { p.device = "a b"; }));
  CHECK_FALSE(changed([](Parameter& p) { p.key = "A"; }));
}

TEST_CASE("a date is UTC to the second", "[repo]") {
  CHECK(format_date(0) == "1970-01-01T00:00:00Z");
  CHECK(format_date(1'234'567'890) == "2009-02-13T23:31:30Z");
}

TEST_CASE("the fingerprint comes from the machine id and the first processor", "[repo]") {
  const TemporaryFolder root;
  root.write("etc/machine-id", "0123456789abcdef0123456789abcdef\n");
  root.write("proc/cpuinfo",
             "processor\t: 0\nmodel name\t: Quick CPU @ 2 GHz\nflags\t\t: fpu hypervisor tsc\n");
  const Fingerprint found = read_fingerprint(root.path(""));
  utsname names{};
  uname(&names);
  CHECK(found.machine_id == "0123456789abcdef0123456789abcdef");
  CHECK(found.cpu_model == "Quick CPU @ 2 GHz");
  CHECK(found.kernel_release == names.release);
  CHECK(found.has_hypervisor);
}

TEST_CASE("a host without machine id or processor name still has a fingerprint", "[repo]") {
  const TemporaryFolder root;
  root.write("etc/machine-id", "uninitialized\n");
  root.write("proc/cpuinfo",
             "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\nflags\t: no_hypervisor\n");
  const Fingerprint arm = read_fingerprint(root.path(""));
  CHECK(arm.machine_id.rfind("host:", 0) == 0);
  CHECK(arm.cpu_model == "implementer 0x41 part 0xd0c");
  CHECK_FALSE(arm.has_hypervisor);
  CHECK(read_fingerprint("/nonexistent").cpu_model == "unknown");
}

TEST_CASE("each part of the fingerprint tells two hosts apart", "[repo]") {
  const Fingerprint here{"id", "cpu", "6.1", false};
  CHECK(describe_difference(here, here).empty());
  CHECK(describe_difference({"other", "cpu", "6.1", false}, here) == "machine id other, here id");
  CHECK(describe_difference({"id", "other", "6.1", false}, here) == "processor other, here cpu");
  CHECK(describe_difference({"id", "cpu", "5.15", false}, here) == "kernel 5.15, here 6.1");
  CHECK(describe_difference({"id", "cpu", "6.1", true}, here) == "under a hypervisor, here none");
}

TEST_CASE("a path's device has an identity that can stand in a name and is the same twice", "[repo]") {
  const auto identity = device_identity("/");
  REQUIRE(identity.is_ok());
  CHECK(parse_name("disk.miss_ns@" + identity.value()).has_value());
  CHECK(device_identity("/").value() == identity.value());
  CHECK(device_identity("/proc").value() != identity.value());
  CHECK(device_identity("/nonexistent").error() == -ENOENT);
}

TEST_CASE("every shipped default is well formed and can be found", "[repo]") {
  std::size_t count = 0;
  for (const auto* entry = shipped_defaults_begin(); entry != shipped_defaults_end(); ++entry, ++count) {
    INFO(entry->key);
    Parameter parameter;
    parameter.key = entry->key;
    parameter.value = entry->value;
    parameter.unit = entry->unit;
    CHECK(is_well_formed(parameter));
    CHECK(find_shipped_default(entry->key) == entry);
  }
  CHECK(count > 0);
  CHECK(find_shipped_default("no.such_key") == nullptr);
  CHECK(find_shipped_default("filecache.access_unit_bytes")->value == 20 * 1024 * 1024);
  CHECK(find_shipped_default("filecache.prediction_unit_bytes")->value == 5 * 1024 * 1024);
}
