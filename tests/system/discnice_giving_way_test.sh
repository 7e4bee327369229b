#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# discnice_giving_way_test: a job that gives way also gives way with its writes.
#
# How: the jobs run on an emulated mechanical disk. A job writes as fast as it can, and the test finds the largest number of its file's bytes that were dirty or
# under way at one time (cachestat). Without discnice this is the whole file, so the test can fail. The job runs once more without cachestat(), as with kernels
# before 6.5 and in some containers. A second job writes many small files: once with a launcher, once without a launcher that could send them, and once while
# much data is dirty on another file system. Another job consists of many short programs. Then another program reads a long file, and the disk's counters must
# show that the job writes only some turns meanwhile. A foreground that only calls fsync() must be seen as foreground. The written data is the same in all
# cases, and a job that is told to end while it waits for its turn ends at once. Not tested here: by how many per cent the foreground is slower, and how fast
# the job is; `script/bench beside` measures both.
# Runs alone on a quiet host: the dirty data and the requests of the disk are counted exactly.
# Slow: each job writes for some turns of a mechanical disk.
source "$(dirname "$0")/../support/discnice.bash"
need_root
need_built hddsim
need losetup mkfs.ext4 python3 unshare
[[ -c /dev/fuse && -e /dev/loop-control ]] || skip 'no emulated disk here'
HDDSIM=$(program hddsim)
readonly HDDSIM NAME=giving-way-$$
readonly MB=1000000
cd "$SCRATCH"
at_exit sh -c "[ ! -d /run/hddsim/$NAME ] || '$HDDSIM' down --force $NAME"
DISK=$("$HDDSIM" up "$NAME" --size 2G --scheduler none) || skip 'no emulated disk here'
NUMBER=$(findmnt -n -o MAJ:MIN "$DISK" | tr -d ' ')
head -c $((300 * MB)) /dev/urandom >/dev/shm/source
head -c $((400 * MB)) /dev/urandom >"$DISK/long"
sync -f "$DISK"

# Writes one file in order. Prints the highest number of its bytes that waited to be written at one time.
cat >writer.py <<'PYTHON'
import ctypes, os, sys, threading, time
libc = ctypes.CDLL(None)
class Range(ctypes.Structure): _fields_ = [("offset", ctypes.c_uint64), ("length", ctypes.c_uint64)]
class Answer(ctypes.Structure): _fields_ = [(name, ctypes.c_uint64) for name in ("cached", "dirty", "writing", "evicted", "recently")]
source, target = open(sys.argv[1], "rb"), os.open(sys.argv[2], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
most, is_over = 0, False
def watch():
    global most
    answer = Answer()
    while not is_over:
        if libc.syscall(451, target, ctypes.byref(Range(0, 0)), ctypes.byref(answer), 0): os._exit(77)
        most = max(most, 4096 * (answer.dirty + answer.writing))
        time.sleep(0.005)
watcher = threading.Thread(target=watch)
watcher.start()
while data := source.read(262144): os.write(target, data)
is_over = True
watcher.join()
os.close(target)
print(most)
PYTHON

dirty_data() {
  local way most status
  local -A bytes=()
  for way in auto off; do
    "$DISCNICE" -q --smooth-writes "$way" -- python3 writer.py /dev/shm/source "$DISK/target" >most && status=0 || status=$?
    ((status != 77)) || skip 'this kernel does not count dirty pages (cachestat)'
    ((status == 0)) || fail "the writer ended with $status"
    cmp -s /dev/shm/source "$DISK/target" || complain "$way: what was written differs"
    most=$(<most)
    bytes[$way]=$most
    rm "$DISK/target"
    sync -f "$DISK"
  done
  printf 'of 300 MB written at most %d MB waited for the disk; left to the kernel %d MB\n' $((bytes[auto] / MB)) $((bytes[off] / MB))
  ((bytes[off] > 200 * MB)) || skip 'this kernel writes at once by itself'
  ((bytes[auto] < 110 * MB)) || complain "${bytes[auto]} bytes of the job's file waited for the disk at once"
}

# When a signal tells this process to end, it prints the largest number of writes that were under way at a disk at one time.
cat >watcher.py <<'PYTHON'
import signal, sys, time
is_over, most = [], 0
signal.signal(signal.SIGTERM, lambda *_: is_over.append(True))
with open(f"/sys/dev/block/{sys.argv[1]}/inflight") as counter:
    while not is_over:
        counter.seek(0)
        most = max(most, int(counter.read().split()[1]))
        time.sleep(0.001)
print(most)
PYTHON

# COMMAND...: runs it without cachestat().
cat >older_kernel.py <<'PYTHON'
import ctypes, os, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
LOAD, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, NO_SUCH_CALL = 0x7FFF0000, 0x00050000 | 38
steps = [(LOAD, 0, 0, 0), (JUMP_IF_EQUAL, 0, 1, 451), (RETURN, 0, 0, NO_SUCH_CALL), (RETURN, 0, 0, ALLOW)]
text = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
class Program(ctypes.Structure): _fields_ = [("length", ctypes.c_ushort), ("steps", ctypes.c_void_p)]
program = Program(len(steps), ctypes.addressof(text))
if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, ctypes.byref(program), 0, 0): sys.exit(77)
os.execvp(sys.argv[1], sys.argv[1:])
PYTHON

