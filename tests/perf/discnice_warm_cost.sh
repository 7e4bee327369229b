#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# discnice_warm_cost: what a run on warm files costs under discnice: the goal is at most 5 % more than without.
#
#   [ONLY=LOAD] tests/perf/discnice_warm_cost.sh [PAIRS]     PAIRS of runs, 15 unless told; build/release must be built
#
# A benchmark and no test: it wants a quiet machine and is not in ctest. Each pair runs plain and throttled right after one
# another, first one then the other way round, on files verified to be in memory. Printed: the median of the pairs' ratios
# and the spread (the quartiles) for each load. The command's own start is part of the time, so the loads last long enough.
source "$(dirname "$0")/../support/discnice.bash"
need rsync tar
readonly PAIRS=${1:-15}
((PAIRS >= 7)) || fail "fewer than 7 pairs say nothing"
cd "$SCRATCH"

mkdir -p tree
make_file ./large 400000000
for i in {1..300}; do make_file "tree/$i" 300000; done
sync -f .

now_ns() { date +%s%N; }
timed() { # WAY COMMAND: prints nanoseconds
  local before=() start
  [[ $1 == throttled ]] && before=("$DISCNICE" -q --rate 100G --)
  [[ $1 == bare ]] && before=(env "LD_PRELOAD=$LIBRARY" DISCNICE_RATE=100G)
  rm -rf /dev/shm/gray-warm-cost
  start=$(now_ns)
  "${before[@]}" sh -c "$2"
  echo $(($(now_ns) - start))
}

load() { # NAME COMMAND
  local way pair plain other
  [[ ${ONLY:-$1} == "$1" ]] || return 0
  make_warm large tree/*
  for way in throttled bare; do
    for ((pair = 0; pair < PAIRS; ++pair)); do
      if ((pair % 2 == 0)); then
        plain=$(timed plain "$2") && other=$(timed "$way" "$2")
      else
        other=$(timed "$way" "$2") && plain=$(timed plain "$2")
      fi
      calculate "$other / $plain"
      echo
    done | sort -n | awk -v name="$1" -v way="$way" '{ ratio[NR] = $1 }
      END { printf "%-28s %-10s ratio %.3f (quartiles %.3f to %.3f, %d pairs)\n", name, way, ratio[int((NR + 1) / 2)],
            ratio[int((NR + 3) / 4)], ratio[int((3 * NR + 1) / 4)], NR }'
  done
  (($(resident_pages large tree/*) == $(pages_of large tree/*))) || echo "  (pages were lost from memory on the way: run again)"
}

at_exit rm -rf /dev/shm/gray-warm-cost
load 'cat, 128 KiB reads' 'cat large large large large large large large large large large >/dev/null'
load 'dd, 4 KiB reads' 'for i in 1 2 3 4; do dd if=large of=/dev/null bs=4k status=none; done'
load 'tar of 300 files' 'tar cf - tree | cat >/dev/null'
load 'sha256sum' 'sha256sum large >/dev/null'
load 'rsync into memory' 'rsync -a tree/ /dev/shm/gray-warm-cost/'
load 'a hundred starts of true' 'for i in 1 2 3 4 5 6 7 8 9 10; do for k in 1 2 3 4 5 6 7 8 9 10; do /bin/true; done; done'
