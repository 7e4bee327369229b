#!/bin/sh
# SPDX-License-Identifier: MIT
# memory: checks that gb_alloc grants the memory that is available under version 2 of control groups, and that no process is killed. It runs with and without
# swap, and with MGLRU on and off.
#
# The group has 256 MiB. One process asks alone, and asks again while a competitor holds a part of the group's memory and walks through it. Its grant is
# compared with the bytes that the group's limit leaves, less the margin. Then rounds of processes ask at once. The kernel's own count of kills must stay 0.
# shellcheck source=tests/kernels/group.sh
. /tests/group.sh
LIMIT_MIB=256
ROUNDS=70 SHARES="0 40 80"
if [ "$IS_SHORT" = true ]; then ROUNDS=8 SHARES="0 40"; fi
make_swap 256

# The bytes that the limit leaves, with file cache counted as gb_alloc counts it, less the margin.
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
    continue # this kernel has only one of the two
  fi
  for swap in with without; do
    # A short run sees each value of both settings once.
    case $IS_SHORT$mglru$swap in trueywithout | truenwith) continue ;; esac
    begin_group $((LIMIT_MIB * MIB)) $swap
    margin=$((LIMIT_MIB * MIB / 32))
    if [ $swap = without ]; then margin=$((2 * margin)); fi
    name=${swap}_swap$([ $mglru = y ] && echo _mglru)
    accuracy "$name" $margin
    (inside admission rounds $ROUNDS $((4 * MIB)) $((1 << 40))) >said || sed 's/^/WRONG /' said
    echo "ROUNDS $name $(cat said)"
    echo "FOUND memory/$name/kills $(of_group memory.events oom_kill) 0 kills"
    end_group $swap
  done
done
rm -f $swap_file
