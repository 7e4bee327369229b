#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# discnice_verify_test: `discnice verify` shows the prediction and the kernel's account, and the prediction is as exact as
# required.
#
# How: uncached files (no page in memory) are read in patterns whose cost is known to the byte; files are created and rewritten. The judge is the kernel's account in
# the same report. When a model is switched off, the error that it prevents must appear; otherwise the comparison could not fail. The whole table of workloads,
# larger and on other file systems, is bench/discnice_accuracy.
# Runs alone, or beside one such: a page that others push out of memory is a byte that was not predicted.
source "$(dirname "$0")/../support/discnice.bash"
need python3
cd "$SCRATCH"
make_file ./big 40000000
sync big
hold_programs python3 dd sh cat cp # their own pages must not be part of the measurement

readonly STRIDE='import os
f = os.open("big", os.O_RDONLY)
for at in range(0, 40000000, 12288): os.pread(f, 1, at)'
readonly RANDOM_READS='import os, random
random.seed(7)
f = os.open("big", os.O_RDONLY)
for i in range(2400): os.pread(f, 4096, random.randrange(9760) * 4096)'
readonly REWRITE='import os
f = os.open("new", os.O_RDWR | os.O_CREAT)
for i in range(2000): os.pwrite(f, b"x" * 10240, 0)'

# A stream for reading and writing reads the block to which it is moved. Then the stream's position is behind the descriptor's position.
readonly UPDATE='import ctypes
libc = ctypes.CDLL(None)
libc.fopen.restype = ctypes.c_void_p
f = ctypes.c_void_p(libc.fopen(b"big", b"r+"))
for i in range(400):
    libc.fseek(f, ctypes.c_long(i * 20480 + 64), 0)
    libc.fwrite(b"x" * 5000, 1, 5000, f)
libc.fclose(f)'

# A file system that protects careless programs sends an emptied file to the disk when it is closed, so removing the file saves nothing.
readonly EMPTIED='import os
for i in range(5):
    open("emptied", "w").write("x" * 10)
    with open("emptied", "w") as f: f.write("x" * 4000000)
    os.unlink("emptied")'

# Such a file system also sends a file to the disk that replaces another file, by rename() or by the call's number.
readonly REPLACED='import ctypes, os, sys
libc = ctypes.CDLL(None)
number = {"x86_64": 316, "aarch64": 276}[os.uname().machine]
for i in range(5):
    open("replaced", "w").write("x" * 10)
    with open("part", "w") as f: f.write("x" * 4000000)
    if sys.argv[1] == "number":
        assert libc.syscall(number, -100, b"part", -100, b"replaced", 0) == 0
    else: os.rename("part", "replaced")
    os.unlink("replaced")'

# These calls change the cost of a later read or removal. The program makes these calls by libc's function or by the number of the system call: advice that ends
# read-ahead, a flag that bypasses the page cache, a file that is truncated before its data is on the disk. One letter says which.
readonly CHANGED='import ctypes, mmap, os, platform, sys
libc = ctypes.CDLL(None, use_errno=True)
numbers = {"x86_64": (221, 72, 76), "aarch64": (223, 25, 45)}[platform.machine()]
ADVISE, CONTROL, TRUNCATE = numbers
L = ctypes.c_long
which, is_by_number = sys.argv[1], sys.argv[2] == "number"
def call(number, function, *words):
    words = [L(word) if isinstance(word, int) else word for word in words]
    result = libc.syscall(L(number), *words) if is_by_number else function(*words)
    assert result == 0, ctypes.get_errno()
if which == "r":
    f = os.open("big", os.O_RDONLY)
    call(ADVISE, libc.posix_fadvise, f, 0, 0, os.POSIX_FADV_RANDOM)
    for at in range(0, 20000000, 8192): os.pread(f, 4096, at)
elif which == "d":
    f, block = os.open("big", os.O_RDONLY), mmap.mmap(-1, 65536)
    os.preadv(f, [block], 0)
    call(CONTROL, libc.fcntl, f, 4, os.O_DIRECT | os.O_RDONLY)
    for at in range(0, 20000000, 65536): os.preadv(f, [block], at)
