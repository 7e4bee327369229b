#!/bin/sh
# SPDX-License-Identifier: MIT
# mixes: checks that discnice verify predicts a random mix of reads on ext4, XFS and btrfs. The model works without corrections. The prediction is compared
# with the kernel's account.
#
# Each case is another mix, from a cold file. The read-ahead windows go from none to 8 MB. Then, on ext4, each way to ask the kernel for the cached pages is
# tried.
# Figures: the error of the sum over all cases, the share of cases with an error above a hundredth, and the bytes that the questions about the cache have read themselves.

WINDOWS_KB='0 128 512 8192'
if [ "$IS_SHORT" = true ]; then WINDOWS_KB=128 SEQUENCES=5; fi

# mixes NAME FILE SUM_BOUND CASES_BOUND OPTION...: runs SEQUENCES cases and prints their figures.
mixes() {
  name=$1 mixed=$2 sum_bound=$3 cases_bound=$4
  shift 4
  rm -f /tmp/report /tmp/record
  discnice verify --ledger=off --json --report /tmp/report --record /tmp/record "$@" -- read_mix "$mixed" "$SEED" "$SEQUENCES" >/dev/null 2>/tmp/said || sed "s|^|WRONG mixes/$name: |" /tmp/said
  probes=$(sed 's/.*"probe_bytes": *\([0-9]*\).*/\1/' /tmp/report)
  recorded_cases /tmp/record |
    awk -v name="mixes/$name" -v seed="$SEED" -v all="$SEQUENCES" -v probes="$probes" -v sum_bound="$sum_bound" -v cases_bound="$cases_bound" '{
      predicted += $1; kernel += $2
      if ($1 > 1.01 * $2 || $1 < 0.99 * $2) { if (++off <= 5) printf "OFF %s, seed %d: %d of %d bytes\n", name, seed + NR - 1, $1, $2 }
    }
    END {
      if (NR != all || kernel == 0) { printf "FOUND %s/sum - %s\n", name, sum_bound; exit }
      printf "FOUND %s/sum %.2f %s\n", name, 100 * (predicted / kernel - 1), sum_bound
      if (cases_bound != "") printf "FOUND %s/cases %.1f %s %%-of-cases\n", name, 100 * off / all, cases_bound
      else printf "FOUND %s/probes %.2f 1\n", name, 100 * probes / kernel
    }'
}

# Prints the file that sets the read-ahead window of the disk that is mounted in this folder.
window_of() {
  case $1 in
    data) echo /sys/block/vdb/queue/read_ahead_kb ;;
    xfs) echo /sys/block/vdc/queue/read_ahead_kb ;;
    btrfs) echo /sys/class/bdi/btrfs-*/read_ahead_kb ;;
  esac
}

for place in data xfs btrfs; do
  kind=$(sed -n "s|^[^ ]* /$place \([^ ]*\) .*|\1|p" /proc/mounts)
  if [ -z "$kind" ]; then
    echo "FOUND mixes/$place/sum - 1"
    continue
  fi
  mixed=/$place/mixed
  dd if=/dev/urandom of=$mixed bs=1M count=48 2>/dev/null
  sync
  window=$(window_of $place)
  before=$(cat "$window")
  for window_kb in $WINDOWS_KB; do
    echo "$window_kb" >"$window"
    mixes "$kind/${window_kb}KB" "$mixed" 1 3
  done
  echo 128 >"$window"
  if [ $place = data ] && [ "$IS_SHORT" = false ]; then
    mixes mincore "$mixed" 1.5 3 --backend mincore
    mixes nowait "$mixed" 5 '' --backend nowait
    mixes timed "$mixed" 5 '' --backend timed
  fi
  echo "$before" >"$window"
  rm -f "$mixed"
done
