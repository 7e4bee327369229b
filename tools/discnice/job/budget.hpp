// SPDX-License-Identifier: MIT
// budget: the job's shared accounts, one for each limit, and how an operation or a correction changes them.
#pragma once

#include <cstdint>

#include "tools/discnice/contract/grant.hpp"
#include "tools/discnice/contract/io_estimate.hpp"
#include "tools/discnice/job/job.hpp"

namespace discnice::guest {

/// A call is never split into smaller parts than this: smaller parts would cost too many calls for the little that they smooth.
inline constexpr std::uint64_t kPartBytesMin = UINT64_C(64) * 1024;

/// The present grant. For a job that shares, it has the rate that was lent to the job.
Grant grant_now(const Job& job, std::uint64_t now_ns);

/// The rate of a job that shares, as found by grant_now(); 0 for any other job.
std::uint64_t shared_rate_of(const Grant& grant);

/// A rate spent in portions (policy/lumps.hpp).
struct Portion {
  std::uint64_t time_ns = 0;       // what it takes at the rate; 0: no portions
  std::uint64_t saved_ns_max = 0;  // how much of what was saved up may be used
};

/// Books an operation in every account that has a limit. Returns the instant at which it is paid in all accounts; 0: at once. The account of all bytes may be up to half a
/// portion behind. But if the operation must wait at all, it waits until half a portion is saved up.
std::uint64_t charge(Job& job, const Grant& grant, const IoEstimate& estimate, const Portion& portion,
                     std::uint64_t now_ns);

/// Adds to the accounts what the disk moved beyond the predictions; the value may be below zero. Returns the instant at which all of it is paid, or 0 if nothing was added.
std::uint64_t correct(Job& job, std::int64_t read_bytes, std::int64_t write_bytes);

/// The instant at which all booked bytes are paid in all accounts that have a limit. It is `now_ns` if they are paid already.
std::uint64_t paid_ns(const Job& job, const Grant& grant, std::uint64_t now_ns);

/// A debt of a member never reaches beyond the accounts that it comes from. A later instant is a wrong byte in the segment.
std::uint64_t latest_paid_ns(const Job& job, const Grant& grant, std::uint64_t now_ns);

/// The most bytes to move at once under this grant, so that a long call is paced; 0 means no limit. `is_shared` means that others use the disk.
std::uint64_t part_bytes(const Grant& grant, bool is_write, bool is_shared);

}  // namespace discnice::guest