older_kernel() {
  local way watcher status
  local -A most=()
  for way in auto off; do
    python3 watcher.py "$NUMBER" >most &
    watcher=$!
    python3 older_kernel.py "$DISCNICE" -q --smooth-writes "$way" -- cp /dev/shm/source "$DISK/target" && status=0 || status=$?
    sync -f "$DISK"
    kill -TERM "$watcher"
    wait "$watcher" || complain 'the disk could not be watched'
    ((status == 0)) || complain "without cachestat a copy ended with $status"
    cmp -s /dev/shm/source "$DISK/target" || complain "$way, without cachestat: what was written differs"
    most[$way]=$(<most)
    rm "$DISK/target"
    sync -f "$DISK"
  done
  printf 'without cachestat at most %d writes were under way at once; left to the kernel %d\n' "${most[auto]}" "${most[off]}"
  ((most[off] > 16)) || complain 'left to the kernel there were no more: this shows nothing'
  # Two steps, each of one or two requests, and a commit of the journal.
  ((most[auto] <= 8)) || complain "without cachestat ${most[auto]} writes were under way at once"
}

# Prints how many bytes the disk has written in total.
written() { awk '{ printf "%.0f", $7 * 512 }' "/sys/dev/block/$NUMBER/stat"; }

# Prints how many write requests the disk has served.
write_requests() { awk '{ print $5 }' "/sys/dev/block/$NUMBER/stat"; }

# Prints how many bytes the disk wrote in two seconds.
written_meanwhile() {
  local before after
  before=$(written)
  sleep 2
  after=$(written)
  echo $((after - before))
}

# beside FOREGROUND SMOOTH: prints what is written while the foreground runs.
beside() {
  local job foreground
  "$DISCNICE" -q --smooth-writes "$2" -- sh -c "while :; do cp /dev/shm/source '$DISK/target'; rm '$DISK/target'; done" &
  job=$!
  sleep 2
  "$1" &
  foreground=$!
  sleep 0.5
  written_meanwhile
  kill "$job" "$foreground" 2>/dev/null
  wait "$job" "$foreground" 2>/dev/null || true
  rm -f "$DISK/target"
  sync -f "$DISK"
}

# shellcheck disable=SC2317 # by beside
reader() { while :; do evict "$DISK/long" && dd if="$DISK/long" of=/dev/null bs=128k status=none; done; }

# shellcheck disable=SC2317 # by beside
syncer() {
  exec python3 -c '
import os, sys, time
fd = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
while True:
    os.write(fd, b"x" * 4096)
    os.fsync(fd)
    time.sleep(0.02)' "$DISK/log"
}

foregrounds() {
  local who bytes
  for who in reader syncer; do
    bytes=$(beside "$who" auto)
    printf 'beside a %s the disk wrote %d KB a second\n' "$who" $((bytes / 2000))
    # Two turns a second of at most 4 MB, and the foreground's own writes.
    ((bytes < 20 * MB)) || complain "beside a $who the job wrote $bytes bytes in two seconds"
  done
  bytes=$(beside reader off)
  printf 'left to the kernel, beside a reader: %d KB a second\n' $((bytes / 2000))
}

# The data that many small files leave to the kernel is sent meanwhile: when the job has ended, most of it is on the disk.
small_files() {
  local way before
  local -A bytes=()
  mkdir tree
  python3 -c '
import os
for i in range(5000):
    with open(f"tree/{i}", "wb") as file: file.write(os.urandom(100 + 4 * i))'
  for way in auto off; do
    sync -f "$DISK"
    before=$(written)
    "$DISCNICE" -q --smooth-writes "$way" -- cp -r tree "$DISK/tree"
    bytes[$way]=$(($(written) - before))
    diff -r tree "$DISK/tree" >/dev/null || complain "$way: small files: what was written differs"
    rm -r "$DISK/tree"
  done
  printf 'of 50 MB in small files %d MB were on the disk when the job ended; left to the kernel %d MB\n' $((bytes[auto] / MB)) $((bytes[off] / MB))
  ((bytes[off] < 25 * MB)) || skip 'this kernel writes at once by itself'
  ((bytes[auto] > 30 * MB)) || complain "only ${bytes[auto]} bytes of small files were on the disk when the job ended"
}

