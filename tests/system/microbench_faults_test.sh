#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# microbench_faults: full, small, read-only and odd file systems: one clear line or a smaller test file, and nothing left behind.
#
# Loop devices carry the file systems; a FUSE file system without a page cache stands for those over a network.
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
# expect STATUS WORDS ARGUMENT...
expect() {
  local want=$1 words=$2 got=0
  shift 2
  # A host busy with what tests before left to write gives marked figures: then once more, a little later.
  for _ in 1 2 3; do
    got=0
    timeout 60 "$BIN/microbench" "$@" >"$SCRATCH/out" 2>"$SCRATCH/err" || got=$?
    grep -q 'other programs used' "$SCRATCH/err" || break
    sync
    sleep 1
  done
  [[ $got -eq $want ]] || fail "status $got instead of $want from microbench $*: $(cat "$SCRATCH/err")"
  grep -q "$words" "$SCRATCH/err" "$SCRATCH/out" || fail "no '$words' from microbench $*: $(cat "$SCRATCH/err" "$SCRATCH/out")"
}
free_kib() { stat -f -c '%f * %S / 1024' "$MNT" | { read -r sum; echo $((sum)); }; }

make_place 100M
before=$(free_kib)
expect 0 'disk.random_read_ns' run --quick --dir "$MNT" disk_random
# The file was scaled down to the room there is, and is gone.
(($(free_kib) >= before - 64)) || fail "$((before - $(free_kib))) KiB are gone from a file system of 100 MiB"

# Nearly full: there is no room for the least test file.
fallocate -l $(((before - 4096) * 1024)) "$MNT/filler"
expect 1 'no space' run --quick --dir "$MNT" disk_random
# Room for a file, and somebody else takes it in the middle: an error of the write, no hang, nothing left.
rm "$MNT/filler"
"$BIN/microbench" run --anew --dir "$MNT" >"$SCRATCH/out" 2>"$SCRATCH/err" &
pid=$!
sleep 0.3
fallocate -l 200M "$MNT/filler" 2>/dev/null || dd if=/dev/zero of="$MNT/filler" bs=1M 2>/dev/null || true
status=0
wait "$pid" || status=$?
((status == 0 || status == 1)) || fail "status $status when the disk filled up: $(cat "$SCRATCH/err")"
rm "$MNT/filler"
[[ -z $(find "$MNT" -name '.microbench*') ]] || fail "left behind: $(ls -A "$MNT")"

# Read-only: one line; a file that is there can be read instead.
head -c 16M /dev/urandom >"$MNT/there"
mount -o remount,ro "$MNT"
expect 1 'Read-only file system' run --quick --dir "$MNT" disk_random
expect 0 'disk.random_read_ns' run --quick --file "$MNT/there" disk_random
expect 0 'not available: disk_write' run --quick --file "$MNT/there" disk_write
mount -o remount,rw "$MNT"

# Overlay: its own count is 0 for every file, which the self-test finds out.
mkdir "$MNT/lower" "$MNT/upper" "$MNT/work" "$SCRATCH/over"
if mount -t overlay overlay -o "lowerdir=$MNT/lower,upperdir=$MNT/upper,workdir=$MNT/work" "$SCRATCH/over" 2>/dev/null; then
  at_exit umount -q "$SCRATCH/over"
  expect 0 'disk.miss_ns' run --quick --dir "$SCRATCH/over" cache_roc
  [[ -z $(ls -A "$SCRATCH/over") ]] || fail "left behind on overlay: $(ls -A "$SCRATCH/over")"
  umount "$SCRATCH/over"
else
  echo "SKIPPED here: overlay cannot be mounted"
fi

# Somebody who may not write there, nor to his own record's folder: one line each.
if command -v setpriv >/dev/null; then
  chmod 755 "$SCRATCH" && cp "$BIN/microbench" "$SCRATCH/microbench" && mkdir -m 755 "$SCRATCH/locked"
  as_nobody() {
    local got=0
    env XDG_DATA_HOME="$SCRATCH/locked" timeout 60 setpriv --reuid=65534 --regid=65534 --clear-groups "$SCRATCH/microbench" "$@" \
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

# FUSE: nothing can be made there, and reads that bypass the page cache are said to.
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
