#!/bin/sh
# SPDX-License-Identifier: MIT
# heaps: runs a Java program under heapnice while the limit of its group moves, and compares it with fixed heaps by its time, its paging and the processes killed.
#
# This script does the same as bench/heapnice, with version 2 of control groups: the limit falls to half in steps, stays, and rises again, with swap. A fixed heap does the same
# work in about a minute. Left out in a short run, and where the image was made without a JDK.
if [ "$IS_SHORT" = true ]; then
  echo 'LEFT OUT heaps: a short run'
  exit 0
fi
PATH=$PATH:/opt/java/bin
if ! [ -x /opt/java/bin/java ]; then
  echo 'LEFT OUT heaps: no Java in this image'
  exit 0
fi
# shellcheck source=tests/kernels/group.sh
. /tests/group.sh
HIGH_MIB=340 LOW_MIB=170 STEP_MIB=10 STEP_S=0.25 PHASE_S=15
LIVE_MIB=80 WORK_S=60 RUN_MAX_S=300
FIXED="150 200 316" # MiB; the last one fits in the higher limit
now_ms() { awk '{ printf "%d\n", $1 * 1000 }' /proc/uptime; }
churn() { echo "java -XX:+UseSerialGC $1 -cp /opt/java Churn $LIVE_MIB $2"; } # HEAP ROUNDS

move_limit() {
  sleep $PHASE_S
  limit=$HIGH_MIB
  while [ $limit -gt $LOW_MIB ]; do
    limit=$((limit - STEP_MIB))
    echo $((limit * MIB)) >$group/memory.max
    sleep $STEP_S
  done
  sleep $PHASE_S
  echo $((HIGH_MIB * MIB)) >$group/memory.max
}

# run WAY COMMAND...: writes one line to the file "ran": the way, seconds, major faults, kills. The seconds are "-" if the command failed.
run() {
  way=$1
  shift
  begin_group $((HIGH_MIB * MIB)) with
  move_limit 2>/dev/null &
  moving=$!
  start=$(now_ms)
  if (inside timeout $RUN_MAX_S "$@") >said 2>told; then took_ms=$(($(now_ms) - start)); else took_ms=-; fi
  kill $moving 2>/dev/null
  wait $moving 2>/dev/null
  echo "$way $took_ms $(of_group memory.stat pgmajfault) $(of_group memory.events oom_kill)" >>ran
  tail -n 1 ran | sed 's/^/HEAP /'
  sed 's/^/TOLD /' told | tail -n 3
  end_group with
}

make_swap 256
# shellcheck disable=SC2046 # words of a command
rounds=$($(churn -Xmx200m 1000000000) 10 | awk -v seconds=$WORK_S '{ printf "%d\n", $1 * seconds * 1000 / $2 }')
echo "HEAP rounds $rounds"
rm -f ran
# shellcheck disable=SC2046
run heapnice heapnice -- $(churn '' "$rounds")
# shellcheck disable=SC2046
for size in $FIXED; do run "$size" $(churn "-Xms${size}m -Xmx${size}m" "$rounds"); done
awk 'NR == 1 { time = $2; faults = $3; kills = $4; next }
  { if ($2 != "-" && (best == "" || $2 + 0 < best)) best = $2 + 0; last = $3 }
  END {
    ratio = time == "-" || best == "" ? "-" : sprintf("%.3f", time / best)
    share = last > 0 ? sprintf("%.1f", 100 * faults / last) : faults > 0 ? "-" : 0
    printf "FOUND heaps/time %s 1.0 x\nFOUND heaps/faults %s 10 %%\nFOUND heaps/kills %d 0 kills\n", ratio, share, kills
  }' ran
rm -f $swap_file ran said told