else:
    for i in range(5):
        with open(f"cut{i}{sys.argv[2]}", "wb") as f: f.write(b"x" * 4000000)
        call(TRUNCATE, libc.truncate, f"cut{i}{sys.argv[2]}".encode(), 0)'

# verify OPTION... -- CMD...: leaves the report in verified.json.
verify() { "$DISCNICE" verify --json --report verified.json "$@" >/dev/null 2>said || complain "$* ended with $?: $(<said)"; }

# value KEY: a value of the report itself, not of its classes.
value() { python3 -c 'import json, sys; print(json.load(open("verified.json"))[sys.argv[1]])' "$1"; }

# off WHAT BYTES-MAX NAME: the predicted and the kernel's bytes of all calls must not differ by more.
off() {
  local predicted kernel
  predicted=$(value "charged_$1_bytes")
  kernel=$(value "kernel_$1_bytes")
  printf '%-36s %s: predicted %10s, kernel %10s\n' "$3" "$1" "$predicted" "$kernel"
  holds "$predicted - $kernel <= $2 && $kernel - $predicted <= $2" || complain "$3: $1 are off by more than $2 bytes"
}

patterns() {
  local ledger way
  for ledger in off on; do
    make_cold big
    verify --ledger "$ledger" -- dd if=big of=/dev/null bs=64k
    off read 200000 "sequential, ledger $ledger"
    make_cold big
    verify --ledger "$ledger" -- python3 -c "$STRIDE"
    off read 133000 "stride of 12 KB, ledger $ledger"
    make_cold big
    verify --ledger "$ledger" -- python3 -c "$RANDOM_READS"
    off read 98000 "random 4 KB, ledger $ledger"
    rm -f new
    verify --ledger "$ledger" -- dd if=/dev/zero of=new bs=64k count=500
    off write 164000 "create, ledger $ledger"
    rm -f new
    verify --ledger "$ledger" -- python3 -c "$REWRITE"
    off write 100000 "rewrite in place, ledger $ledger"
    verify --ledger "$ledger" -- python3 -c "$EMPTIED"
    off write 100000 "emptied, written and removed, ledger $ledger"
    for way in rename number; do
      verify --ledger "$ledger" -- python3 -c "$REPLACED" "$way"
      off write 150000 "replaced by $way, ledger $ledger"
    done
    for way in libc number; do
      make_cold big
      verify --ledger "$ledger" -- python3 -c "$CHANGED" r "$way"
      off read 100000 "advice by $way, ledger $ledger"
      make_warm big
      verify --ledger "$ledger" -- python3 -c "$CHANGED" d "$way"
      off read 200000 "past the page cache by $way, ledger $ledger"
      verify --ledger "$ledger" -- python3 -c "$CHANGED" c "$way"
      off write 150000 "cut short by $way, ledger $ledger"
      rm cut*
    done
    verify --ledger "$ledger" -- python3 -c "$MANY_REMOVED"
    off write 600000 "a thousand files made and removed, ledger $ledger"
    verify --ledger "$ledger" -- sh -c 'for i in 1 2 3 4 5; do head -c 4000000 big >passed_on; wc -c <passed_on; rm passed_on; done'
    off write 100000 "removed by another process, ledger $ledger"
    hold big
    verify --ledger "$ledger" -- python3 -c "$UPDATE"
    release
    off write 60000 "a stream that reads and writes, ledger $ledger"
    sync big
  done
}

# More files than the table can hold in full, removed before any of them reached the disk.
readonly MANY_REMOVED='import os
for i in range(1000):
    f = os.open(f"temporary{i}", os.O_WRONLY | os.O_CREAT | os.O_EXCL); os.write(f, b"x" * 5000); os.close(f)
for i in range(1000): os.unlink(f"temporary{i}")'

# Files in turn in folders whose inodes lie far from each other, as ext4 places them for folders in a folder with the attribute T.
readonly FOLDERS='import os
for i in range(150): os.mkdir(f"top/{i}")
for k in range(10):
    for i in range(150): os.close(os.open(f"top/{i}/{k}", os.O_WRONLY | os.O_CREAT))'

