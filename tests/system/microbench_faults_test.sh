#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# microbench_faults: on full, small, read-only and unusual file systems, microbench prints one clear line or uses a smaller test
# file, and leaves nothing behind.
#
# Loop devices carry the file systems; a FUSE file system without a page cache represents network file systems.
source "$(dirname "$0")/../support/system.bash"
need_root
need losetup mkfs.ext4 mount
need_built microbench
export XDG_DATA_HOME=$SCRATCH/data
mkdir "$XDG_DATA_HOME" "$SCRATCH/mnt"
MNT=$SCRATCH/mnt
losetup -f >/dev/null 2>&1 || skip "no loop devices here"

make_place() { # SIZE
  truncate -s "$1" "$SCRATCH/img"
  LOOP=$(losetup --find --show "$SCRATCH/img")
  at_exit losetup -d "$LOOP"
  mkfs.ext4 -q "$LOOP" >/dev/null 2>&1
  mount "$LOOP" "$MNT"
  at_exit umount -q "$MNT"
}
record() { cat "$XDG_DATA_HOME"/gray/host-*.params 2>/dev/null || true; }
# A busy host is reported in lines of its own.
one_line() { # WHO
  grep -v -e 'host is busy' -e 'other programs used' -e 'is kept' "$SCRATCH/err" >"$SCRATCH/err.rest" || true
  [[ $(wc -l <"$SCRATCH/err.rest") -eq 1 ]] || fail "not one line from $1: $(cat "$SCRATCH/err")"
  grep -q '^microbench: ' "$SCRATCH/err.rest" || fail "not of microbench: $(cat "$SCRATCH/err")"
}
# expect STATUS WORDS ARGUMENT...
expect() {
  local want=$1 words=$2 got=0
  shift 2
  # The figures of a busy host (the writes of this test are enough) do not replace figures from a quieter moment. So the values that will be shown are measured
  # while there are no earlier values.
  if ((want == 0)); then "$BIN/microbench" forget --all >/dev/null 2>&1; fi
  timeout 300 "$BIN/microbench" "$@" >"$SCRATCH/out" 2>"$SCRATCH/err" || got=$?
  [[ $got -eq $want ]] || fail "status $got instead of $want from microbench $*: $(cat "$SCRATCH/err")"
  if ((want == 1)); then one_line "microbench $*"; fi
  grep -q "$words" "$SCRATCH/err" "$SCRATCH/out" || fail "no '$words' from microbench $*: $(cat "$SCRATCH/err" "$SCRATCH/out")"
}
free_kib() { stat -f -c '%f * %S / 1024' "$MNT" | { read -r sum; echo $((sum)); }; }

make_place 100M
before=$(free_kib)
expect 0 'disk.random_read_ns' run --quick --dir "$MNT" disk_random
# The test file is made smaller to fit into the free space, and is removed at the end.
(($(free_kib) >= before - 64)) || fail "$((before - $(free_kib))) KiB are gone from a file system of 100 MiB"

# The disk is nearly full: there is no space for the smallest test file.
fallocate -l $(((before - 4096) * 1024)) "$MNT/filler"
expect 1 'no space' run --quick --dir "$MNT" disk_random
# There is room for a file, and another program takes it in the middle, at another moment each time. The run ends with the values that could be measured, or with one
# line and the old record. It does not hang, and nothing is left.
for delay in 0.02 0.3 1.5; do
  rm "$MNT/filler"
  before_record=$(record)
  timeout 300 "$BIN/microbench" run --quick --anew --dir "$MNT" >"$SCRATCH/out" 2>"$SCRATCH/err" &
  pid=$!
  sleep "$delay"
  dd if=/dev/zero of="$MNT/filler" bs=1M 2>/dev/null || true
  status=0
  wait "$pid" || status=$?
  ((status == 0 || status == 1)) || fail "status $status when the disk filled up: $(cat "$SCRATCH/err")"
  if ((status == 1)); then
    one_line "a run whose disk filled up"
    # The host's own figures may have been recorded, but none of this disk.
    [[ $(record | grep '@') == $(grep '@' <<<"$before_record") ]] || fail "a run that failed changed what is known of a disk"
  fi
  [[ -z $(find "$MNT" -name '.microbench*') ]] || fail "left behind: $(ls -A "$MNT")"
done
rm "$MNT/filler"

