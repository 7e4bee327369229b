#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# discnice_foreground_test: how a job notices other users of its disk, and which traffic does not belong to other users.
#
# How: the jobs run on an emulated mechanical disk. Two jobs of one user must not take each other for foreground: together they must take about as long as
# without discnice. When they gave way to each other, they took four times as long. On an overlay, the report must name the disk. A job that can see no counters
# (its /sys is unmounted) judges by its own progress or by pressure: `nice` must not hold itself back, and `idle` must leave the disk to a reader. A job must
# also give way while the daemon, which samples for all jobs, runs, is stopped and is killed. Not tested here: by how many per cent a foreground is slower
# (`script/bench throttle foreground` measures that), and btrfs (unit/discnice reads its line of the table).
# Runs alone: it measures the effect of other programs that use the disk or the processors.
source "$(dirname "$0")/../support/discnice.bash"
need_root
need_built hddsim discnice-policyd
need losetup mkfs.ext4 python3
[[ -c /dev/fuse && -e /dev/loop-control ]] || skip 'no emulated disk here'
HDDSIM=$(program hddsim)
readonly HDDSIM NAME=foreground-$$
cd "$SCRATCH"
at_exit sh -c "[ ! -d /run/hddsim/$NAME ] || '$HDDSIM' down --force $NAME"
DISK=$("$HDDSIM" up "$NAME" --size 2G --scheduler none) || skip 'no emulated disk here'
NUMBER=$(findmnt -n -o MAJ:MIN "$DISK" | tr -d ' ')
for file in first second; do head -c 60000000 /dev/urandom >"$DISK/$file"; done
head -c 600000000 /dev/urandom >"$DISK/long"
sync -f "$DISK"

seconds_of() { # COMMAND...
  local begun
  begun=$(date +%s%N)
  "$@"
  calculate "($(date +%s%N) - $begun) / 1e9"
}

# shellcheck disable=SC2317 # by seconds_of
both() { # PREFIX...
  "$@" dd if="$DISK/first" of=/dev/null bs=64k status=none &
  "$@" dd if="$DISK/second" of=/dev/null bs=64k status=none &
  wait
}

one_users_jobs() {
  local plain ours
  make_cold "$DISK/first" "$DISK/second"
  plain=$(seconds_of both env)
  make_cold "$DISK/first" "$DISK/second"
  ours=$(seconds_of both "$DISCNICE" -q --policy nice --)
  printf 'two jobs of one user, nice: %s s; without us %s s\n' "$ours" "$plain"
  holds "$ours < 2 * $plain + 0.5" || complain "jobs of one user give way to each other: $ours s instead of $plain s"
}

# seen COMMAND...: prints the disk, and how its other users were seen, from the job's report.
seen() {
  "$DISCNICE" --policy nice --json --report report -- "$@" >/dev/null
  sed -n 's/.*"disk":"\([0-9:]*\)","others_seen_by":"\([a-z]*\)".*/\1 \2/p' report
}

disks_named() {
  make_cold "$DISK/first"
  [[ $(seen cat "$DISK/first") == "$NUMBER counters" ]] || complain "the report does not name $NUMBER: $(<report)"
  mkdir "$DISK/upper" "$DISK/work" lower merged
  mount -t overlay overlay -o "lowerdir=$PWD/lower,upperdir=$DISK/upper,workdir=$DISK/work" merged 2>/dev/null || {
    echo 'overlay: cannot be mounted here'
    return
  }
  at_exit umount merged
  head -c 1000000 /dev/urandom >merged/file
  sync -f merged
  make_cold "$DISK/upper/file"
  [[ $(seen cat merged/file) == "$NUMBER counters" ]] || complain "below the overlay lies $NUMBER: $(<report)"
  "$DISCNICE" explain -- cat merged/file | grep -q "the disk below, $NUMBER" || complain 'explain does not name the disk below the overlay'
}

blind() { unshare -m sh -c 'umount -R -l /sys; exec "$@"' sh "$@"; }

