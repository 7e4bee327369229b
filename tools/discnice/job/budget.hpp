// SPDX-License-Identifier: MIT
// budget: the job's shared accounts, one for each limit, and how an operation or a correction changes them.
#pragma once

#include <cstdint>

#include "tools/discnice/contract/grant.hpp"
#include "tools/discnice/contract/io_estimate.hpp"
#include "tools/discnice/job/job.hpp"

namespace discnice::guest {

/// The smallest part of a call that is made in parts. Smaller parts would need more calls and would hardly make the traffic more even.
inline constexpr std::uint64_t kPartBytesMin = UINT64_C(64) * 1024;

/// The grant that holds now. For a job that shares a rate, the grant's rate is the rate that the job was lent.
Grant grant_now(const Job& job, std::uint64_t now_ns);

/// The rate of a job that shares its rate with other jobs, as grant_now() found it; 0 for any other job.
std::uint64_t shared_rate_of(const Grant& grant);

/// How a rate is spent in portions (policy/lumps.hpp).
struct Portion {
  std::uint64_t time_ns = 0;       // the time of a portion at the rate; 0: no portions
  std::uint64_t saved_ns_max = 0;  // how much unused rate may be used
};

/// Charges an operation to every account that has a limit. Returns the instant at which the operation is paid in all of them, or 0 when it may start
/// at once. In the account of all bytes, half a portion may be owed. An operation that has to wait at all waits half a portion longer.
std::uint64_t charge(Job& job, const Grant& grant, const IoEstimate& estimate, const Portion& portion,
                     std::uint64_t now_ns);

/// Changes the accounts by the difference between the disk's work and the predictions. Returns the instant at which the difference is paid; 0 when
/// nothing was added.
std::uint64_t correct(Job& job, std::int64_t read_bytes, std::int64_t write_bytes);

/// The instant at which all charges are paid in all accounts that have a limit; `now_ns` when they are paid already.
std::uint64_t paid_ns(const Job& job, const Grant& grant, std::uint64_t now_ns);

/// No debt of a member reaches beyond the accounts from which it comes. A later instant means that the segment is damaged.
std::uint64_t latest_paid_ns(const Job& job, const Grant& grant, std::uint64_t now_ns);

/// The most bytes to move at once under this grant, so that a long call is paced; 0 means no limit. `is_shared` means that others use the disk.
std::uint64_t part_bytes(const Grant& grant, bool is_write, bool is_shared);

}  // namespace discnice::guest
