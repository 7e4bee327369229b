#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# mac_liar: when other processes leave objects under the table's name, or write into the table, an honest process gets the same memory as
# without them.
#
# How: support/claims_liar.py makes the attacks: names made by another user and by the same user (sizes, a lease, a FIFO, a link, a folder), claims forged in
# the name of process 1, a lock held in pulses, an overwritten claim and a truncated table. The grant may change by 5 %. A name may cost 0.2 s and a false claim
# a second. It runs in a memory control group of 200 MB with a /dev/shm of its own, and needs root. Left out: a process of the same user that uses the table as
# any process may, and asks for all memory.
# Runs alone: a name may delay a process by 0.2 s, which is less than the delay by a busy disk.
source "$(dirname "$0")/../support/system.bash"
need_root
need timeout python3 unshare
need_built gb-run
ADMISSION=$TOOLS/admission
[[ -x $ADMISSION ]] || skip "the tests' tool $ADMISSION was not built"
unshare -m true 2>/dev/null || skip "no mount namespace for a /dev/shm of its own"
readonly LIMIT_BYTES=200000000
export XDG_CACHE_HOME=$SCRATCH/cache

if grep -qsw memory /sys/fs/cgroup/cgroup.controllers; then
  group=/sys/fs/cgroup/gray-test-$$ limit=memory.max
else
  group=/sys/fs/cgroup/memory/gray-test-$$ limit=memory.limit_in_bytes
fi
mkdir "$group" 2>/dev/null || skip "no memory control group can be made here"
at_exit rmdir "$group"
echo "$LIMIT_BYTES" >"$group/$limit" 2>/dev/null || skip "the memory controller is not for new groups here"

# A process that does not take part holds some memory.
# shellcheck disable=SC2016 # for the inner shell to expand
sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group" "$ADMISSION" hold 60 >"$SCRATCH/hold" &
holder=$!
end_holder() { kill "$holder" && wait "$holder"; } 2>/dev/null
at_exit end_holder
for _ in {1..100}; do if [[ -s $SCRATCH/hold ]]; then break; fi; sleep 0.1; done

status=0
# shellcheck disable=SC2016 # for the inner shell to expand
timeout 600 unshare -m --propagation private sh -c 'mount -t tmpfs tmpfs /dev/shm && chmod 1777 /dev/shm && exec "$@"' \
  sh python3 "$SOURCE/tests/support/claims_liar.py" "$ADMISSION" "$BIN/gb-run" "$group" || status=$?
((status == 0)) || fail "a lie worked"
