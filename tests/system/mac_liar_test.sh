#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# mac_liar: whatever others leave under the table's name, or write into it, an honest asker gets what it gets without them.
#
# support/claims_liar.py says how: names made by another user and by the same one (sizes, a lease, a FIFO, a link, a folder), claims
# forged in the name of process 1, a lock held in pulses, a claim overwritten and a table cut short. The grant may change by 5 %; a name may
# cost 0.2 s and a lie a second. Happens in a memory control group of 200 MB and a /dev/shm of its own; needs root. Leaves out a process
# of the same user that takes part as any may, and asks for all there is.
# Runs alone: a file with a bad name may delay a call by 0.2 s at most, and a busy disk delays it by more.
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

# Somebody who does not take part holds some.
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
