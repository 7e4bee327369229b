#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# gbp_refresh_crash: the directory is complete at any moment at which gbp -refresh is killed or the power is cut.
#
# Killed: by ptrace, before and after its system calls (each GRAY_CRASH_STEPth; 1 for all of them), on an ext4 in memory. Then --resume and --rollback finish
# the refresh by turns. Power cut: after each call that may change a disk, the test copies the disk's content at that moment, without the data that is still
# in the kernel's memory. It mounts the copy, which replays the journal, and compares the files. So a missing or late fsync is noticed. Left out: disks that
# report data as written too early, and file systems other than ext4.
source "$(dirname "$0")/../support/system.bash"
need_root
need_built gbp
need python3 mkfs.ext4 losetup
[[ -e /dev/loop-control ]] || skip "there are no loop devices"
GBP=$(program gbp)
readonly GBP STEP=${GRAY_CRASH_STEP:-23}
readonly CRASH=$SOURCE/tests/support/refresh_crash.py
export XDG_DATA_HOME=$SCRATCH/parameters XDG_RUNTIME_DIR=$SCRATCH
MEMORY=$(mktemp -d /dev/shm/gray-crash.XXXXXX)
readonly MEMORY
at_exit rm -rf -- "$MEMORY"

# An ext4 whose journal is written on request, and not by the clock.
mkdir "$MEMORY/disk" "$MEMORY/cut"
truncate -s 32M "$MEMORY/image"
mkfs.ext4 -q -F -J size=4 "$MEMORY/image"
mount -o loop,commit=600 "$MEMORY/image" "$MEMORY/disk" 2>"$SCRATCH/refusal" || skip "no ext4 can be mounted here: $(cat "$SCRATCH/refusal")"
at_exit umount "$MEMORY/disk"

python3 "$CRASH" kill "$GBP" "$TOOLS/kill_at" "$MEMORY/disk" "$STEP" || fail "killed, it does not leave the directory whole"

# The hook: copies the disk as it is now.
cat >"$SCRATCH/cut" <<HOOK
set -e
cp --sparse=always "$MEMORY/image" "$MEMORY/copy"
mount -o loop "$MEMORY/copy" "$MEMORY/cut"
python3 "$CRASH" check "$MEMORY/cut" "$SCRATCH/record" || { umount "$MEMORY/cut"; exit 1; }
umount "$MEMORY/cut"
echo >>"$SCRATCH/cuts"
HOOK
rm -rf "${MEMORY:?}/disk/"{d,template}
python3 "$CRASH" make "$MEMORY/disk" "$SCRATCH/record"
sync -f "$MEMORY/disk"

# The simulated power cut must be able to find a fault: an unsynced change must not be on the disk yet.
echo new >"$MEMORY/disk/d/unsynced"
if sh "$SCRATCH/cut" 2>/dev/null; then rm "$MEMORY/disk/d/unsynced"; else fail "a cut sees what was never forced to disk"; fi
rm -f "$SCRATCH/cuts"
touch -d @1000000000.123456795 "$MEMORY/disk/d"
sync -f "$MEMORY/disk"

status=0
said=$("$TOOLS/kill_at" --hook "sh $SCRATCH/cut" "$GBP" -refresh "$MEMORY/disk/d" --force --apply 2>&1) || status=$?
[[ $status -eq 1 && $said == *'status 0'* ]] || fail "after a power cut the directory is not whole: $said"
printf 'power cut at %d moments: the directory was whole each time\n' "$(wc -l <"$SCRATCH/cuts")"
