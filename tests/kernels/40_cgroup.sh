#!/bin/sh
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2086 # HELD is several words
# cgroup: checks that discnice --engine cgroup holds a job to its rate under version 2 of control groups, and that the group is gone afterwards.
#
# All of it uses the data disk. Cases: reads, compared with the same limit set by hand; reads and writes at once, by the sum of the disk's own counters; writes that reach the
# disk after their program has ended; cached data; a limit that is changed meanwhile; a killed launcher.
tree=/sys/fs/cgroup
mount -t cgroup2 cgroup2 $tree 2>/dev/null
if ! grep -qw io $tree/cgroup.controllers 2>/dev/null; then
  echo 'LEFT OUT cgroup: this kernel has no io controller of version 2'
  exit 0
fi
RATE=4000000 MIB=1048576 SECONDS_LONG=10
if [ "$IS_SHORT" = true ]; then SECONDS_LONG=2; fi
disk=$(cat /sys/block/vdb/dev)
dd if=/dev/urandom of=/data/big bs=1M count=$((RATE * (SECONDS_LONG + 8) / MIB)) 2>/dev/null
dd if=/dev/urandom of=/data/small bs=1M count=16 2>/dev/null
sync
make_cold() { echo 3 >/proc/sys/vm/drop_caches; }
now_ms() { awk '{ printf "%d\n", $1 * 1000 }' /proc/uptime; }
sectors() { awk '{ print $3 + $7 }' /sys/block/vdb/stat; }
count_groups() {
  set -- $tree/discnice-*
  if [ -d "$1" ]; then echo $#; else echo 0; fi
}
HELD="discnice -q --engine cgroup --rate $RATE --" # several words, so that the process in the background is discnice itself
found() { echo "FOUND cgroup/$1 $2 $3 ${4:-%}"; }
percent() { echo "$1 $2" | awk '{ printf "%.1f\n", 100 * ($1 / $2 - 1) }'; }

# speed COMMAND...: measures the bytes a second of the disk in the middle of the command's run, and then ends the command. The command must run long enough.
speed() {
  "$@" &
  running=$!
  sleep 1
  from_ms=$(now_ms) from=$(sectors)
  sleep "$SECONDS_LONG"
  till_ms=$(now_ms) till=$(sectors)
  kill $running
  wait $running 2>/dev/null
  echo $(((till - from) * 512 * 1000 / (till_ms - from_ms))) >/tmp/speed
}

make_cold
speed $HELD dd if=/data/big of=/dev/null bs=64k 2>/dev/null
ours=$(cat /tmp/speed)
found rate_of_reads "$(percent "$ours" $RATE)" 2
found groups_after_a_run "$(count_groups)" 0 groups
echo '+io +memory' >$tree/cgroup.subtree_control
mkdir $tree/by_hand
echo "$disk rbps=$RATE" >$tree/by_hand/io.max
make_cold
speed sh -c 'echo $$ >/sys/fs/cgroup/by_hand/cgroup.procs && exec dd if=/data/big of=/dev/null bs=64k 2>/dev/null'
found beside_by_hand "$(percent "$ours" "$(cat /tmp/speed)")" 1
sleep 0.2
rmdir $tree/by_hand

# Half of the traffic is reads and half is writes.
make_cold
speed $HELD dd if=/data/big of=/data/copy bs=64k oflag=direct 2>/dev/null
found rate_of_copy "$(percent "$(cat /tmp/speed)" $RATE)" 2
rm -f /data/copy
make_cold
$HELD sh -c 'dd if=/data/big of=/dev/null bs=64k 2>/dev/null & dd if=/dev/zero of=/data/copy bs=64k count=200 oflag=direct 2>/dev/null; wait' &
running=$!
sleep 1
from_ms=$(now_ms) from=$(sectors)
sleep $((SECONDS_LONG / 2))
discnice set $running --rate $((2 * RATE)) 2>/tmp/said || sed 's/^/WRONG cgroup: set: /' /tmp/said
found rate_of_two "$(percent $((($(sectors) - from) * 512 * 1000 / ($(now_ms) - from_ms))) $RATE)" 5
sleep 1
from_ms=$(now_ms) from=$(sectors)
sleep $((SECONDS_LONG / 2))
found rate_set "$(percent $((($(sectors) - from) * 512 * 1000 / ($(now_ms) - from_ms))) $((2 * RATE)))" 5
kill $running
wait $running 2>/dev/null
killall -9 dd 2>/dev/null # the commands that the killed shell has begun go on without it
rm -f /data/copy
sync

# The written data reaches the disk after the program has ended, at the rate.
$HELD dd if=/dev/zero of=/data/copy bs=1M count=16 2>/dev/null
from_ms=$(now_ms) from=$(sectors)
sync
found rate_after_the_end "$(percent $((($(sectors) - from) * 512 * 1000 / ($(now_ms) - from_ms + 1))) $RATE)" 10
sleep 1
found left_groups "$(count_groups)" 0 groups
rm -f /data/copy

cat /data/small >/dev/null
at_ms=$(now_ms)
$HELD dd if=/data/small of=/dev/null bs=64k 2>/dev/null
found cached_ms $(($(now_ms) - at_ms)) 2000 ms

# No process stays held when the launcher is killed.
make_cold
discnice -q --engine cgroup --rate 1MB -- dd if=/data/small of=/dev/null bs=64k 2>/dev/null &
killed=$!
sleep 2
kill -9 $killed
at_ms=$(now_ms)
while grep -q 'bps=[0-9]' $tree/discnice-*/io.max 2>/dev/null && [ $(($(now_ms) - at_ms)) -lt 20000 ]; do sleep 0.05; done
found killed_free_ms $(($(now_ms) - at_ms)) 1000 ms
while grep -q . $tree/discnice-*/cgroup.procs 2>/dev/null && [ $(($(now_ms) - at_ms)) -lt 20000 ]; do sleep 0.05; done
sleep 1
found killed_groups "$(count_groups)" 0 groups
rm -f /data/big /data/small
