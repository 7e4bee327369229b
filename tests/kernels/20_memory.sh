#!/bin/sh
# SPDX-License-Identifier: MIT
# memory: does gb_alloc grant what is there under version 2 of control groups, and is nobody killed? With swap and without, MGLRU on and off.
#
# In a group of 256 MiB. Alone, and beside a competitor that holds and walks a part of it: what is granted, against what the group's limit leaves less the margin. Then rounds of
# processes that ask at once. The kernel's own count of kills is the judge.
MIB=1048576 LIMIT_MIB=256
ROUNDS=70 SHARES="0 40 80"
if [ "$IS_SHORT" = true ]; then ROUNDS=8 SHARES="0 40"; fi
group=/sys/fs/cgroup/gray
mount -t cgroup2 cgroup2 /sys/fs/cgroup 2>/dev/null
if ! grep -qw memory /sys/fs/cgroup/cgroup.controllers 2>/dev/null; then
  echo 'LEFT OUT memory: this kernel has no memory controller of version 2'
  exit 0
fi
echo +memory >/sys/fs/cgroup/cgroup.subtree_control
dd if=/dev/zero of=/data/swap bs=1M count=256 2>/dev/null
busybox mkswap /data/swap >/dev/null

# Takes the shell's place, so that killing the job kills what it became.
inside() { exec sh -c 'echo $$ >/sys/fs/cgroup/gray/cgroup.procs && exec "$@"' sh "$@"; }
of_group() { sed -n "s/^$2 //p" "$group/$1"; } # FILE NAME

# What the limit leaves, file cache counted as gb_alloc counts it, less the margin.
due() { # MARGIN_BYTES
  echo $((LIMIT_MIB * MIB - $(cat $group/memory.current) + $(of_group memory.stat inactive_file) + $(of_group memory.stat active_file) / 2 - $1))
}

accuracy() { # NAME MARGIN_BYTES
  for share in $SHARES; do
    holder=
    if [ "$share" != 0 ]; then
      inside admission hold $((LIMIT_MIB * share / 100)) >held &
      holder=$!
      until grep -q held held 2>/dev/null; do sleep 0.2; done
    fi
    expected=$(due "$2")
    got=$(inside admission alloc 4096 $((1 << 40)) 4096 0 </dev/null | cut -d ' ' -f 2)
    echo "$1/beside_$share ${got:-0} $expected" | awk '{ printf "FOUND memory/%s %.1f 5\n", $1, 100 * ($2 - $3) / $3 }'
    if [ -n "$holder" ]; then kill -9 $holder; wait $holder 2>/dev/null; fi
    rm -f held
  done
}

for mglru in y n; do
  if [ -e /sys/kernel/mm/lru_gen/enabled ]; then
    echo $mglru >/sys/kernel/mm/lru_gen/enabled
  elif [ $mglru = y ]; then
    continue # this kernel has only the one
  fi
  for swap in with without; do
    mkdir $group
    echo $((LIMIT_MIB * MIB)) >$group/memory.max
    margin=$((LIMIT_MIB * MIB / 32))
    if [ $swap = with ]; then
      busybox swapon /data/swap
    else
      echo 0 >$group/memory.swap.max
      margin=$((2 * margin))
    fi
    name=${swap}_swap$([ $mglru = y ] && echo _mglru)
    accuracy "$name" $margin
    (inside admission rounds $ROUNDS $((4 * MIB)) $((1 << 40))) >said || sed 's/^/WRONG /' said
    echo "ROUNDS $name $(cat said)"
    echo "FOUND memory/$name/kills $(of_group memory.events oom_kill) 0 kills"
    if [ $swap = with ]; then busybox swapoff /data/swap; fi
    sleep 1
    rmdir $group
  done
done
rm -f /data/swap
