#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# discnice_warm_test: cached data is free and uncached data is charged, with every backend.
#
# How: at a rate so low that a single charged page would show, cached files pass without a wait and without a byte in the kernel's account. Then each backend runs
# with the ledger off, so that the answer is the backend's own and no correction hides an error: an uncached file is predicted in full, a cached file not at all. The
# same runs as an ordinary user on a file of root's, where mincore says everything and cachestat nothing. Right before, pagecache verifies that a file is cached or
# not. Cached files and the programs' own files are held in memory meanwhile, because some machines take idle pages back. A benchmark measures what a run on cached
# data costs in time (bench/discnice_warm_cost).
# Runs alone, or beside one such: a page that others push out of memory is charged, and rightly so.
source "$(dirname "$0")/../support/discnice.bash"
need setpriv

BACKENDS=(auto cachestat mincore nowait timed)
readonly COLD_BYTES=4000000 COLD_RATE=16MB
readonly WARM_BYTES=64000000 WARM_RATE=64K SLEPT_SECONDS_MAX=0.02
cd "$SCRATCH"
chmod 755 .
# An ordinary user may have no access to the build folder.
mkdir -m 755 bin lib
cp "$DISCNICE" bin/ && cp "$LIBRARY" lib/
make_file ./warm "$WARM_BYTES"
make_file ./cold "$COLD_BYTES"
chmod 644 warm cold
sync warm cold
hold warm bin/discnice lib/libdiscnice.so
hold_programs cat dd sha256sum cp env python3 setpriv

AS=()
# report OPTION... -- CMD...: runs it and leaves the report in the file `report`.
report() {
  rm -f report.json
  "${AS[@]}" "$SCRATCH/bin/discnice" --json "$@" >/dev/null 2>report.json || complain "status $? from: $*; $(cat report.json)"
}

judge_warm() { # NAME
  local kernel slept predicted
  kernel=$(field report.json kernel_read_bytes)
  slept=$(field report.json slept_seconds)
  predicted=$(field report.json predicted_read_bytes)
  printf '%-34s warm: kernel read %s, predicted %s, slept %s s of %s s\n' "$1" "$kernel" "$predicted" "$slept" \
    "$(field report.json elapsed_seconds)"
  ((kernel == 0)) || complain "$1: the kernel read $kernel bytes of a warm file"
  holds "$slept <= $SLEPT_SECONDS_MAX" || complain "$1: a warm file waited $slept s"
  ((predicted == 0)) || complain "$1: $predicted bytes were predicted for a warm file"
}

judge_cold() { # NAME
  local predicted kernel
  predicted=$(field report.json predicted_read_bytes)
  kernel=$(field report.json kernel_read_bytes)
  printf '%-34s cold: kernel read %s, predicted %s, slept %s s\n' "$1" "$kernel" "$predicted" \
    "$(field report.json slept_seconds)"
  holds "$kernel >= 0.98 * $COLD_BYTES" || complain "$1: the file was not cold"
  holds "$predicted >= 0.9 * $COLD_BYTES && $predicted <= 1.1 * $COLD_BYTES" ||
    complain "$1: $predicted bytes were predicted for a cold file of $COLD_BYTES"
}

warm_programs() {
  local command
  for command in 'cat warm' 'dd if=warm of=/dev/null bs=1M status=none' 'sha256sum warm' \
    'dd if=warm of=/dev/null bs=4k iflag=count_bytes count=8000000 status=none'; do
    make_warm warm
    report --rate "$WARM_RATE" -- sh -c "$command >/dev/null"
    judge_warm "${command%% of=*}"
  done
  make_warm warm
  report --rate "$WARM_RATE" -- cp warm /dev/shm/ || true
  rm -f /dev/shm/warm
  judge_warm 'cp to a file system in memory'
}

