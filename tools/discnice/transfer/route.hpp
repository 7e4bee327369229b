// SPDX-License-Identifier: MIT
// route: decides how a call on a descriptor goes to the kernel. Each wrapper first asks route_at_once(), and asks route() when route_at_once() has no answer.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tools/discnice/contract/io_op.hpp"
#include "tools/discnice/descriptor/open_files.hpp"
#include "tools/discnice/descriptor/trust.hpp"
#include "tools/discnice/job/job.hpp"
#include "tools/discnice/transfer/transfer_call.hpp"

namespace discnice::guest {

enum class Route : std::uint8_t {
  bypass,     // nothing on this descriptor is charged
  trusted,    // the call most likely needs no disk: it is made, and trust.count() is told its result
  predicted,  // all steps of transfer.hpp are taken
};

/// Each wrapper calls this function first. It calls no function and reads no clock. So calls that do not concern the disk cost only a few nanoseconds.
/// The answer `predicted` means that route() has to be asked.
__attribute__((always_inline)) inline Route route_at_once(OpKind kind, OpenFile* file, std::size_t bytes) {
  if (file == nullptr || !has_job_at_hand()) return Route::predicted;
  if (file->file_class.load(std::memory_order_acquire) == FileClass::free) return Route::bypass;
  return kind == OpKind::read && trust.covers_at_once(*file, bytes) ? Route::trusted : Route::predicted;
}

/// Returns the full answer. When the answer is `predicted`, transfer.file is a charged file.
Route route(Job& job, Transfer& transfer);

/// Looks up the descriptor's entry once for each call, and asks the kernel when the file is unknown. Returns true for a charged file: transfer.file is then its entry.
/// Otherwise transfer.file is null.
bool find_file(Job& job, Transfer& transfer);

/// The entry of a descriptor of a charged file, or null. For calls that transfer no data.
OpenFile* charged_file(Job& job, int fd);

/// True when calls on this descriptor go to the kernel unchanged, because there is no job or nothing on the descriptor is ever charged.
inline bool is_bypassed(int fd) {
  return job() == nullptr || is_known_free(fd);
}

}  // namespace discnice::guest