# The process that is charged for inodes differs: with a journal it is the journal's thread, and other file systems write inodes much later.
folders() {
  local device kernel
  device=$(findmnt -no SOURCE -T .)
  if [[ $(stat -f -c %T .) != ext2/ext3 ]] || compgen -G "/proc/fs/jbd2/${device##*/}-*" >/dev/null; then
    echo "not shown: files in folders far from each other (this is no ext4 without a journal)"
    return 0
  fi
  for ledger in off on; do
    rm -rf top
    mkdir top
    chattr +T top
    sync -f .
    verify --ledger "$ledger" -- python3 -c "$FOLDERS"
    off write 200000 "files in folders far from each other, ledger $ledger"
  done
  kernel=$(value kernel_write_bytes)
  holds "$kernel > 1000000" || complain "the folders lie so close to each other that nothing is shown: $kernel bytes"
  rm -rf top
}

# Every write of a synchronous descriptor reaches the disk, also when it is the same write again.
readonly SYNCHRONOUS='import os
f = os.open("new", os.O_WRONLY | os.O_CREAT | os.O_DSYNC)
for i in range(200): os.pwrite(f, b"x" * 100, 0)'
# Data that moves inside the kernel, through a pipe.
readonly SPLICE='import os
f = os.open("big", os.O_RDONLY)
g = os.open("new", os.O_WRONLY | os.O_CREAT)
r, w = os.pipe()
while True:
    n = os.splice(f, w, 65536)
    if n == 0: break
    while n: n -= os.splice(r, g, n)'

other_ways() {
  rm -f new
  verify -- python3 -c "$SYNCHRONOUS"
  off write 50000 'synchronous rewrites'
  if python3 -c 'import os; os.splice' 2>/dev/null; then
    rm -f new
    make_cold big
    verify -- python3 -c "$SPLICE"
    off read 200000 'splice'
    off write 400000 'splice'
    cmp big new || complain "splice did not copy what was there"
  else
    echo "not shown: splice (this python3 has no os.splice)"
  fi
}

# errs WHAT MODEL CMD...: without MODEL the prediction of WHAT must be far from the kernel's count.
errs() {
  local what=$1 model=$2
  shift 2
  verify --disable "$model" -- "$@"
  local predicted kernel
  predicted=$(value "predicted_${what}_bytes")
  kernel=$(value "kernel_${what}_bytes")
  printf 'without %-10s %s: predicted %10s, kernel %10s\n' "$model" "$what" "$predicted" "$kernel"
  holds "$predicted > 1.2 * $kernel + 100000 || $predicted < 0.8 * $kernel - 100000" ||
    complain "without the model $model the $what are predicted as well as with it"
}

ablations() {
  hold big
  errs read cache dd if=big of=/dev/null bs=64k
  release
  make_cold big
  errs read readahead dd if=big of=/dev/null bs=64k count=16
  rm -f new
  errs write write python3 -c "$REWRITE"
}

# The sum of the classes, with "other", is the kernel's count.
classes() {
  make_cold big
  rm -f new
  verify -- python3 -c 'import os, shutil
shutil.copyfile("big", "new")
open("new", "rb").read()
os.unlink("new")'
  python3 - <<'PYTHON' || complain "the classes do not add up: $(<verified.json)"
import json, sys
report = json.load(open("verified.json"))
names = [one["class"] for one in report["classes"]]
assert names == ["read", "write", "copy", "remove", "create", "other"], names
for what in "read", "write":
    assert sum(one[f"kernel_{what}_bytes"] for one in report["classes"]) == report[f"kernel_{what}_bytes"], what
    # Written data is removed again, so a folder's block that the kernel adds would be the whole net sum.
    off = abs(report[f"predicted_{what}_bytes"] - report[f"kernel_{what}_bytes"])
    assert off < max(0.05 * report[f"kernel_{what}_bytes"], 65536), (what, off)
removal = report["classes"][3]
assert removal["predicted_write_bytes"] <= -39_900_000 and removal["kernel_write_bytes"] <= -39_900_000, removal
PYTHON
  "$DISCNICE" verify -- cat big 2>said >/dev/null
  grep -Eq '^  all .*%' said || complain "no table: $(<said)"
}

patterns
folders
other_ways
ablations
classes
conclude
