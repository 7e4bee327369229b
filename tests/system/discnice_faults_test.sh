#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# discnice_faults_test: whatever happens to a job's members, its launcher or its segment, nothing hangs and no data differs.
#
# How: a job copies a cold file while something is killed, stopped, truncated or overwritten. Judged are the copy, the status and how long
# it took. What the dead had reserved is judged in unit/discnice. Left out: the daemon lost in the middle, a full /dev/shm (cli/discnice_bad_input),
# segments of another version or owner (unit/discnice), clocks that jump (unit/discnice: now is a parameter there).
source "$(dirname "$0")/../support/discnice.bash"
need python3
alone_in_shm "$0" "$@"
cd "$SCRATCH"
make_file ./source 8000000

# await SECONDS COMMAND...: until the command succeeds, or the time is over.
await() {
  local left=$(($1 * 50))
  shift
  while ((left-- > 0)) && ! "$@" 2>/dev/null; do sleep 0.02; done
}
is_gone() { ! kill -0 "$1" 2>/dev/null; }

seconds_since() { calculate "($(date +%s%N) - $1) / 1e9"; }

# start RATE COMMAND...: a job in the background; LAUNCHER and, once there, SEGMENT.
start() {
  local rate=$1 look
  shift
  "$DISCNICE" --rate "$rate" --json --report report -- "$@" 2>said &
  LAUNCHER=$!
  for ((look = 0; look < 200; ++look)); do
    SEGMENT=$(segments | tail -1)
    [[ -n $SEGMENT ]] && pgrep -P "$LAUNCHER" >/dev/null && break
    sleep 0.01
  done
}

copied() { # WHAT
  cmp source target || complain "$1: the copy differs"
  rm -f target
}

member_killed() {
  local begun
  make_cold source
  begun=$(date +%s%N)
  # The first is killed while it sleeps off its first window; the second must not wait for what that one had reserved.
  start 1MB sh -c 'cat source >/dev/null & first=$!; sleep 0.5; kill -9 $first; dd if=source of=/dev/null bs=64k count=16 skip=64 status=none'
  wait "$LAUNCHER" || true
  printf 'a member killed while it slept: the other took %s s for a megabyte and what is read ahead of it\n' "$(seconds_since "$begun")"
}

member_stopped() {
  local begun took victim
  make_cold source
  start 8MB sh -c 'dd if=source of=/dev/null bs=64k status=none & echo $! >victim; dd if=source of=target bs=64k status=none; wait'
  await 2 test -s victim
  victim=$(<victim)
  kill -STOP "$victim"
  begun=$(date +%s%N)
  await 4 cmp -s source target
  took=$(seconds_since "$begun")
  kill -CONT "$victim"
  wait "$LAUNCHER" || complain "a stopped member: status $?"
  printf 'a member stopped: the other was done after %s s\n' "$took"
  holds "$took < 3" || complain "a stopped member holds up the others: $took s"
  copied 'a stopped member'
}

launcher_killed() {
  local begun program
  make_cold source
  start 8MB cp source target
  program=$(pgrep -P "$LAUNCHER")
  begun=$(date +%s%N)
  kill -KILL "$LAUNCHER"
  wait "$LAUNCHER" 2>/dev/null || true
  await 5 is_gone "$program"
  printf 'the launcher killed: the copy went on under its limit and ended %s s later\n' "$(seconds_since "$begun")"
  holds "$(seconds_since "$begun") > 0.5" || complain 'the launcher killed: the limit went with it'
  copied 'the launcher killed'
  [[ -z $(segments) ]] || complain "the launcher killed: there is still $(segments)"
}

# truncated SIZE: the segment becomes that large while the job sleeps.
truncated() {
  local begun
  make_cold source
  start 2MB cp source target
  sleep 0.4
  begun=$(date +%s%N)
  truncate -s "$1" "/dev/shm/$SEGMENT"
  await 3 cmp -s source target
  printf 'the segment truncated to %s: done %s s later\n' "$1" "$(seconds_since "$begun")"
  holds "$(seconds_since "$begun") < 1.5" || complain "the segment truncated to $1: the copy hangs"
  copied "the segment truncated to $1"
  kill -KILL "$LAUNCHER" 2>/dev/null || true
  wait "$LAUNCHER" 2>/dev/null || true
  rm -f "/dev/shm/$SEGMENT"
}

# Every byte of what members share becomes wrong, one after the other, and stays so; the program goes on.
readonly CORRUPT='import mmap, sys, time
with open(sys.argv[1], "r+b") as file, mmap.mmap(file.fileno(), 0) as segment:
    for at in range(int(sys.argv[2]), int(sys.argv[3])):
        segment[at] ^= int(sys.argv[4])
        if at % 8 == 0: time.sleep(0.0005)'
corrupted() {
  local begun mask
  for mask in 255 1 128; do
    make_cold source
    start 8MB cp source target
    begun=$(date +%s%N)
    python3 -c "$CORRUPT" "/dev/shm/$SEGMENT" 0 8192 "$mask"
    await 4 cmp -s source target
    printf 'every byte of the segment changed by %3d: done %s s after that began\n' "$mask" "$(seconds_since "$begun")"
    holds "$(seconds_since "$begun") < 3.5" || complain "bytes changed by $mask: the copy hangs"
    copied "bytes changed by $mask"
    kill -KILL "$LAUNCHER" 2>/dev/null || true
    wait "$LAUNCHER" 2>/dev/null || true
    rm -f "/dev/shm/$SEGMENT"
  done
}

crowd() {
  local begun took
  begun=$(date +%s%N)
  # shellcheck disable=SC2016
  "$DISCNICE" -q --rate 100MB -- sh -c 'for i in $(seq 200); do (head -c 4000 source; sleep 0.3) & done | sha256sum; wait' >out
  took=$(seconds_since "$begun")
  [[ $(<out) == "$(for _ in {1..200}; do head -c 4000 source; done | sha256sum)" ]] || complain '200 members: what they read differs'
  printf '200 members at once: %s s\n' "$took"
}

fork_storm() {
  local status=0
  make_cold source
  timeout 60 "$DISCNICE" --rate 100MB --json --report report -- "$TOOLS/fork_storm" source 800 >out || status=$?
  ((status == 0)) || complain "fork storm: status $status"
  printf 'fork storm: 800 children of 8 threads, the slowest took %s ms; %s processes counted\n' "$(<out)" "$(field report processes)"
  holds "$(<out) < 1000" || complain "fork storm: a child took $(<out) ms"
}

strange_segment() {
  local name=discnice-$EUID-1-1
  head -c 100000 /dev/urandom >"/dev/shm/$name"
  chmod 600 "/dev/shm/$name"
  env "LD_PRELOAD=$LIBRARY" "DISCNICE_SEGMENT=$name" cp source target || complain "a strange segment: status $?"
  copied 'a strange segment'
  rm -f "/dev/shm/$name"
}

member_killed
member_stopped
launcher_killed
truncated 0
truncated 4096
corrupted
crowd
fork_storm
strange_segment
conclude