# A disk takes less data than its size says: the file system below the disk's image has space for only a small part of the image.
mkdir "$SCRATCH/small" "$SCRATCH/broken"
if mount -t tmpfs -o size=12M tmpfs "$SCRATCH/small" 2>/dev/null; then
  at_exit umount -q "$SCRATCH/small"
  truncate -s 200M "$SCRATCH/small/img"
  broken=$(losetup --find --show "$SCRATCH/small/img")
  at_exit losetup -d "$broken"
  mkfs.ext4 -q "$broken" >/dev/null 2>&1
  mount "$broken" "$SCRATCH/broken"
  at_exit umount -q "$SCRATCH/broken"
  before_record=$(record)
  expect 1 'test file' run --quick --dir "$SCRATCH/broken" disk_random
  [[ $(record) == "$before_record" ]] || fail "a disk that failed changed the record"
  umount "$SCRATCH/broken"
else
  echo "SKIPPED here: no tmpfs to put a small image on"
fi

# Read-only: one line. An existing file can be read instead.
head -c 16M /dev/urandom >"$MNT/there"
mount -o remount,ro "$MNT"
expect 1 'Read-only file system' run --quick --dir "$MNT" disk_random
expect 0 'disk.random_read_ns' run --quick --file "$MNT/there" disk_random
expect 0 'not available: disk_write' run --quick --file "$MNT/there" disk_write
mount -o remount,rw "$MNT"

# Overlay: its count is 0 for every file, and the self-test finds this out.
mkdir "$MNT/lower" "$MNT/upper" "$MNT/work" "$SCRATCH/over"
if mount -t overlay overlay -o "lowerdir=$MNT/lower,upperdir=$MNT/upper,workdir=$MNT/work" "$SCRATCH/over" 2>/dev/null; then
  at_exit umount -q "$SCRATCH/over"
  expect 0 'disk.miss_ns' run --quick --dir "$SCRATCH/over" cache_roc
  [[ -z $(ls -A "$SCRATCH/over") ]] || fail "left behind on overlay: $(ls -A "$SCRATCH/over")"
  umount "$SCRATCH/over"
else
  echo "SKIPPED here: overlay cannot be mounted"
fi

# A user who may not write there, nor to the folder of the user's own record: one line each.
if command -v setpriv >/dev/null; then
  chmod 755 "$SCRATCH" && cp "$BIN/microbench" "$SCRATCH/microbench" && mkdir -m 755 "$SCRATCH/locked"
  as_nobody() {
    local got=0
    env XDG_DATA_HOME="$SCRATCH/locked" timeout 300 setpriv --reuid=65534 --regid=65534 --clear-groups "$SCRATCH/microbench" "$@" \
      >"$SCRATCH/out" 2>"$SCRATCH/err" || got=$?
    [[ $got -eq 1 ]] || fail "status $got for nobody from microbench $*: $(cat "$SCRATCH/err")"
    grep -q 'Permission denied' "$SCRATCH/err" || fail "no clear word to nobody from microbench $*: $(cat "$SCRATCH/err")"
    [[ -z $(ls -A "$SCRATCH/locked") ]] || fail "left behind by nobody: $(ls -A "$SCRATCH/locked")"
  }
  as_nobody run --quick --dir "$SCRATCH/locked" disk_random
  as_nobody run --quick timer
else
  echo "SKIPPED here: no setpriv to become nobody with"
fi

# FUSE: no file can be made there, and microbench says that reads bypass the page cache.
if [[ -x $BIN/hddsim && -c /dev/fuse ]] && "$BIN/hddsim" up "faults-$$" --profile plain100 --size 256M --fs none >/dev/null 2>&1; then
  at_exit "$BIN/hddsim" down --force "faults-$$"
  fuse=/run/hddsim/faults-$$/fuse
  expect 1 'microbench: ' run --quick --dir "$fuse" disk_random
  expect 0 'not available: cache_hit: reads do not come from a page cache' run --quick --file "$fuse/disk" cache_hit
  expect 0 'disk.random_read_ns' run --quick --file "$fuse/disk" disk_random
  "$BIN/hddsim" down "faults-$$" >/dev/null
else
  echo "SKIPPED here: no FUSE, or no hddsim"
fi

# Two file systems are measured at the same time. Each has a record of its own, and no record has figures of
# the other file system.
expect 0 'disk.random_read_ns' run --quick --dir "$MNT" --dir "$SCRATCH" disk_random
[[ $(record | grep -c '^disk.random_read_ns@') -ge 2 ]] || fail "two folders on two file systems have no two records: $(record | grep '^disk.random_read_ns')"
