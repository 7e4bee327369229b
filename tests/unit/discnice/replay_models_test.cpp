// SPDX-License-Identifier: MIT
// replay_models_test: a replay gives the same predictions as the models in the recorded processes. Each process has its own models.
//
// How: the test makes records with the answers that a kernel would have given. Left out: that the preload library writes such
// records; the system test of recordings shows it.
#include "tools/discnice/cli/replay_models.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/discnice/recording.hpp"
#include "tools/discnice/policy/registry.hpp"

namespace {

using namespace discnice;
using cli::Replayed;
using cli::ReplayModels;
using protocol::CallClass;
using protocol::OperationRecord;
using protocol::ProcessEvent;
using protocol::RecordType;
using test::taken;

constexpr std::uint64_t kFileBytes = 100 * kPageBytes;

OperationRecord operation(OpKind kind, std::uint32_t pid, std::uint64_t first_page, std::uint64_t pages) {
  static std::uint64_t number = 0;
  OperationRecord record{};
  record.head.pid = pid;
  record.number = ++number;
  record.time_ns = 1'000'000'000 + number;
  record.device = 1;
  record.inode = 2;
  record.offset_bytes = first_page * kPageBytes;
  record.length_bytes = pages * kPageBytes;
  record.file_size_bytes = kFileBytes;
  record.window_pages_max = record.request_pages_max = 32;
  record.descriptor = 3;
  record.opening = 1;
  record.kind = static_cast<std::uint8_t>(kind);
  record.oracle = static_cast<std::uint8_t>(protocol::RecordedOracle::counting);
  record.call_class = static_cast<std::uint8_t>(kind == OpKind::read    ? CallClass::read
                                                : kind == OpKind::write ? CallClass::write
                                                                        : CallClass::remove);
  return record;
}

void take(ReplayModels& models, const OperationRecord& record) {
  models.take(taken(record, RecordType::operation, sizeof record));
}

void process(ReplayModels& models, ProcessEvent event, std::uint32_t pid, std::uint32_t parent = 0) {
  protocol::ProcessRecord record{};
  record.head.pid = pid;
  record.event = static_cast<std::uint8_t>(event);
  record.parent_pid = parent;
  models.take(taken(record, RecordType::process));
}

std::uint64_t predicted_reads(const ReplayModels& models) {
  return models.result().classes[static_cast<unsigned>(CallClass::read)].predicted_read_bytes;
}

std::uint64_t predicted_writes(const ReplayModels& models) {
  return models.result().classes[static_cast<unsigned>(CallClass::write)].predicted_write_bytes;
}

TEST_CASE("a cold sequential read costs the file, a read of what is cached nothing") {
  ReplayModels models(Grant{}, Grant{}, 0);
  for (std::uint64_t page = 0; page < 100; page += 4) take(models, operation(OpKind::read, 1, page, 4));
  CHECK(predicted_reads(models) == kFileBytes);
  take(models, operation(OpKind::read, 1, 0, 100));
  CHECK(predicted_reads(models) == kFileBytes);
}

TEST_CASE("recorded answers are believed, early ones too") {
  ReplayModels models(Grant{}, Grant{}, 0);
  OperationRecord read = operation(OpKind::read, 1, 0, 4);
  protocol::AnswersRecord early{};
  early.number = read.number;
  early.answer_count = 1;
  early.answers[0] = {0, predictor::kReachPagesMin, predictor::kReachPagesMin};  // as far as the model asks
  models.take(taken(early, RecordType::answers));
  take(models, read);
  CHECK(predicted_reads(models) == 0);
  CHECK(models.result().guessed_answers == 0);
}

TEST_CASE("a question that nobody asked is answered by what is known, and counted") {
  ReplayModels models(Grant{}, Grant{}, 0);
  take(models, operation(OpKind::read, 1, 0, 4));
  CHECK(models.result().guessed_answers > 0);
  CHECK(predicted_reads(models) > 0);
}

TEST_CASE("a descriptor that was opened anew has no past") {
  ReplayModels models(Grant{}, Grant{}, 0);
  OperationRecord first = operation(OpKind::read, 1, 0, 1);
  OperationRecord random = operation(OpKind::read, 1, 60, 1);
  random.opening = 2;
  random.inode = 5;
  take(models, first);
  const std::uint64_t before = predicted_reads(models);
  take(models, random);
  CHECK(predicted_reads(models) == before + kPageBytes);
}

TEST_CASE("what is dirty the whole job knows: a forked process, a stranger, a new image") {
  ReplayModels models(Grant{}, Grant{}, 0);
  process(models, ProcessEvent::started, 1);
  take(models, operation(OpKind::write, 1, 0, 10));
  CHECK(predicted_writes(models) == 10 * kPageBytes);
  process(models, ProcessEvent::forked, 2, 1);
  take(models, operation(OpKind::write, 2, 0, 10));
  process(models, ProcessEvent::started, 3);
  take(models, operation(OpKind::write, 3, 0, 10));
  CHECK(predicted_writes(models) == 10 * kPageBytes);
  CHECK(models.result().processes == 3);
  process(models, ProcessEvent::started, 1);
  take(models, operation(OpKind::write, 1, 0, 11));
  CHECK(predicted_writes(models) == 11 * kPageBytes);
  CHECK(models.result().processes == 3);
}

TEST_CASE("a removal refunds, a flush settles") {
  ReplayModels models(Grant{}, Grant{}, 0);
  take(models, operation(OpKind::write, 1, 0, 10));
  take(models, operation(OpKind::remove, 1, 0, 0));
  const cli::ReplayedClass& removals = models.result().classes[static_cast<unsigned>(CallClass::remove)];
  CHECK(removals.refunded_bytes == 10 * kPageBytes);
  take(models, operation(OpKind::write, 1, 0, 10));
  take(models, operation(OpKind::settle, 1, 0, 0));
  take(models, operation(OpKind::remove, 1, 0, 0));
  CHECK(models.result().classes[static_cast<unsigned>(CallClass::remove)].refunded_bytes == 10 * kPageBytes);
  CHECK(models.result().unfinished == 2);  // the writes: their outcomes are not in the recording
}

TEST_CASE("outcomes are summed up as the kernel booked them") {
  ReplayModels models(Grant{}, Grant{}, 0);
  const OperationRecord read = operation(OpKind::read, 1, 0, 4);
  take(models, read);
  protocol::OutcomeRecord outcome{};
  outcome.number = read.number;
  outcome.result = 16384;
  outcome.kernel_read_bytes = 65536;
  models.take(taken(outcome, RecordType::outcome));
  const Replayed replayed = models.result();
  CHECK(replayed.classes[0].bytes == 16384);
  CHECK(replayed.classes[0].kernel_read_bytes == 65536);
  CHECK(replayed.unfinished == 0);
}

TEST_CASE("the policy is run over what is predicted") {
  Grant grant;
  grant.policy_id = policy::kRateWindowId;
  grant.rate_bytes_per_s = 100 * kPageBytes;
  ReplayModels models(Grant{}, grant, 0);
  for (std::uint64_t page = 0; page < 100; page += 4) take(models, operation(OpKind::read, 1, page, 4));
  const Replayed replayed = models.result();
  CHECK(replayed.waited_ns > 990'000'000);
  CHECK(replayed.waited_ns < 1'010'000'000);
  CHECK(replayed.waited_longest_ns == replayed.waited_ns);
}

TEST_CASE("what the recorded limit made a process wait is no pause of its own") {
  Grant slow;
  slow.policy_id = policy::kRateWindowId;
  slow.rate_bytes_per_s = 100 * kPageBytes;
  Grant fast = slow;
  fast.rate_bytes_per_s *= 2;
  ReplayModels same(slow, slow, 0);
  ReplayModels twice(slow, fast, 0);
  for (std::uint64_t page = 0; page < 100; page += 4) {
    protocol::OperationRecord read = operation(OpKind::read, 1, page, 4);
    read.predicted_read_bytes = 4 * kPageBytes;
    read.time_ns += page * 10'000'000;  // the time at which the read came at that rate
    take(same, read);
    take(twice, read);
  }
  CHECK(same.result().waited_ns > 950'000'000);
  CHECK(same.result().waited_ns < 1'010'000'000);
  CHECK(twice.result().waited_ns > 450'000'000);
  CHECK(twice.result().waited_ns < 510'000'000);
}

TEST_CASE("more processes than are kept are forgotten, not refused") {
  ReplayModels models(Grant{}, Grant{}, 0);
  for (std::uint32_t pid = 1; pid < 3000; ++pid) process(models, ProcessEvent::started, pid);
  CHECK(models.result().processes == 2999);
}

}  // namespace