# The positions of a program's streams may be behind data that others have written to the same files. The job owes nothing for this data.
behind_others() {
  local written
  make_warm warm
  # shellcheck disable=SC2094
  {
    head -c 3000 warm >&2
    head -c 3000 warm
    "$SCRATCH/bin/discnice" --json --report report.json --rate "$WARM_RATE" -- cat warm - </dev/null >/dev/null
    "$SCRATCH/bin/discnice" --json --report report-2.json --rate "$WARM_RATE" -- python3 -c 'import sys; sys.stdout.flush()'
  } >others.out 2>others.err
  judge_warm 'behind what others wrote'
  written=$(($(field report.json predicted_write_bytes) + $(field report-2.json predicted_write_bytes)))
  ((written == 0)) || complain "behind what others wrote: $written bytes of writes were predicted where nothing was written"
}

backends() { # WHO
  local backend
  for backend in "${BACKENDS[@]}"; do
    make_cold cold
    report --ledger off --rate "$COLD_RATE" --backend "$backend" -- cat cold
    judge_cold "$1, $backend"
    make_warm warm
    report --ledger off --rate "$WARM_RATE" --backend "$backend" -- cat warm
    judge_warm "$1, $backend"
  done
}

# When other threads use its processor, a thread is late with every second probe. This delay does not come from the disk.
robbed() {
  if ((EUID != 0)) || ! type -P chrt >/dev/null || ! type -P taskset >/dev/null; then
    echo 'not shown: probes of a thread that is robbed of its processor (needs root, chrt and taskset)'
    return
  fi
  local robber turn
  robber=$(
    chrt -f 10 taskset -c 0 python3 -c "$ROBBER" >/dev/null &
    echo $!
  )
  for turn in 1 2 3 4 5; do
    make_warm warm
    report --ledger off --rate "$COLD_RATE" --backend timed -- taskset -c 0 cat warm
    judge_warm "timed, robbed of the processor, $turn"
  done
  kill "$robber"
}
# 0.4 ms in each half millisecond, which is less than the kernel allows such a thread.
readonly ROBBER='
import time
while True:
    until = time.monotonic() + 0.0004
    while time.monotonic() < until: pass
    time.sleep(0.0001)'

readonly LONG_BYTES=32000000
# report_long OPTION... -- CMD...: CMD reads `long` from the disk and everything else from memory. A machine that takes idle pages back may take some that the kernel
# has just read ahead, and with them the marker that begins the next window. Such a run proves nothing about discnice, and is
# repeated.
report_long() {
  local try kernel whole=$(((LONG_BYTES + 4095) / 4096 * 4096))
  for try in 1 2 3 4 5; do
    make_cold long
    make_warm warm
    report "$@"
    kernel=$(field report.json kernel_read_bytes)
    ((kernel == whole)) && return
    echo "run $try: the kernel read $((kernel - whole)) bytes beside the file"
  done
}

# A process that has long read only cached files is no longer asked at each read. An uncached file among them must still be paid for, and must be predicted
# from the second read-ahead window on.
cold_after_warm() {
  local kernel slept predicted window wanted
  make_file ./long "$LONG_BYTES"
  sync long
  report_long --rate 16MB -- cat warm long warm
  kernel=$(field report.json kernel_read_bytes)
  slept=$(field report.json slept_seconds)
  predicted=$(field report.json predicted_read_bytes)
  window=$((1024 * $(cat "/sys/class/bdi/$(mountpoint -d "$(stat -c %m long)")/read_ahead_kb")))
  wanted=$(calculate 32/16)
  printf '%-34s cold: kernel read %s, predicted %s, slept %s s of %s\n' 'cold after warm' "$kernel" "$predicted" "$slept" "$wanted"
  holds "$kernel >= 0.98 * $LONG_BYTES" || complain "cold after warm: the file was not cold"
  holds "$slept > 0.95 * $wanted && $slept < 1.05 * $wanted" || complain "cold after warm: slept $slept s instead of $wanted"
  holds "$predicted >= $LONG_BYTES - 2 * $window && $predicted < 1.05 * $LONG_BYTES" ||
    complain "cold after warm: $predicted bytes were predicted of $kernel"
}

