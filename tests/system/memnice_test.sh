#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# memnice: a program that is idle while a job runs under memnice still has its memory afterwards. Without memnice the memory is gone.
#
# The test has a control group of 400 MiB and a swap file of its own. A program uses 160 MiB and is then idle. The job uses more than the rest of the memory, at
# random. The kernel's own figure tells how much of the first program lies in swap. Then memnice is killed: the job goes on without a limit. Left out: which
# processes wait for memory (the kernel tells this only for groups of version 2: tests/kernels/50_working_set.sh).
# Runs alone on a quiet host: for some time the whole host has swap.
# Slow: the job takes its time to fill the memory, three times.
source "$(dirname "$0")/../support/system.bash"
need_root
need mkswap swapon fallocate python3
need_built memnice
[[ -x $TOOLS/touches ]] || skip "the tests' tool touches was not built"
readonly MIB=$((1 << 20)) LIMIT_MIB=400 AWAY_MIB=160 JOB_MIB=300

if grep -qsw memory /sys/fs/cgroup/cgroup.controllers; then
  folder=/sys/fs/cgroup limit=memory.max
else
  folder=/sys/fs/cgroup/memory limit=memory.limit_in_bytes
fi
group=$folder/gray-test-$$
mkdir "$group" 2>/dev/null || skip "no memory control group can be made here"
at_exit rmdir "$group"
echo $((LIMIT_MIB * MIB)) >"$group/$limit" 2>/dev/null || skip "the memory controller is not for new groups here"
home=$group
if [[ $limit == memory.max ]]; then # a group with processes cannot hand on controllers
  echo +memory >"$group/cgroup.subtree_control"
  home=$group/home
  mkdir "$home"
  at_exit rmdir "$home"
fi
fallocate -l 512M "$SCRATCH/swap"
chmod 600 "$SCRATCH/swap"
mkswap -q "$SCRATCH/swap"
swapon "$SCRATCH/swap" 2>/dev/null || skip "no swap file can be used in $SCRATCH"
at_exit swapoff "$SCRATCH/swap"

inside() { # shellcheck disable=SC2016 # for the inner shell to expand
  exec sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$home" "$@"
}
ready() { until grep -qs ready "$1"; do sleep 0.1; done; }
field() { awk -v name="$2:" '$1 == name { print $2 }' "/proc/$1/status"; }
quietly_end() {
  kill -KILL "$@" 2>/dev/null || true
  for one in "$@"; do while [[ -e /proc/$one ]]; do sleep 0.05; done; done
}

# lost WAY...: prints how many KiB of the idle program lie in swap after the job has run that way. The job still runs, as $job.
lost() {
  rm -f "$SCRATCH"/ready.*
  inside "$TOOLS/touches" loop "$AWAY_MIB" 100 1 >"$SCRATCH/ready.away" &
  away=$!
  at_exit quietly_end "$away"
  ready "$SCRATCH/ready.away"
  inside "$@" "$TOOLS/touches" random "$JOB_MIB" 20000 >"$SCRATCH/ready.job" 2>"$SCRATCH/err" &
  job=$!
  at_exit quietly_end "$job"
  ready "$SCRATCH/ready.job"
  sleep 8
  swapped=$(field "$away" VmSwap)
}

lost
plain=$swapped
quietly_end "$job" "$away"
((plain > 20 * 1024)) || skip "this host takes only $plain KiB from the one who is away even without memnice: nothing can be shown"
lost "$BIN/memnice" --means group -v --
held=$swapped
echo "in swap of $AWAY_MIB MiB: plain $plain KiB, beside memnice $held KiB"
((held <= plain / 20)) || fail "beside memnice $held KiB of the one who is away are in swap, $plain without: $(cat "$SCRATCH/err")"

own=$(find "$group" -name "memnice-*" | head -1)
[[ -n $own ]] || fail "the job has no group of its own"

# Processes that outlive the job fork all the time: the group is removed nevertheless.
inside "$BIN/memnice" -q -- python3 -c '
import os, signal, sys, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
end = time.monotonic() + 3
for _ in range(4):
    if os.fork() != 0: continue
    while time.monotonic() < end:
        if os.fork() != 0: os._exit(0)
    os._exit(0)' &
forking=$!
wait "$forking" || fail "status $? from a job that forks"
[[ $(find "$group" -name "memnice-*") == "$own" ]] || fail "a job that forks leaves its group: $(find "$group" -name "memnice-*")"

# The job is stopped. The process that connects the job to memnice ends, and memnice is killed. The job must go on.
state() { awk '{ print $3 }' "/proc/$1/stat"; }
# shellcheck disable=SC2016 # for the inner shell to expand
inside "$BIN/memnice" -q --means pause --margin 350M -- sh -c 'sleep 1; sh -c "sleep 60 & echo \$!; wait" & wait' >"$SCRATCH/orphan" &
pausing=$!
at_exit quietly_end "$pausing"
until [[ -s $SCRATCH/orphan ]]; do sleep 0.1; done
orphan=$(cat "$SCRATCH/orphan")
at_exit quietly_end "$orphan"
for _ in {1..100}; do
  if [[ $(state "$orphan") == T ]]; then break; fi
  sleep 0.1
done
[[ $(state "$orphan") == T ]] || fail "it does not stand still: $(state "$orphan")"
kill -KILL "$(awk '{ print $4 }' "/proc/$orphan/stat")"
sleep 0.2
quietly_end "$pausing"
for _ in {1..40}; do
  if [[ $(state "$orphan") != T ]]; then break; fi
  sleep 0.05
done
[[ $(state "$orphan") == S ]] || fail "nobody lets it go on: $(state "$orphan")"
quietly_end "$orphan"

# memnice is killed: the job has no limit any more, and no memory is reserved for it.
command=$(pgrep -P "$job" -x touches)
at_exit quietly_end "$command"
quietly_end "$job"
for _ in {1..100}; do
  if [[ ! -d $own ]]; then break; fi
  sleep 0.05
done
[[ ! -d $own ]] || fail "after kill -9 the job's group is still there, with the limit $(cat "$own/$limit")"
[[ -d /proc/$command ]] || fail "after kill -9 the job is dead"
quietly_end "$command" "$away"
