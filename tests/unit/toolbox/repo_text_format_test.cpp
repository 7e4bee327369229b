// SPDX-License-Identifier: MIT
// repo_text_format_test: the format of a repository file, and which texts are refused.
//
// How: the code reads one literal file, random sets of parameters that were written before, and every prefix and every flipped byte of a file. Left out: files
// that were forged with a right checksum, which the format does not detect.
#include "toolbox/repo/text_format.hpp"

#include <random>

#include "tests/support/catch.hpp"

using namespace gray::repo;

namespace {

const Fingerprint kHere{"0123abcd", "Quick CPU @ 2 GHz", "6.1.0", true};

Parameter make(const std::string& key, double value) {
  Parameter parameter;
  parameter.key = key;
  parameter.value = value;
  parameter.unit = "ns";
  parameter.spread = 0.5;
  parameter.samples = 1001;
  parameter.method = "pread_1";
  parameter.date = "2026-01-31T23:59:59Z";
  return parameter;
}

std::string sample_text() {
  Parameter miss = make("disk.miss_ns", 5.5e6);
  miss.device = "uuid:12-ab";
  miss.spread.reset();
  return encode(kHere, {make("timer.overhead_ns", 24.75), miss});
}

}  // namespace

TEST_CASE("a file is a header, one line a parameter in order of names, and a trailer", "[repo]") {
  const std::string text = sample_text();
  const std::string body =
      "gray-parameters 1\n"
      "machine-id 0123abcd\n"
      "cpu-model Quick CPU @ 2 GHz\n"
      "kernel-release 6.1.0\n"
      "hypervisor yes\n"
      "# key value unit spread samples method date\n"
      "disk.miss_ns@uuid:12-ab 5500000 ns - 1001 pread_1 2026-01-31T23:59:59Z\n"
      "timer.overhead_ns 24.75 ns 0.5 1001 pread_1 2026-01-31T23:59:59Z\n"
      "end 2 ";
  CHECK(text.substr(0, body.size()) == body);
  CHECK(text.size() == body.size() + 17);
  CHECK(text.back() == '\n');
}

TEST_CASE("what is written is read back", "[repo]") {
  std::mt19937_64 random(2);
  for (int round = 0; round < 200; ++round) {
    std::vector<Parameter> written;
    const std::size_t count = random() % 20;
    for (std::size_t i = 0; i < count; ++i) {
      written.push_back(make("a.k" + std::to_string(100 + i), static_cast<double>(random())));
      if (random() % 2 == 0) written.back().spread.reset();
      if (random() % 2 == 0) written.back().device = "dev:8:1";
    }
    const Decoded decoded = decode(encode(kHere, written), kHere);
    REQUIRE(decoded.status == FileStatus::kUsable);
    REQUIRE(decoded.problem.empty());
    REQUIRE(decoded.parameters.size() == written.size());
    for (std::size_t i = 0; i < count; ++i) {
      REQUIRE(decoded.parameters[i].key == written[i].key);
      REQUIRE(decoded.parameters[i].device == written[i].device);
      REQUIRE(decoded.parameters[i].value == written[i].value);
      REQUIRE(decoded.parameters[i].spread == written[i].spread);
      REQUIRE(decoded.parameters[i].samples == written[i].samples);
      REQUIRE(decoded.parameters[i].method == written[i].method);
      REQUIRE(decoded.parameters[i].date == written[i].date);
    }
  }
}

TEST_CASE("a file cut off at any byte is not used and is called empty or torn", "[repo]") {
  const std::string text = sample_text();
  for (std::size_t length = 0; length < text.size(); ++length) {
    const Decoded decoded = decode(std::string_view(text).substr(0, length), kHere);
    INFO("length " << length);
    REQUIRE(decoded.status == (length == 0 ? FileStatus::kEmpty : FileStatus::kTorn));
    REQUIRE(decoded.parameters.empty());
    REQUIRE_FALSE(decoded.problem.empty());
  }
}

TEST_CASE("a file with any one byte changed, or anything behind its end, is not used", "[repo]") {
  const std::string text = sample_text();
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (const int flip : {1, 0x20, 0x80}) {
      std::string changed = text;
      changed[i] = static_cast<char>(changed[i] ^ flip);
      INFO("byte " << i << " flip " << flip);
      REQUIRE(decode(changed, kHere).status != FileStatus::kUsable);
    }
  }
  CHECK(decode(text + "x", kHere).status == FileStatus::kTorn);
  CHECK(decode(text + "\n", kHere).status == FileStatus::kTorn);
  CHECK(decode(text + text, kHere).status != FileStatus::kUsable);
}

TEST_CASE("two files run into one another are not used", "[repo]") {
  const std::string text = sample_text();
  CHECK(decode(text.substr(0, text.size() / 2) + text, kHere).status != FileStatus::kUsable);
}

TEST_CASE("a file of another host is foreign and says what differs", "[repo]") {
  Fingerprint other = kHere;
  other.machine_id = "ffff";
  const Decoded decoded = decode(sample_text(), other);
  CHECK(decoded.status == FileStatus::kForeign);
  CHECK(decoded.parameters.empty());
  CHECK(decoded.problem == "was measured on another host (machine id 0123abcd, here ffff)");
}

TEST_CASE("a file of a later format is called so, even if nothing after its first line can be read",
          "[repo]") {
  const Decoded decoded = decode("gray-parameters 2\n\x01\x02", kHere);
  CHECK(decoded.status == FileStatus::kFutureVersion);
  CHECK(decoded.problem == "has format version 2, this program knows up to 1");
}

TEST_CASE("a text that never was a repository is called so", "[repo]") {
  for (const char* text : {"hello\n", "gray-parameters\n", "gray-parameters x\n", "gray-parameters 0\n", "\n",
                           "gray-parameters 1 \n", "#!/bin/sh"}) {
    INFO(text);
    CHECK(decode(text, kHere).status == FileStatus::kNotOurs);
  }
}

TEST_CASE("random bytes are never used", "[repo]") {
  std::mt19937_64 random(3);
  for (int round = 0; round < 2000; ++round) {
    std::string text = round % 2 == 0 ? "" : "gray-parameters 1\nmachine-id 0123abcd\n";
    for (std::size_t i = random() % 300; i > 0; --i) text += static_cast<char>(random());
    REQUIRE(decode(text, kHere).status != FileStatus::kUsable);
  }
}