# The job's next process begins without trust: an uncached file at its beginning is predicted.
next_process_cold() {
  local kernel slept predicted wanted
  report_long --rate 16MB -- sh -c 'cat warm warm && cat long && cat warm'
  kernel=$(field report.json kernel_read_bytes)
  slept=$(field report.json slept_seconds)
  predicted=$(field report.json predicted_read_bytes)
  wanted=$(calculate 32/16)
  printf '%-34s cold: kernel read %s, predicted %s, slept %s s of %s\n' 'next process cold' "$kernel" "$predicted" "$slept" "$wanted"
  holds "$kernel >= 0.98 * $LONG_BYTES" || complain "next process cold: the file was not cold"
  holds "$slept > 0.95 * $wanted && $slept < 1.05 * $wanted" || complain "next process cold: slept $slept s instead of $wanted"
  holds "$predicted >= 0.98 * $LONG_BYTES && $predicted < 1.05 * $LONG_BYTES" ||
    complain "next process cold: $predicted bytes were predicted of $kernel"
}

# The python3 in the PATH may be a script that looks for it and executes it. The trusted reads of a process right before an exec are missing from its counters
# (descriptor/trust.hpp), and their number varies, so no two runs of such a script give the same figures.
interpreter() { python3 -c 'import sys; print(sys.executable)'; }

