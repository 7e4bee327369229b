// SPDX-License-Identifier: MIT
// route: how a call on a descriptor goes to the kernel. Each wrapper asks route_at_once() first, and route() when that has no answer.
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

/// The first question of a wrapper, so that what is none of the disk's costs a few nanoseconds. Calls nothing and asks no clock; `predicted` says
/// that route() has to be asked.
__attribute__((always_inline)) inline Route route_at_once(OpKind kind, OpenFile* file, std::size_t bytes) {
  if (file == nullptr || !has_job_at_hand()) return Route::predicted;
  if (file->file_class.load(std::memory_order_acquire) == FileClass::free) return Route::bypass;
  return kind == OpKind::read && trust.covers_at_once(*file, bytes) ? Route::trusted : Route::predicted;
}

/// The answer. With `predicted` transfer.file is a charged file.
Route route(Job& job, Transfer& transfer);

/// Looks up what the descriptor is, once a call, and where nothing is known asks the kernel. True when it is a charged file: transfer.file then is its
/// entry, else null.
bool find_file(Job& job, Transfer& transfer);

/// The entry of a descriptor that is a charged file, else null: for calls that are no transfers.
OpenFile* charged_file(Job& job, int fd);

/// True when calls on this descriptor are made as they are: there is no job, or nothing on it is ever charged.
inline bool is_bypassed(int fd) {
  return job() == nullptr || is_known_free(fd);
}

}  // namespace discnice::guest
