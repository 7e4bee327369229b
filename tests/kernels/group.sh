#!/bin/sh
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2034 # used by the scripts that source this
# group: a control group of version 2 with a limit of memory, and swap. Scripts source it. It ends the script where this kernel has no such groups.
MIB=1048576
tree=/sys/fs/cgroup
group=$tree/gray
swap_file=/data/swap
mount -t cgroup2 cgroup2 $tree 2>/dev/null
if ! grep -qw memory $tree/cgroup.controllers 2>/dev/null; then
  echo "LEFT OUT $0: this kernel has no memory controller of version 2"
  exit 0
fi
echo +memory >$tree/cgroup.subtree_control

make_swap() { # MIB
  dd if=/dev/zero of=$swap_file bs=1M count="$1" 2>/dev/null
  busybox mkswap $swap_file >/dev/null
}

# Makes the group with that limit, "with" or "without" swap.
begin_group() { # LIMIT_BYTES SWAP
  mkdir $group
  echo "$1" >$group/memory.max
  if [ "$2" = with ]; then
    busybox swapon $swap_file
  else
    echo 0 >$group/memory.swap.max
  fi
}
# Removes the group when all its processes have ended.
end_group() { # SWAP
  if [ "$1" = with ]; then busybox swapoff $swap_file; fi
  sleep 1
  rmdir $group
}

# The command replaces the shell, so killing the job kills the command.
inside() { exec sh -c 'echo $$ >/sys/fs/cgroup/gray/cgroup.procs && exec "$@"' sh "$@"; }
of_group() { sed -n "s/^$2 //p" "$group/$1"; } # FILE NAME
