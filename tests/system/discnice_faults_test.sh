#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# discnice_faults_test: when a job's members, its launcher or its segment are killed, stopped or damaged, nothing hangs and
# no data is wrong.
#
# How: a job copies an uncached file while something is killed, stopped, truncated or overwritten. The test checks the copy, the status and the time. It checks
# that the reservations of dead members are available again, and that a shared rate is divided when the daemon is stopped, killed or started again. Readers that
# are measured bypass the cache, because a reader with a large read-ahead moves nothing or megabytes at a time. Left out: a /dev/shm that is full from the start
# (cli/discnice_bad_input), segments of another version or owner (unit/discnice), clocks that jump (unit/discnice: now is a parameter there).
source "$(dirname "$0")/../support/discnice.bash"
need python3
need_built discnice-policyd
cd "$SCRATCH"
make_file ./source 8000000

# await SECONDS COMMAND...: waits until the command succeeds, or the time is over.
await() {
  local left=$(($1 * 50))
  shift
  while ((left-- > 0)) && ! "$@" 2>/dev/null; do sleep 0.02; done
}
is_gone() { ! kill -0 "$1" 2>/dev/null; }

seconds_since() { calculate "($(date +%s%N) - $1) / 1e9"; }

# start RATE COMMAND...: starts a job in the background; its number is in LAUNCHER and, once it exists, its segment in SEGMENT.
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
  # The first member is killed while it waits for eight seconds' worth of bytes. The second member must not wait for that reservation.
  start 1MB sh -c 'dd if=source of=/dev/null bs=8M iflag=direct status=none & first=$!; sleep 0.5; kill -9 $first; wait $first
    sleep 0.3; dd if=source of=/dev/null bs=64k count=8 iflag=direct status=none'
  wait "$LAUNCHER" || complain "a killed member: status $?"
  printf 'a member killed while it slept off eight seconds: with it, the other took %s s for half a megabyte at 1 MB/s\n' "$(seconds_since "$begun")"
  holds "$(seconds_since "$begun") < 3" || complain 'what the dead had reserved is not there again'
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

# truncated SIZE: the segment gets that size while the job sleeps.
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
  wait "$LAUNCHER" || complain "the segment truncated to $1: the launcher ended with status $?"
  grep -q "damaged the job's account.*without a limit" said || complain "the segment truncated to $1: not told: $(<said)"
  [[ ! -e /dev/shm/$SEGMENT ]] || complain "the segment truncated to $1: it is still there"
}

# Truncates the ring of a recording, which lies behind the segment in the same file.
recorded_segments() { find /dev/shm -maxdepth 1 -name 'discnice-*' -size +16M; }
ring_truncated() {
  local begun
  make_cold source
  "$DISCNICE" -q --rate 16MB --record recorded -- cp source target 2>said &
  LAUNCHER=$!
  await 2 eval '[[ -n $(recorded_segments) ]]'
  sleep 0.4
  begun=$(date +%s%N)
  truncate -s -16M "$(recorded_segments)"
  wait "$LAUNCHER" || complain "the ring truncated: status $?: $(<said)"
  printf 'the ring truncated: done %s s later\n' "$(seconds_since "$begun")"
  holds "$(seconds_since "$begun") < 2.5" || complain 'the ring truncated: the copy hangs'
  copied 'the ring truncated'
}

# Every byte of the shared memory is damaged, one after the other, and stays damaged. The program goes on.
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

read_so_far() { # JOB
  "$DISCNICE" report "$1" --json >so-far
  field so-far file_read_bytes
}

