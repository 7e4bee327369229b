// SPDX-License-Identifier: MIT
// name_hooks: the wrappers of interposed_names.def: names, attributes and folders. The account is settled after the call.
#include <cstddef>

#include <dirent.h>
#include <fcntl.h>
#include <fts.h>
#include <sys/stat.h>
#include <unistd.h>

#include "toolbox/base/call_numbers.hpp"
#include "tools/discnice/observe/recording.hpp"
#include "tools/discnice/preload/entry/hooks.hpp"
#include "tools/discnice/transfer/admission.hpp"
#include "tools/discnice/transfer/metadata.hpp"
#include "tools/discnice/transfer/settled_call.hpp"

namespace discnice::guest {
namespace {

// The largest distance of the first entry of a freshly filled buffer from its DIR. libc keeps the entries behind the head of the DIR, and other
// entries come behind the first. In a libc that keeps the entries elsewhere, or that has a longer head, no entry counts as the first. Then the
// settlement happens at other calls.
constexpr std::ptrdiff_t kFolderHeadBytesMax = 128;

bool is_first_of_buffer(const DIR* folder, const void* entry) {
  if (entry == nullptr) return true;
  const std::ptrdiff_t place = static_cast<const char*>(entry) - reinterpret_cast<const char*>(folder);
  return place >= 0 && place < kFolderHeadBytesMax;
}

DIR* opened_folder(DIR* folder) {
  if (folder == nullptr) return folder;
  const int fd = dirfd(folder);
  renew_opened_file(fd, false);
  note_folder(fd);
  return folder;
}

}  // namespace

#define DISCNICE_NAME(type, name, parameters, arguments, system) \
  DISCNICE_EXPORT(type, name, parameters);                       \
  type discnice_hook_##name parameters {                         \
    const SettledCall settled(job());                            \
    return DISCNICE_CALL(type, name, arguments, system);         \
  }

#define DISCNICE_FOLDER_MAKE(type, name, parameters, arguments, system, folder, path) \
  DISCNICE_EXPORT(type, name, parameters);                                            \
  type discnice_hook_##name parameters {                                              \
    const SettledCall settled(job());                                                 \
    const ThreadAccount before = account_if_measured(job());                          \
    const type result = DISCNICE_CALL(type, name, arguments, system);                 \
    if (result == 0) after_folder_made(folder, path, before);                         \
    return result;                                                                    \
  }

#define DISCNICE_WALK(type, name, parameters, arguments) \
  DISCNICE_EXPORT(type, name, parameters);               \
  type discnice_hook_##name parameters {                 \
    const SettledCall settled(job());                    \
    return DISCNICE_REAL_ALWAYS(name) arguments;         \
  }

#define DISCNICE_FOLDER_OPEN(type, name, parameters, arguments) \
  DISCNICE_EXPORT(type, name, parameters);                      \
  type discnice_hook_##name parameters {                        \
    const SettledCall settled(job());                           \
    return opened_folder(DISCNICE_REAL_ALWAYS(name) arguments); \
  }

#define DISCNICE_FOLDER_READ(type, name, parameters, arguments, folder)               \
  DISCNICE_EXPORT(type, name, parameters);                                            \
  type discnice_hook_##name parameters {                                              \
    Job* here = job();                                                                \
    if (here != nullptr && has_debt(*here)) pay_debt(*here);                          \
    auto* entry = DISCNICE_REAL_ALWAYS(name) arguments;                               \
    if (here != nullptr && is_first_of_buffer(folder, entry)) settle_if_stale(*here); \
    return entry;                                                                     \
  }

#define DISCNICE_FOLDER_CLOSE(type, name, parameters, arguments, folder) \
  DISCNICE_EXPORT(type, name, parameters);                               \
  type discnice_hook_##name parameters {                                 \
    const SettledCall settled(job());                                    \
    if (folder != nullptr) forget_open_file(dirfd(folder));              \
    return DISCNICE_REAL_ALWAYS(name) arguments;                         \
  }

#include "tools/discnice/preload/entry/interposed_names.def"

}  // namespace discnice::guest
