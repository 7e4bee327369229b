// SPDX-License-Identifier: MIT
// route: decides how a call on a descriptor goes to the kernel. Each wrapper asks route_at_once() first, and route() if that has no answer.
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
  trusted,    // it most likely needs no disk: the call is made, and trust.count() told what it returned
  predicted,  // all steps of transfer.hpp
};

/// The first question of a wrapper. It makes calls that do not concern a disk cost only a few nanoseconds. It calls nothing and reads no clock. `predicted` means that route()
/// must be asked.
__attribute__((always_inline)) inline Route route_at_once(OpKind kind, OpenFile* file, std::size_t bytes) {
  if (file == nullptr || !has_job_at_hand()) return Route::predicted;
  if (file->file_class.load(std::memory_order_acquire) == FileClass::free) return Route::bypass;
  return kind == OpKind::read && trust.covers_at_once(*file, bytes) ? Route::trusted : Route::predicted;
}

/// The answer. If it is `predicted`, transfer.file is a charged file.
Route route(Job& job, Transfer& transfer);

/// Finds out what the descriptor is, once for each call. If nothing is known, it asks the kernel. True if it is a charged file: then transfer.file is its entry, else null.
bool find_file(Job& job, Transfer& transfer);

/// The entry of a descriptor that is a charged file, else null. For calls that are not transfers.
OpenFile* charged_file(Job& job, int fd);

/// True if calls on this descriptor are made unchanged: there is no job, or nothing on it is ever charged.
inline bool is_bypassed(int fd) {
  return job() == nullptr || is_known_free(fd);
}

}  // namespace discnice::guest
