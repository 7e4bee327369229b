// SPDX-License-Identifier: MIT
// user_hooks: the wrappers of interposed_users.def. A process that has permanently become another user leaves the job.
#include <sys/syscall.h>

#include "tools/discnice/preload/entry/hooks.hpp"

namespace discnice::guest {

#define DISCNICE_USER(type, name, parameters, arguments, system)      \
  DISCNICE_EXPORT(type, name, parameters);                            \
  type discnice_hook_##name parameters {                              \
    const type result = DISCNICE_CALL(type, name, arguments, system); \
    if (result == 0) leave_when_other_user();                         \
    return result;                                                    \
  }

#include "tools/discnice/preload/entry/interposed_users.def"

}  // namespace discnice::guest
