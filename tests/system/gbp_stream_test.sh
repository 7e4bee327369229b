#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# gbp_stream: `gbp -mem -out FILE` of a file that is not cached moves the head of the disk in one direction.
#
# How: on an emulated disk, whose trace tells where each request went, a cold file is streamed. What was asked for ahead has to be all that is
# read: a request the kernel cut short shows as a step back, once for each that was asked for. A file's bytes come out whole and once. Leaves
# out how long it takes (script/bench gbp).
source "$(dirname "$0")/../support/system.bash"
need_root
need_built hddsim
need losetup mkfs.ext4 python3
[[ -c /dev/fuse ]] || skip "there is no /dev/fuse"
[[ -e /dev/loop-control ]] || skip "there are no loop devices"
readonly FILE_MB=96 STEPS_BACK_MAX=8
HDDSIM=$(program hddsim)
readonly HDDSIM NAME=stream-$$
at_exit sh -c "[ ! -d /run/hddsim/$NAME ] || '$HDDSIM' down --force $NAME"
DISK=$("$HDDSIM" up "$NAME" --profile hdd7200 --size 1G --read-ahead 128K --trace "$SCRATCH/trace.csv")
head -c "${FILE_MB}M" /dev/urandom >"$DISK/file"
sum=$(sha256sum <"$DISK/file")
sync -f "$DISK"
evict "$DISK/file"
lines=$(wc -l <"$SCRATCH/trace.csv")
streamed=$("$BIN/gbp" -mem -out "$DISK/file" | sha256sum)
sleep 0.3 # for the trace
read -r back requests <<<"$(tail -n "+$((lines + 1))" "$SCRATCH/trace.csv" | awk -F, '$6 == "read" { requests++; if ($7 < end) back++; end = $7 + $8 } END { print back + 0, requests + 0 }')"
printf '%s requests, %s of them behind the one before\n' "$requests" "$back"
((requests > 0)) || fail "the file was not read from the disk: nothing was shown"
((back <= STEPS_BACK_MAX)) || fail "the head went back $back times of $requests, at most $STEPS_BACK_MAX are none of the stream's"
# What a stream in another order gives is another text; a cold file has one order.
[[ $streamed == "$sum" ]] || fail "what was streamed is not what is in the file"
