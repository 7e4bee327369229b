#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# discnice_manners_test: on a disk without counters, a job gives way to others, judged by its own progress, and does not slow down
# when it is alone.
#
# How: an emulated mechanical disk has a file system in user space on it (bindfs), through which the job sees no counters. The report and explain must say how
# others are noticed, also where only /sys is hidden. While another program reads from the disk below, a job that copies must move nearly nothing. When the job
# is alone on the disk, it must sleep for nearly none of its time. This is tested with a long file, with many small files, with two programs that use up the
# processors, and with data in memory. Jobs of two users that both give way by progress must both finish. The written data must be on the disk except some
# steps. The test judges by the time that the job itself has slept, and by the page cache. Not tested here: by how many per cent a foreground is slower
# (`script/bench manners` measures that); a disk that becomes slower for good, which takes minutes (unit/discnice); an error in a write step; a sequential
# stream that the disk serves first, so that the job notices no other user; NFS and SMB, which need a kernel that has them.
# Runs alone on a quiet host: it measures how other programs slow a job down.
# Slow: a job learns to give way over seconds of an emulated disk.
source "$(dirname "$0")/../support/discnice.bash"
need_root
need_built hddsim
need losetup mkfs.ext4 bindfs python3 setpriv unshare
[[ -c /dev/fuse && -e /dev/loop-control ]] || skip 'no emulated disk here'
HDDSIM=$(program hddsim)
readonly HDDSIM NAME=manners-$$
cd "$SCRATCH"
at_exit sh -c "[ ! -d /run/hddsim/$NAME ] || '$HDDSIM' down --force $NAME"
DISK=$("$HDDSIM" up "$NAME" --size 2G --scheduler none) || skip 'no emulated disk here'
readonly FAR=$PWD/far
mkfifo begin
# The python3 in the PATH may be a script that searches for the real python3.
PYTHON=$(python3 -c 'import sys; print(sys.executable)')
readonly PYTHON
mkdir "$FAR" "$DISK/small" "$DISK/out"
chmod 777 "$DISK/out"
bindfs --multithreaded "$DISK" "$FAR" || skip 'bindfs mounts nothing here'
at_exit umount -l "$FAR"
for file in first second; do head -c 150000000 /dev/urandom >"$DISK/$file"; done
head -c 600000000 /dev/urandom >"$DISK/long"
for ((i = 0; i < 600; ++i)); do head -c 9000 /dev/urandom >"$DISK/small/$i"; done
sync -f "$DISK"

