#!/bin/sh
# SPDX-License-Identifier: MIT
# working_set: checks that gb-wss reports the true working set of known patterns, and that other processes keep their memory while a job runs under memnice,
# under version 2 of control groups.
#
# The true working set of each pattern is computed. Then, in a group of 256 MiB with swap, an idle process holds 96 MiB, and a job touches at random more memory than the group
# has left. The kernel tells how much of the idle process lies in swap, without memnice and with it. Then a new process needs memory while the job is held, and
# the job must give memory up. Then memnice is killed.
tree=/sys/fs/cgroup MIB=1048576
SPAN_S=5 LOST_S=12 NEWCOMER_S=8
if [ "$IS_SHORT" = true ]; then SPAN_S=2 LOST_S=6 NEWCOMER_S=5; fi
mount -t cgroup2 cgroup2 $tree 2>/dev/null
found() { echo "FOUND working_set/$1 $2 $3 ${4:-%}"; }

begin() { # FILE PATTERN...
  file=$1
  shift
  rm -f "$file"
  touches "$@" >"$file" &
  running=$!
  until grep -qs ready "$file"; do sleep 0.1; done
}
# The curve only grows, so the largest figure is its end.
touched() { sed -n 's/.*"touched_bytes": \([0-9]*\).*/\1/p' "$1" | sort -n | tail -n 1; }

# check NAME MIB PATTERN...: compares the bytes touched within SPAN_S with the true bytes; the program itself may take 3 MiB.
check() {
  name=$1 true_mib=$2
  shift 2
  begin ready "$@"
  gb-wss --anyway --json --span ${SPAN_S}s --looks 4 $running >seen 2>said || sed 's/^/WRONG /' said
  echo "$name $(touched seen) $((true_mib * MIB))" |
    awk '{ off = $2 > $3 ? ($2 - 3145728 > $3 ? $2 - 3145728 - $3 : 0) : $2 - $3; printf "FOUND working_set/%s %.1f 10\n", $1, 100 * off / $3 }'
  kill -9 $running
}
check loop 48 loop 128 8000 48
check sparse 24 sparse 128 8000 96

if ! grep -qw memory $tree/cgroup.controllers 2>/dev/null; then
  echo 'LEFT OUT memnice: this kernel has no memory controller of version 2'
  exit 0
fi
echo +memory >$tree/cgroup.subtree_control
group=$tree/gray
mkdir -p $group
echo +memory >$group/cgroup.subtree_control
mkdir -p $group/home
echo $((256 * MIB)) >$group/memory.max
dd if=/dev/zero of=/data/swap bs=1M count=256 2>/dev/null
busybox mkswap /data/swap >/dev/null
busybox swapon /data/swap
inside() { exec sh -c 'echo $$ >/sys/fs/cgroup/gray/home/cgroup.procs && exec "$@"' sh "$@"; }
in_swap() { awk '$1 == "VmSwap:" { print $2 }' "/proc/$1/status"; }

# lost WAY...: sets `swapped` to the KiB in swap of the idle process after the job has run in this way for LOST_S seconds.
lost() {
  rm -f ready.away ready.job
  inside touches loop 96 100 1 >ready.away &
  away=$!
  until grep -qs ready ready.away; do sleep 0.1; done
  inside "$@" touches random 200 8000 >ready.job 2>said.job &
  job=$!
  until grep -qs ready ready.job; do sleep 0.1; done
  sleep $LOST_S
  swapped=$(in_swap $away)
}
plain=
if [ "$IS_SHORT" = false ]; then
  lost
  plain=$swapped
  kill -9 $job $away
  sleep 1
fi
lost memnice --means group -v --
echo "IN SWAP plain ${plain:--} KiB, beside memnice $swapped KiB"
echo "$swapped" | awk '{ printf "FOUND working_set/away_in_swap %.1f 2 %%\n", 100 * $1 / (96 * 1024) }'
if [ -n "$plain" ]; then found plain_takes_too_little "$((plain < 10240))" 0 "yes"; fi

# A new process needs 64 MiB: the job must give this memory up, and the new process must have nothing in swap.
rm -f ready.new
inside touches loop 64 2000 >ready.new &
new=$!
until grep -qs ready ready.new; do sleep 0.1; done
sleep $NEWCOMER_S
echo "NEWCOMER has $(in_swap $new) KiB in swap, the one who is away $(in_swap $away)"
echo "$(in_swap $new) $(in_swap $away)" | awk '{ printf "FOUND working_set/newcomer_in_swap %.1f 10 %%\n", 100 * ($1 + $2) / (160 * 1024) }'

# memnice is killed: the job must go on, and its group must be removed.
kill -9 $job
sleep 2
set -- $tree/gray/memnice-*
found groups_left "$(if [ -d "$1" ]; then echo $#; else echo 0; fi)" 0 groups
found jobs_stopped "$(for file in /proc/[0-9]*/stat; do cat "$file" 2>/dev/null; done | grep -c ') T ')" 0 processes
killall -9 touches
sleep 1
busybox swapoff /data/swap
rm -f /data/swap
rmdir $group/home $group
