#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# microbench_readahead: the read-ahead window is found exactly on ext4 and XFS, whatever its setting is, without a look into /sys.
#
# A loop device has the file system, and blockdev sets its window. Where strace is installed, microbench runs under it, and must open nothing of the device's queue
# below /sys. Leaves out other file systems.
# Runs alone on a quiet host: microbench measures the disk.
source "$(dirname "$0")/../support/system.bash"
need_root
need losetup blockdev mkfs.ext4 mount
need_built microbench
export XDG_DATA_HOME=$SCRATCH/data
mkdir "$XDG_DATA_HOME" "$SCRATCH/mnt"

losetup -f >/dev/null 2>&1 || skip "no loop devices here"
found_bytes() {
  "$BIN/microbench" show --json disk.readahead_max_bytes |
    python3 -c 'import json,sys; print(int([r["value"] for r in json.load(sys.stdin) if r["source"] == "user"][0]))'
}

checked=() wrong=()
check_file_system() {
  local kind=$1 image=$SCRATCH/$1.img loop kib found
  truncate -s 1G "$image"
  loop=$(losetup --find --show "$image")
  at_exit losetup -d "$loop"
  "mkfs.$kind" -q "$loop" >/dev/null 2>&1 || fail "mkfs.$kind"
  for kib in 0 16 128 512 2048 8192; do
    blockdev --setra $((kib * 2)) "$loop"
    mount "$loop" "$SCRATCH/mnt"
    "$BIN/microbench" run --quick --dir "$SCRATCH/mnt" readahead >"$SCRATCH/out" 2>"$SCRATCH/err" || fail "$(cat "$SCRATCH/err")"
    found=$(found_bytes)
    umount "$SCRATCH/mnt"
    "$BIN/microbench" forget --all
    checked+=("$kind/$kib")
    [[ $found -eq $((kib * 1024)) ]] || wrong+=("$kind: $kib KiB set, $((found / 1024)) KiB found")
  done
}

check_file_system ext4
if command -v mkfs.xfs >/dev/null; then check_file_system xfs; fi
((${#wrong[@]} == 0)) || fail "$(printf '%s\n' "${wrong[@]}")"

if command -v strace >/dev/null; then
  strace -f -e trace=open,openat -o "$SCRATCH/trace" "$BIN/microbench" run --quick --dir "$SCRATCH" readahead >/dev/null 2>&1 || true
  if grep -q 'read_ahead_kb\|/queue/' "$SCRATCH/trace"; then fail "it asks /sys: $(grep -m 1 'read_ahead_kb\|/queue/' "$SCRATCH/trace")"; fi
fi
echo "exact: ${checked[*]}"
command -v mkfs.xfs >/dev/null || skip "ext4 was checked; XFS was not: no mkfs.xfs"
