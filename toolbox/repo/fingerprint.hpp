// SPDX-License-Identifier: MIT
// fingerprint: identifies the host that was measured.
//
// Knowledge assumed: times that were measured on one machine, processor, kernel or side of a hypervisor are not valid for another. Observed: /etc/machine-id,
// /proc/cpuinfo, uname. Inferred: the same host if all four are the same. What breaks it: cloned virtual machines that share a machine id and a processor
// model.
#pragma once

#include <string>

namespace gray::repo {

struct Fingerprint {
  std::string machine_id;      ///< 32 hex digits, or "host:NAME" where the host has no machine id.
  std::string cpu_model;       ///< "unknown" where the kernel does not tell.
  std::string kernel_release;  ///< As uname -r.
  bool has_hypervisor = false;
};

/// Reads the fingerprint of this host. `root` is put before each path ("" for the real host, another folder for tests). The kernel release and host name
/// always come from uname(2). Never fails: a value that cannot be read has a fixed substitute. Any thread.
Fingerprint read_fingerprint(const std::string& root = "");

/// Empty if both fingerprints are of the same host, else the first difference as a phrase: "machine id a, here b".
std::string describe_difference(const Fingerprint& stored, const Fingerprint& here);

}  // namespace gray::repo