all_cold() { make_cold "$FAR/first" "$FAR/second" "$DISK/first" "$DISK/second" "$DISK/long" "$FAR"/small/* "$DISK"/small/*; }
# shellcheck disable=SC2317 # by seconds_of
quietly() { "$@" >/dev/null; }
seconds_of() { # COMMAND...
  local begun
  begun=$(date +%s%N)
  "$@"
  calculate "($(date +%s%N) - $begun) / 1e9"
}
blind() { unshare -m sh -c 'umount -R -l /sys; exec "$@"' sh "$@"; }

says_so() {
  "$DISCNICE" --json --report report -- cat "$FAR/small/1" >/dev/null
  grep -q '"others_seen_by":"progress"' report || complain "nice through FUSE: the report does not say progress: $(<report)"
  blind "$DISCNICE" --json --report report -- cat "$DISK/small/2" >/dev/null
  grep -q '"others_seen_by":"progress"' report || complain "nice with /sys hidden: the report does not say progress: $(<report)"
  "$DISCNICE" --policy manners --json --report report -- cat "$DISK/small/1" >/dev/null
  grep -q '"others_seen_by":"progress"' report || complain "manners where counters are: the report does not say progress: $(<report)"
  "$DISCNICE" explain -- cat "$FAR/small/1" | grep -q 'manners give way there' || complain 'explain does not say what nice does through FUSE'
}

# Reads at random places, so that the disk cannot serve the job's sequential stream first and leave this reader waiting. The reader reports that it is ready,
# begins when it is told to, and reports when it has finished.
read_here_and_there() {
  exec "$PYTHON" -c '
import os, random, sys
handle = os.open(sys.argv[1], os.O_RDONLY)
os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_RANDOM)
blocks = os.fstat(handle).st_size // 4096
def read(): os.pread(handle, 4096, random.randrange(blocks) * 4096)
def say(what): os.close(os.open(what, os.O_WRONLY | os.O_CREAT))
say("reader-is-there")
open("begin").close()
read()
say("reader-has-read")
while True: read()' "$DISK/long"
}
until_there() { # FILE PID
  until [[ -e $1 ]]; do
    kill -0 "$2" 2>/dev/null || fail "no $1: the foreground ended"
    sleep 0.01
  done
}

# moved_beside PREFIX...: prints how many million bytes a job copies in 1.5 s while a foreground reads from the disk all the time.
moved_beside() {
  local reader job before after
  all_cold
  rm -f reader-is-there reader-has-read
  read_here_and_there &
  reader=$!
  until_there reader-is-there "$reader"
  "$@" dd if="$FAR/first" of="$FAR/out/copy" bs=256k status=none &
  job=$!
  sleep 0.5 # the job has learned its own speed
  : >begin
  until_there reader-has-read "$reader"
  sleep 0.5
  before=$(stat -c %s "$DISK/out/copy")
  sleep 1.5
  after=$(stat -c %s "$DISK/out/copy")
  kill "$reader" 2>/dev/null || echo 'the foreground was done too early' >&2
  kill "$job" 2>/dev/null || after=$((before + 150000000)) # the job has copied everything
  wait "$job" "$reader" 2>/dev/null || true
  rm "$DISK/out/copy"
  sync -f "$DISK"
  calculate "($after - $before) / 1e6"
}

# Other work on the machine may make some of the tries invalid.
gives_way() { # WHAT PREFIX...
  local what=$1 held try
  shift
  for try in 1 2 3; do
    held=$(moved_beside "$@")
    printf '%s: %s MB beside a reader in 1.5 s\n' "$what" "$held"
    if holds "$held < 8"; then return; fi
  done
  complain "$what: the job does not give way: $held MB beside a reader"
}

# The job must sleep for less than a tenth of its time.
keeps_its_time() { # WHAT COMMAND...
  local what=$1 took held try
  shift
  for try in 1 2 3; do
    took=$(seconds_of quietly "$DISCNICE" --policy manners --json --report report -- "$@")
    held=$(field report slept_seconds)
    printf '%s: slept %s s of %s\n' "$what" "$held" "$took"
    if holds "$held <= 0.1 * $took + 0.1"; then return; fi
    all_cold
  done
  complain "$what: the job holds itself back: $held s"
}

alone() {
  all_cold
  keeps_its_time 'large, then small' sh -c "cat $FAR/first $FAR/small/* $FAR/second $FAR/small/*"
  keeps_its_time 'from memory' sh -c "for i in 1 2 3 4 5; do cat $FAR/first $FAR/small/*; done"
  all_cold
  local hogs=() hog
  for ((i = 0; i < 2; ++i)); do
    sh -c 'while :; do :; done' &
    hogs+=($!)
  done
  keeps_its_time 'beside two that use up the processors' cat "$FAR/first"
  for hog in "${hogs[@]}"; do kill "$hog"; done
  wait "${hogs[@]}" 2>/dev/null || true
}

two_users() {
  local plain both
  all_cold
  plain=$(seconds_of sh -c "cat $FAR/first >/dev/null; cat $FAR/second >/dev/null")
  all_cold
  both=$(seconds_of sh -c "'$DISCNICE' -q --policy manners -- cat $DISK/first >/dev/null &
    setpriv --reuid=65534 --regid=65534 --clear-groups '$DISCNICE' -q --policy manners -- cat $DISK/second >/dev/null; wait")
  printf 'two mannered users: %s s; one after the other %s s\n' "$both" "$plain"
  holds "$both < 5 * $plain + 5" || complain "two mannered jobs starve each other: $both s instead of $plain s"
}

# The data that a job has written is on the disk, except some steps: few pages are dirty below.
writes_in_steps() {
  local before after
  before=$(awk '/^Dirty:/ { print $2 }' /proc/meminfo)
  "$DISCNICE" -q -- dd if=/dev/zero of="$FAR/out/zeros" bs=256k count=600 status=none
  after=$(awk '/^Dirty:/ { print $2 }' /proc/meminfo)
  printf 'written 157 MB: %s KiB more dirty\n' "$((after - before))"
  ((after - before < 80000)) || complain "what was written stays dirty: $((after - before)) KiB"
  rm "$FAR/out/zeros"
}

says_so
gives_way 'nice through FUSE' "$DISCNICE" -q --
gives_way 'manners through FUSE' "$DISCNICE" -q --policy manners --
alone
two_users
writes_in_steps
conclude
