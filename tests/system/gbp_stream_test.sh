#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# gbp_stream: `gbp -mem -out FILE` of an uncached file moves the head of the disk in one direction. For a file that is a little larger than the cache it reads the
# missing part and little more, again and again. While a slow reader works on cached parts, the disk fetches.
#
# How: an uncached file is streamed from an emulated disk, whose trace tells the place of each request. Only data that was requested ahead may be read: a request
# that the kernel cut short shows as a step back, once for each requested part. A file's bytes come out complete and once. A file of records has its second
# half in the cache. A reader that pauses counts what the device has read before nine tenths of that half have come to the reader. Then passes are made in a
# memory control group of version 1, while the pages of the programs themselves are kept in memory outside the group. The device counts the bytes that are
# read. Left out: the time that it takes, and other sizes (script/bench gbp).
# Runs alone: other programs would take the memory that the passes need, and data would be read again.
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
# In another order the stream would be another text. An uncached file has only one order.
[[ $streamed == "$sum" ]] || fail "what was streamed is not what is in the file"

readonly RECORDS=500000 EARLY_MB_MIN=2
awk -v records="$RECORDS" 'BEGIN { for (i = 0; i < records; i++) printf "%099d\n", i }' >"$DISK/records"
sync -f "$DISK"
evict "$DISK/records"
tail -c "$((RECORDS * 50))" "$DISK/records" >"$SCRATCH/tail"
cat >"$SCRATCH/slow.py" <<'PYTHON'
import sys, time
stat, records = sys.argv[1], int(sys.argv[2])
sectors = lambda: int(open(stat).read().split()[2])
before, early, seen = sectors(), None, set()
while chunk := sys.stdin.buffer.read(10000 * 100):
    time.sleep(0.005)
    seen.update(int(line) for line in chunk.splitlines() if len(line) == 99)
    if early is None and len(seen) >= records * 9 // 20:
        early = sectors() - before
print((early or 0) // 2048, len(seen))
PYTHON
read -r device < <(stat -c '%Hd:%Ld' "$DISK/records")
read -r early whole < <("$BIN/gbp" -mem -out "$DISK/records" -align 100 | python3 "$SCRATCH/slow.py" "/sys/dev/block/$device/stat" "$RECORDS")
printf '%s MiB were read from the disk while a slow reader had cached records to come; %s records came whole\n' "$early" "$whole"
((early >= EARLY_MB_MIN)) || fail "the disk did nothing while the reader worked"
((whole == RECORDS)) || fail "$whole of $RECORDS records came whole"
rm "$DISK/records"

readonly GROUPS_AT=/sys/fs/cgroup/memory CACHE_MB=88 PASSES=9 READ_SHARE_MAX=0.125 # at least 8 of 96 MB are missing: 0.083
[[ -e $GROUPS_AT/memory.limit_in_bytes ]] || skip "no memory control group of version 1: repeated passes were not tried"
GROUP=$GROUPS_AT/gray-stream-$$
mkdir "$GROUP"
at_exit sh -c "sleep 0.2; rmdir '$GROUP'"
echo "${CACHE_MB}M" >"$GROUP/memory.limit_in_bytes"
mapfile -t programs < <(type -P sh cat; echo "$BIN/gbp"; ldd "$BIN/gbp" "$(type -P sh)" | sed -n 's,.*[[:space:]]\(/[^ ]*\) (0x.*,\1,p' | sort -u)
"$TOOLS/pagecache" hold "${programs[@]}" >"$SCRATCH/held" 2>&1 &
HOLDER=$!
at_exit kill "$HOLDER"
until [[ -s $SCRATCH/held ]] || ! kill -0 "$HOLDER" 2>/dev/null; do sleep 0.01; done
[[ $(<"$SCRATCH/held") == held ]] || skip "programs cannot be held in memory here: repeated passes were not tried"
evict "$DISK/file"
read -r device < <(stat -c '%Hd:%Ld' "$DISK/file")
sectors() { awk '{ print $3 }' "/sys/dev/block/$device/stat"; }
shares=()
for ((pass = 0; pass < PASSES; pass++)); do
  before=$(sectors)
  bytes=$(sh -c "echo \$\$ >'$GROUP/cgroup.procs' && '$BIN/gbp' -mem -out '$DISK/file' | cat" | wc -c)
  ((bytes == FILE_MB * 1024 * 1024)) || fail "a pass gave $bytes bytes"
  shares+=("$(awk -v sectors=$(($(sectors) - before)) -v mb="$FILE_MB" 'BEGIN { printf "%.3f", sectors / 2048 / mb }')")
done
median=$(printf '%s\n' "${shares[@]:3}" | sort -n | sed -n "$(((PASSES - 3 + 1) / 2))p")
printf 'share of the file read a pass: %s; median of the last %d: %s\n' "${shares[*]}" "$((PASSES - 3))" "$median"
awk "BEGIN { exit !($median <= $READ_SHARE_MAX) }" || fail "a pass reads $median of the file"