# Much data is dirty on another file system, and the job's sending does not write this data. The job's small files are still sent together, so there are fewer
# requests than files. Tests that run at the same time also make data dirty. If the disk needs more than a second for the dirty data, this is not tested.
small_files_beside_dirty_data() {
  local before requests dirty_kb
  sync
  head -c $((60 * MB)) /dev/zero >elsewhere
  before=$(write_requests)
  dirty_kb=$(awk '/^Dirty:/ { print $2 }' /proc/meminfo)
  "$DISCNICE" -q -- cp -r tree "$DISK/tree"
  sync -f "$DISK"
  requests=$(($(write_requests) - before))
  printf '5,000 small files were sent by %d requests\n' "$requests"
  if ((dirty_kb > 75000)) || (($(awk '/^Dirty:/ { print $2 }' /proc/meminfo) > 75000)); then
    echo 'not shown: what is dirty on another file system (too much is, here)'
  elif ((requests >= 2500)); then
    complain "with 60 MB dirty on another file system 5,000 small files took $requests requests"
  fi
  rm -r "$DISK/tree" elsewhere
}

# The launcher is stopped, or cannot reach the job's mounts. Then each process sends its own small files; none is lost, and none waits for long.
small_files_alone() {
  local job begun took=0
  "$DISCNICE" -q -- sh -c "sleep 1; exec cp -r tree '$DISK/tree'" &
  job=$!
  sleep 0.5
  kill -STOP "$job"
  begun=$(date +%s)
  until [[ -d $DISK/tree ]] && (($(find "$DISK/tree" -type f | wc -l) == 5000)); do
    took=$(($(date +%s) - begun))
    ((took < 120)) || break
    sleep 0.5
  done
  kill -CONT "$job"
  wait "$job" || complain "a job whose launcher was stopped ended with $?"
  ((took < 120)) || complain 'a job whose launcher was stopped took 120 s for 5,000 small files'
  diff -r tree "$DISK/tree" >/dev/null || complain 'launcher stopped: what was written differs'
  rm -r "$DISK/tree"
  mkdir "$DISK/inside"
  "$DISCNICE" -q -- unshare -m sh -c "mount --bind '$DISK' '$DISK/inside' && cp -r tree '$DISK/inside/tree'" ||
    complain "a job in its own mount namespace ended with $?"
  diff -r tree "$DISK/tree" >/dev/null || complain 'own mount namespace: what was written differs'
  rm -r "$DISK/tree"
  sync -f "$DISK"
}

# Many short programs write by stdio, under a rate. Their data reaches the disk when they write it.
short_programs() {
  local way before
  local -A bytes=()
  seq 8000 >numbers
  for way in auto off; do
    rm -rf "$DISK/short" # ext4 itself sends a file that is emptied and written again
    mkdir "$DISK/short"
    sync -f "$DISK"
    before=$(written)
    "$DISCNICE" -q --rate 10MB --smooth-writes "$way" -- sh -c "for i in \$(seq -s' ' 300); do seq 8000 >'$DISK/short/'\$i; done"
    bytes[$way]=$(($(written) - before))
    cmp -s numbers "$DISK/short/300" || complain "$way: short programs: what was written differs"
  done
  printf 'of 12 MB by short programs %d KB were on the disk when the job ended; left to the kernel %d KB\n' $((bytes[auto] / 1000)) $((bytes[off] / 1000))
  ((bytes[off] < 6 * MB)) || skip 'this kernel writes at once by itself'
  ((bytes[auto] > 8 * MB)) || complain "only ${bytes[auto]} bytes of short programs were on the disk when the job ended"
  rm -r "$DISK/short"
  sync -f "$DISK"
}

ends_at_once() {
  local job begun took
  reader &
  "$DISCNICE" -q -- sh -c "exec cp /dev/shm/source '$DISK/target'" &
  job=$!
  sleep 2
  begun=$(date +%s%N)
  kill -TERM "$job"
  wait "$job" 2>/dev/null || true
  took=$((($(date +%s%N) - begun) / 1000000))
  kill %1 2>/dev/null || true
  ((took < 1000)) || complain "a job that waits for its turn ended $took ms after it was told to"
}

dirty_data
older_kernel
small_files
small_files_beside_dirty_data
small_files_alone
short_programs
foregrounds
ends_at_once
rm -f /dev/shm/source
conclude
