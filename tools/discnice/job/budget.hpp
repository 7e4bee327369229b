// SPDX-License-Identifier: MIT
// budget: the job's shared accounts, one a limit, and how an operation or a correction moves them.
#pragma once

#include <cstdint>

#include "tools/discnice/contract/grant.hpp"
#include "tools/discnice/contract/io_estimate.hpp"
#include "tools/discnice/job/job.hpp"

namespace discnice::guest {

/// No call is made in smaller parts than this: splitting would cost more calls than it smooths.
inline constexpr std::uint64_t kPartBytesMin = UINT64_C(64) * 1024;

/// The grant that holds now: of a job that shares, the rate it was lent.
Grant grant_now(const Job& job, std::uint64_t now_ns);

/// The rate of a job that shares, as grant_now() found it; 0 of any other job.
std::uint64_t shared_rate_of(const Grant& grant);

/// A rate spent in portions (policy/lumps.hpp).
struct Portion {
  std::uint64_t time_ns = 0;       // what it takes at the rate; 0: no portions
  std::uint64_t saved_ns_max = 0;  // how much of what was saved up may be used
};

/// Books an operation in every account that has a limit. Returns the instant at which it is paid in all of them (in that
/// of all bytes, within half a portion: later when it has to wait at all); 0: at once.
std::uint64_t charge(Job& job, const Grant& grant, const IoEstimate& estimate, const Portion& portion,
                     std::uint64_t now_ns);

/// Moves the accounts by what the disk did beyond the predictions (or less). Returns the instant at which all of it is
/// paid; 0 when nothing was added.
std::uint64_t correct(Job& job, std::int64_t read_bytes, std::int64_t write_bytes);

/// When all that is booked is paid in all accounts that have a limit; `now_ns` when it is.
std::uint64_t paid_ns(const Job& job, const Grant& grant, std::uint64_t now_ns);

/// No debt of a member reaches beyond the accounts it comes from; a later instant is a wrong byte in the segment.
std::uint64_t latest_paid_ns(const Job& job, const Grant& grant, std::uint64_t now_ns);

/// The most bytes to move at once under this grant, so that a long call is paced; 0: no bound. `is_shared`: others use the disk.
std::uint64_t part_bytes(const Grant& grant, bool is_write, bool is_shared);

}  // namespace discnice::guest