# divided WHAT LOW HIGH: the bytes a second of both sharing jobs together must be between LOW and HIGH. The heavier job has twice the lighter one's weight.
divided() {
  local before after begun elapsed light heavy
  before=("$(read_so_far "$LIGHT")" "$(read_so_far "$HEAVY")")
  begun=$(date +%s%N)
  sleep 2
  after=("$(read_so_far "$LIGHT")" "$(read_so_far "$HEAVY")")
  elapsed=$(seconds_since "$begun")
  light=$(calculate "(${after[0]} - ${before[0]}) / $elapsed / 1e6")
  heavy=$(calculate "(${after[1]} - ${before[1]}) / $elapsed / 1e6")
  printf '%-48s %5.2f + %5.2f = %5.2f MB/s\n' "$1" "$light" "$heavy" "$(calculate "$light + $heavy")"
  holds "$light + $heavy > $2 && $light + $heavy < $3" || complain "$1: together $(calculate "$light + $heavy") MB/s"
  holds "$heavy > 1.3 * $light && $heavy < 3 * $light" || complain "$1: $heavy to $light is not two to one"
}

start_daemon() {
  "$(program discnice-policyd)" --config policyd.conf 2>>daemon-said &
  DAEMON=$!
}

# The daemon divides another total than the jobs' own, so the rates show whose division is in force.
daemon_lost() {
  make_file ./light 60000000
  make_file ./heavy 120000000
  make_cold light heavy
  printf 'total = 4MB\n' >policyd.conf
  start_daemon
  "$DISCNICE" -q --policy share --rate 9MB -- dd if=light of=/dev/null bs=64k iflag=direct status=none &
  LIGHT=$!
  "$DISCNICE" -q --policy share --rate 9MB --weight 2 -- dd if=heavy of=/dev/null bs=64k iflag=direct status=none &
  HEAVY=$!
  sleep 1
  divided 'the daemon divides 4 MB/s' 3 5
  printf 'total = much\n' >policyd.conf
  kill -HUP "$DAEMON"
  sleep 0.3
  [[ $(grep -c 'policyd.conf:1: \|stays' daemon-said) -eq 2 ]] || complain "a bad configuration is not told: $(<daemon-said)"
  printf 'total = 4MB\n' >policyd.conf
  kill -STOP "$DAEMON"
  sleep 1
  divided 'the daemon stopped: the launchers divide 9 MB/s' 6.7 11.3
  kill -CONT "$DAEMON"
  sleep 0.5
  divided 'the daemon goes on: 4 MB/s' 3 5
  kill -KILL "$DAEMON"
  wait "$DAEMON" 2>/dev/null || true
  sleep 1
  divided 'the daemon killed: 9 MB/s' 6.7 11.3
  start_daemon
  sleep 0.5
  divided 'another daemon: 4 MB/s' 3 5
  kill "$DAEMON"
  wait "$DAEMON" || complain "the daemon ended with status $?"
  "$DISCNICE" set "$LIGHT" --policy unlimited && "$DISCNICE" set "$HEAVY" --policy unlimited
  wait "$LIGHT" "$HEAVY" || complain 'the sharing jobs did not end well'
}

# The job has its first page. Then /dev/shm is full when more processes than fit on that page want a slot and the first one writes a table.
full_later() {
  local status=0 i
  if ((EUID != 0)) || ! unshare -m true 2>/dev/null; then
    echo 'not shown: a /dev/shm that is full later (needs the right to unshare mounts)'
    return
  fi
  timeout 300 unshare -m --propagation slave sh -c 'mount -t tmpfs -o size=4k tmpfs /dev/shm && exec "$@"' sh \
    "$DISCNICE" --rate 100G --json --report report -- sh -c 'for i in 1 2 3 4 5 6; do
      { dd if=source of=full$i bs=64k status=none && sleep 0.3; } & done; wait; rm full1' 2>said || status=$?
  ((status == 0)) || complain "/dev/shm full later: status $status"
  [[ ! -s said ]] || complain "/dev/shm full later: $(<said)"
  for i in 2 3 4 5 6; do cmp source "full$i" || complain "/dev/shm full later: copy $i differs"; done
  (($(field report file_read_bytes) >= 6 * 8000000 && $(field report file_write_bytes) >= 6 * 8000000)) ||
    complain "/dev/shm full later: not all was counted: $(<report)"
  rm -f full?
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
  timeout 300 "$DISCNICE" --rate 100MB --json --report report -- "$TOOLS/fork_storm" source 800 >out || status=$?
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
ring_truncated
corrupted
full_later
crowd
fork_storm
daemon_lost
strange_segment
conclude
