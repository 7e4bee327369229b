#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# discnice_surface_test: a program is held to its rate with every way of reading: streams, maps, queues, calls by number, and a walk over names.
#
# How: the test has a file system of its own on a loop device, and mounts it again to drop its caches. Each way of tests/support/ways_to_read reads an uncached file
# of its own, all at the same time, each in a job of its own. find, ls -lR and du walk through an uncached tree. The kernel's account from outside tells how
# many bytes were moved. A run may end at most a second before the rate allows, because a program that makes no call after its last bytes still owes them.
# Without a limit the same reads must take a fraction of the time. Otherwise the test would prove nothing. Left out: a program that scans one map and makes no
# call meanwhile. The library cannot hold such a program. The program pays at its next call.
source "$(dirname "$0")/../support/discnice.bash"
need_root
need losetup mkfs.ext4 find du python3
readonly RATE=2MB RATE_BYTES=2000000 FILE_BYTES=6000000 NAMES=24000
readonly WAYS=(getc getline mmap syscall aio io_submit io_uring)
readonly MOUNT=$SCRATCH/mount

mount_again() {
  if mountpoint -q "$MOUNT"; then umount "$MOUNT"; fi
  mount -o noatime "$LOOP" "$MOUNT"
}

make_disk() {
  truncate -s 300M "$SCRATCH/image"
  mkfs.ext4 -q -F -N 40000 -E lazy_itable_init=0,lazy_journal_init=0 "$SCRATCH/image"
  LOOP=$(losetup --find --show "$SCRATCH/image") || skip "no loop device to be had"
  at_exit losetup -d "$LOOP"
  echo 128 >"/sys/block/${LOOP#/dev/}/queue/read_ahead_kb" # otherwise one fault on a map would bring everything in
  mkdir "$MOUNT"
  mount_again
  at_exit umount "$MOUNT"
  python3 - "$MOUNT" "$NAMES" <<'TEXT'
import os, sys
for i in range(int(sys.argv[2])):
    if i % 400 == 0: os.makedirs(f"{sys.argv[1]}/tree/{i // 400}")
    os.close(os.open(f"{sys.argv[1]}/tree/{i // 400}/a-name-of-some-length-{i}", os.O_CREAT))
TEXT
  head -c "$FILE_BYTES" /dev/urandom >"$MOUNT/first"
  for way in "${WAYS[@]}"; do cp "$MOUNT/first" "$MOUNT/$way"; done
}

# seconds_of NAME CMD...: runs under the limit, with a NAME.account.
held() {
  local name=$1 status=0
  shift
  judged "$SCRATCH/$name.account" "$DISCNICE" -q --rate "$RATE" -- "$@" >"$SCRATCH/$name.said" 2>"$SCRATCH/$name.error" || status=$?
  echo "$status" >"$SCRATCH/$name.status"
}

judge() { # NAME BYTES_MIN
  local account=$SCRATCH/$1.account bytes seconds status
  status=$(<"$SCRATCH/$1.status")
  if [[ $status == 77 ]]; then
    printf '%-10s not here: %s\n' "$1" "$(head -1 "$SCRATCH/$1.error")"
    return
  fi
  [[ $status == 0 ]] || complain "$1: status $status: $(head -2 "$SCRATCH/$1.error")"
  bytes=$(field "$account" read_bytes)
  seconds=$(field "$account" elapsed_seconds)
  printf '%-10s %9d bytes in %.2f s: %.2f of the rate\n' "$1" "$bytes" "$seconds" "$(calculate "$bytes / $seconds / $RATE_BYTES")"
  holds "$bytes >= $2" || complain "$1: only $bytes bytes were cold"
  holds "$seconds >= $bytes / $RATE_BYTES - 1" || complain "$1: $bytes bytes in $seconds s is faster than $RATE/s"
}

ways() {
  local way expected
  expected=$("$TOOLS/ways_to_read" syscall "$MOUNT/first")
  for way in "${WAYS[@]}"; do "$TOOLS/ways_to_read" "$way" "$MOUNT/first" >/dev/null || true; done # the program itself is cached
  mount_again
  for way in "${WAYS[@]}"; do held "$way" "$TOOLS/ways_to_read" "$way" "$MOUNT/$way" & done
  wait
  for way in "${WAYS[@]}"; do
    judge "$way" $((FILE_BYTES * 9 / 10))
    [[ $(<"$SCRATCH/$way.status") == 77 || $(<"$SCRATCH/$way.said") == "$expected" ]] || complain "$way: other bytes were read"
  done
}

walks() {
  local way
  for way in find ls du; do "$way" "$SCRATCH/image" >/dev/null; done
  mount_again
  judged "$SCRATCH/free.account" ls -lR "$MOUNT/tree" >/dev/null
  printf 'ls without a limit: %.2f s\n' "$(field "$SCRATCH/free.account" elapsed_seconds)"
  holds "$(field "$SCRATCH/free.account" read_bytes) / $(field "$SCRATCH/free.account" elapsed_seconds) > 2 * $RATE_BYTES" ||
    complain "the tree is no faster to walk without a limit, so nothing is shown"
  mount_again
  held find find "$MOUNT/tree" -size +1k
  judge find 5000000
  mount_again
  held ls ls -lR "$MOUNT/tree"
  judge ls 5000000
  mount_again
  held du du -s "$MOUNT/tree"
  judge du 5000000
}

make_disk
ways
walks
conclude
