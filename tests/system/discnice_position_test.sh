#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# discnice_position_test: after any way to move the position in a file, the following reads are predicted for the right place.
#
# How: the first half of a file is in memory, and the second half is not. A program opens the file by name, goes to the second half in one of many ways, and
# reads. If the library missed a move of the position, it would predict nothing, while the kernel's account shows some hundred kilobytes. The ledger is off, so
# that nothing corrects a mistake. Left out: a position that another process moves, which the library cannot see and asks for once a megabyte.
source "$(dirname "$0")/../support/discnice.bash"
need python3
cd "$SCRATCH"
readonly HALF=4194304 ERROR_MAX=0.1 READ_MIN=196608
python=$(python3 -c 'import sys; print(sys.executable)') # the python3 in the PATH may be a script that looks for it
make_file ./file $((2 * HALF))
sync file
hold_programs "$python"

cat >move.py <<'PROGRAM'
import ctypes, fcntl, os, sys
way, half = sys.argv[1], int(sys.argv[2])
libc = ctypes.CDLL(None, use_errno=True)
fd = os.open("file", os.O_RDONLY)
os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_RANDOM)  # only the wanted bytes are read
os.read(fd, 1)  # from here on the library knows the position

def seek_copy(copy):
    os.lseek(copy, half, 0)

def stay(): pass
def read():
    while os.lseek(fd, 0, 1) < half: os.read(fd, half - os.lseek(fd, 0, 1))
def small_reads():
    left = half - 1
    while left > 0: left -= len(os.read(fd, min(left, 10240)))
def readv(): assert os.readv(fd, [bytearray(half - 1)]) == half - 1
def no_wait():  # a short read is allowed, for example when another program needs the processor
    left = half - 1
    while left > 0: left -= os.preadv(fd, [bytearray(left)], -1, os.RWF_NOWAIT)
def seek(): os.lseek(fd, half, 0)
def number():
    libc.syscall.restype = ctypes.c_long
    assert libc.syscall({"x86_64": 8, "aarch64": 62}[os.uname().machine], fd, ctypes.c_long(half), 0) == half
def dup(): seek_copy(os.dup(fd))
def dup2(): seek_copy(os.dup2(fd, 100))
def fcntl_dup(): seek_copy(fcntl.fcntl(fd, fcntl.F_DUPFD, 50))
def sendfile():
    sink = os.open("/dev/null", os.O_WRONLY)
    while os.sendfile(sink, fd, None, half - os.lseek(fd, 0, 1)) > 0: pass
def splice():
    left, (out, into) = half - 1, os.pipe()
    while left > 0:
        moved = os.splice(fd, into, min(left, 65536))
        os.read(out, moved)
        left -= moved
def stream():
    libc.fdopen.restype = ctypes.c_void_p
    f = ctypes.c_void_p(libc.fdopen(fd, b"r"))
    libc.fseek(f, ctypes.c_long(half), 0)
    libc.fgetc(f)
def new_flags():  # what is known of the descriptor is forgotten, with the advice
    fcntl.fcntl(fd, fcntl.F_SETFL, os.O_NONBLOCK)
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_RANDOM)
    os.lseek(fd, half, 0)
def child():  # the child closes and opens what it likes
    os.system("exec 3<&- 4<&-; true")
    os.lseek(fd, half, 0)

globals()[way]()
for _ in range(3): os.read(fd, 65536)
PROGRAM

# moved WAY: prints the bytes of the read calls, as predicted and as counted by the kernel.
moved() {
  make_cold file
  "$TOOLS/pagecache" warm file
  "$python" - "$HALF" <<'PROGRAM'
import os, sys
fd = os.open("file", os.O_RDONLY)
os.posix_fadvise(fd, int(sys.argv[1]), 0, os.POSIX_FADV_DONTNEED)
PROGRAM
  "$DISCNICE" verify --ledger=off --json --report verified.json -- "$python" move.py "$1" "$HALF" >/dev/null 2>said || return
  "$python" -c 'import json
report = next(c for c in json.load(open("verified.json"))["classes"] if c["class"] == "read")
print(report["predicted_read_bytes"], report["kernel_read_bytes"])'
}

for way in read small_reads readv no_wait seek number dup dup2 fcntl_dup sendfile splice stream new_flags child; do
  read -r predicted kernel < <(moved "$way") || complain "$way: $(<said)"
  printf '%-14s predicted %d, the kernel tells %d\n' "$way" "$predicted" "$kernel"
  ((kernel >= READ_MIN)) || complain "$way: nothing was read from the disk"
  holds "$predicted >= $kernel * (1 - $ERROR_MAX) && $predicted <= $kernel * (1 + $ERROR_MAX)" ||
    complain "$way: predicted $predicted bytes where the kernel read $kernel"
done
read -r predicted kernel < <(moved stay)
((kernel < READ_MIN)) || complain "who stays reads from memory; the kernel tells $kernel"
conclude