# In such a streak, files that are opened one after the other are no longer looked at. An uncached file among them, and a file that lies on no disk, must still
# be noticed.
many_small_files() {
  local kernel slept told wanted base i python
  python=$(interpreter)
  mkdir many
  make_file ./long 20000000
  (cd many && split -b 40000 -a 3 ../long x)
  mkdir cold_ones && mv many/xa[d-g]* cold_ones/
  sync -f .
  cat >read_all.py <<'PROGRAM'
import os, sys
for name in sys.argv[1:]:
    fd = os.open(name, os.O_RDONLY)
    left = 200000 if name == "/dev/zero" else 1 << 40
    while left > 0:
        data = os.read(fd, 65536)
        left -= len(data)
        if not data: break
    os.close(fd)
PROGRAM
  "$python" read_all.py warm
  report --rate 1MB -- "$python" read_all.py
  base=$(field report.json file_read_bytes)
  hold many/*
  for i in cold_ones/*; do make_cold "$i"; done
  wanted=$(cat cold_ones/* | wc -c)
  for i in cold_ones/*; do make_cold "$i"; done
  report --rate 1MB -- "$python" read_all.py warm many/xa[a-c]* cold_ones/* many/xa[h-z]* /dev/zero
  kernel=$(field report.json kernel_read_bytes)
  slept=$(field report.json slept_seconds)
  told=$(($(field report.json file_read_bytes) - base - WARM_BYTES - 20000000))
  printf '%-34s cold: kernel read %s of %s, slept %s s, told %s bytes more than the files hold\n' 'many small files' "$kernel" "$wanted" "$slept" "$told"
  release
  holds "$kernel >= 0.98 * $wanted" || complain "many small files: the cold ones were not cold"
  holds "$slept > 0.75 * $kernel / 1000000 && $slept < 1.05 * $kernel / 1000000" || # the reading itself takes time, too
    complain "many small files: slept $slept s for $kernel bytes at 1 MB/s"
  ((told >= 0 && told <= 262144)) || complain "many small files: $told bytes were told that nobody read from a file"
}

# When a program has made many files in memory, the library no longer asks where the next file lies. A file that the program then makes on the disk must still
# be paid for.
made_on_disk_after_memory() {
  local wrote slept memory
  memory=$(mktemp -d /dev/shm/discnice-warm.XXXXXX)
  mkdir made
  cat >make_files.py <<'PROGRAM'
import os, sys
def make(folder, count, size):
    for i in range(count):
        fd = os.open(f"{folder}/{i}", os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        os.write(fd, b"x" * size)
        os.close(fd)
make(sys.argv[1], 400, 1000)
make("made", 30, 200000)
PROGRAM
  report --rate 4MB -- python3 make_files.py "$memory"
  rm -r "$memory"
  wrote=$(field report.json kernel_write_bytes)
  slept=$(field report.json slept_seconds)
  printf '%-34s made: kernel wrote %s of %s, slept %s s\n' 'on the disk after memory' "$wrote" 6000000 "$slept"
  holds "$wrote >= 6000000" || complain "on the disk after memory: the files did not get there"
  holds "$slept > 0.75 * $wrote / 4000000 && $slept < 1.05 * $wrote / 4000000" || # the writing itself takes time, too
    complain "on the disk after memory: slept $slept s for $wrote bytes at 4 MB/s"
}

# For a moment, small reads of data that is known to be in memory pass without a look. Each of them is still counted. When the file is evicted during the reading,
# the data that is read again is paid for.
small_reads() {
  local bytes kernel slept base python
  python=$(interpreter)
  make_file ./small 8000000
  sync small
  cat >small_reads.py <<'PROGRAM'
import os, subprocess, sys
if len(sys.argv) > 1:
    fd = os.open("small", os.O_RDONLY)
    while os.read(fd, 65536): pass
    for i in range(50000): os.pread(fd, 1, i)
    if sys.argv[1] == "evicted": subprocess.run([sys.argv[2], "evict", "small"], check=True)
    for at in range(0, 8000000, 4000): os.pread(fd, 4000, at)
PROGRAM
  make_warm small
  "$python" small_reads.py kept
  report --rate 4MB -- "$python" small_reads.py
  base=$(field report.json file_read_bytes)
  hold small
  report --rate 4MB -- "$python" small_reads.py kept
  release
  bytes=$(($(field report.json file_read_bytes) - base))
  judge_warm 'small reads'
  ((bytes == 8000000 + 50000 + 8000000)) || complain "small reads: $bytes bytes were counted"
  make_warm small
  report --rate 4MB -- "$python" small_reads.py evicted "$TOOLS/pagecache"
  kernel=$(field report.json kernel_read_bytes)
  slept=$(field report.json slept_seconds)
  printf '%-34s cold: kernel read %s, slept %s s\n' 'thrown out under small reads' "$kernel" "$slept"
  holds "$kernel >= 0.98 * 8000000" || complain "thrown out under small reads: the file was not cold"
  holds "$slept > 0.8 * $kernel / 4000000 && $slept < 1.05 * $kernel / 4000000" ||
    complain "thrown out under small reads: slept $slept s for $kernel bytes at 4 MB/s"
}

bare_backends() {
  local backend start_ns elapsed_s
  for backend in "${BACKENDS[@]}"; do
    make_warm warm
    start_ns=$(date +%s%N)
    env "LD_PRELOAD=$LIBRARY" "DISCNICE_RATE=$WARM_RATE" "DISCNICE_BACKEND=$backend" cat warm >/dev/null
    elapsed_s=$(calculate "($(date +%s%N) - $start_ns) / 1e9")
    holds "$elapsed_s < 0.5" || complain "bare, $backend: a warm file took $elapsed_s s"
  done
}

warm_programs
cold_after_warm
next_process_cold
many_small_files
made_on_disk_after_memory
small_reads
behind_others
backends 'its owner'
robbed
bare_backends
if ((EUID == 0)); then
  AS=(setpriv --reuid 65534 --regid 65534 --clear-groups --)
  "${AS[@]}" bin/discnice -q -- true
  BACKENDS=(auto nowait timed)
  backends nobody
else
  echo "not shown: an ordinary user on somebody else's file (needs root)"
fi
conclude
