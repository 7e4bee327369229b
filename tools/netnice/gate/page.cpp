// SPDX-License-Identifier: MIT
#include "tools/netnice/gate/page.hpp"

#include <cerrno>

#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "toolbox/base/raw_sys.hpp"

namespace netnice::gate {
namespace {

using gray::base::is_raw_error;
using gray::base::raw_syscall;
using gray::base::Result;
using gray::base::word;

constexpr int kOwnerAlone = S_IRUSR | S_IWUSR;
constexpr int kPermissions = S_IRWXU | S_IRWXG | S_IRWXO;

// Takes a number without leading zeros off the text. Returns false if there is none or if it is larger than `most`.
bool take_number(const char** text, std::uint64_t most, std::uint64_t* number) {
  const char* const start = *text;
  *number = 0;
  for (; **text >= '0' && **text <= '9'; ++*text) {
    const auto digit = static_cast<std::uint64_t>(**text - '0');
    if (*number > (most - digit) / 10) return false;
    *number = *number * 10 + digit;
  }
  return *text != start && (*start != '0' || *text == start + 1);
}

int check_owner(const Name& name) {
  shmid_ds status{};
  const long result = raw_syscall(SYS_shmctl, name.id, IPC_STAT, word(&status));
  if (is_raw_error(result)) return static_cast<int>(result);
  const auto user = static_cast<uid_t>(raw_syscall(SYS_geteuid));
  const bool is_ours = status.shm_perm.uid == user && status.shm_perm.cuid == user;
  if (!is_ours || (status.shm_perm.mode & kPermissions) != kOwnerAlone) return -EPERM;
  return status.shm_segsz >= sizeof(Page) ? 0 : -EPROTO;
}

Result<Page*> map(int id) {
  const long address = raw_syscall(SYS_shmat, id, 0, 0);
  if (is_raw_error(address)) return Result<Page*>::failure(static_cast<int>(address));
  return reinterpret_cast<Page*>(address);
}

}  // namespace

Result<Page*> make(std::uint64_t token, Name* name) {
  const long id = raw_syscall(SYS_shmget, IPC_PRIVATE, sizeof(Page), IPC_CREAT | kOwnerAlone);
  if (is_raw_error(id)) return Result<Page*>::failure(static_cast<int>(id));
  *name = {static_cast<int>(id), token};
  const Result<Page*> page = map(name->id);
  raw_syscall(SYS_shmctl, id, IPC_RMID, 0);
  if (page) {
    page.value()->magic = kMagic;
    page.value()->token = token;
  }
  return page;
}

bool read_name(const char* text, Name* name) {
  std::uint64_t id = 0;
  if (!take_number(&text, INT32_MAX, &id) || *text++ != '-') return false;
  name->id = static_cast<int>(id);
  return take_number(&text, UINT64_MAX, &name->token) && *text == '\0';
}

Result<Page*> attach(const Name& name) {
  if (const int error = check_owner(name); error != 0) return Result<Page*>::failure(error);
  const Result<Page*> page = map(name.id);
  if (!page || (page.value()->magic == kMagic && page.value()->token == name.token)) return page;
  raw_syscall(SYS_shmdt, word(page.value()));
  return Result<Page*>::failure(-EPROTO);
}

bool is_held(const Page& page, const Lane& lane, std::uint64_t now_ns) {
  if (lane.rate_bytes_per_s.load(std::memory_order_relaxed) == 0) return false;
  const std::uint64_t beat_ns = page.beat_ns.load(std::memory_order_relaxed);
  // The beat may be of an instant after `now_ns` was read.
  return beat_ns + kBeatMostNs > now_ns && beat_ns < now_ns + kBeatMostNs;
}

}  // namespace netnice::gate