# moved_beside PREFIX...: prints how many million bytes a job reads in 1.5 s while a foreground reads all the time.
moved_beside() {
  local reader job before after
  make_cold "$DISK/long" "$DISK/first" "$DISK/second"
  dd if="$DISK/long" of=/dev/null bs=128k status=none &
  reader=$!
  sleep 0.3
  "$@" cat "$DISK/first" "$DISK/second" >/dev/null &
  job=$!
  sleep 0.5 # the job is loaded, and has had time to listen
  before=$(resident_pages "$DISK/first" "$DISK/second")
  sleep 1.5
  after=$(resident_pages "$DISK/first" "$DISK/second")
  kill "$reader" 2>/dev/null || echo 'the foreground was done too early' >&2
  wait "$job"
  wait "$reader" 2>/dev/null || true
  calculate "($after - $before) * 4096 / 1e6"
}

without_counters() {
  local plain ours free held try
  make_cold "$DISK/first"
  plain=$(seconds_of blind dd if="$DISK/first" of=/dev/null bs=64k status=none)
  make_cold "$DISK/first"
  ours=$(seconds_of blind "$DISCNICE" --policy nice --json --report report -- dd if="$DISK/first" of=/dev/null bs=64k status=none)
  printf 'without counters, nice: %s s; without us %s s\n' "$ours" "$plain"
  grep -q '"others_seen_by":"progress"' report || complain "without counters nice goes by its progress, and must say so: $(<report)"
  holds "$ours < 2 * $plain + 0.5" || complain "without counters nice holds the job back: $ours s instead of $plain s"
  free=$(moved_beside env)
  # In one of eight tries the job listens only at moments when the reader does not wait, and so notices the reader late.
  for try in 1 2 3; do
    held=$(moved_beside blind "$DISCNICE" -q --policy idle --)
    printf 'without counters, try %d: %s MB beside a reader\n' "$try" "$held"
    if holds "$held < 10"; then break; fi
  done
  printf 'without counters, beside a reader: %s MB in 1.5 s; without us %s MB\n' "$held" "$free"
  holds "$held < 10" || complain "a job that listens does not hear: $held MB beside a reader, $free without us"
}

# published: prints the time of the daemon's last sample of the disk, from the board; 0 means never. The words of the disk's entry are: number, three sums,
# wanted, sequence, sample.
published() {
  python3 - "$NUMBER" <<'TEXT'
import os, struct, sys
major, minor = map(int, sys.argv[1].split(":"))
wanted = os.makedev(major, minor) + 1
with open(f"/dev/shm/discnice-{os.geteuid()}.disks3", "rb") as file: board = file.read()
print(next((struct.unpack_from("<Q", board, at + 48)[0] for at in range(0, len(board), 128) if struct.unpack_from("<Q", board, at)[0] == wanted), 0))
TEXT
}

# Checks that the job gives way while the daemon is in this state.
gives_way() { # STATE
  local held
  held=$(moved_beside "$DISCNICE" -q --policy idle --)
  printf '%s: %s MB beside a reader in 1.5 s\n' "$1" "$held"
  holds "$held < 10" || complain "$1: the job does not give way: $held MB"
}

daemon_samples() {
  local daemon first second
  : >policyd.conf
  "$(program discnice-policyd)" --config policyd.conf &
  daemon=$!
  first=$(published)
  gives_way 'the daemon samples'
  second=$(published)
  ((second > first)) || complain 'the daemon samples nothing for a job that gives way'
  kill -STOP "$daemon"
  first=$(published)
  gives_way 'the daemon stopped'
  [[ $(published) == "$first" ]] || complain 'somebody else publishes samples'
  kill -CONT "$daemon"
  kill -KILL "$daemon"
  wait "$daemon" 2>/dev/null || true
  gives_way 'the daemon killed'
}

one_users_jobs
disks_named
without_counters
daemon_samples
conclude
