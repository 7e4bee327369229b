#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# discnice_announced: reads that a program announces with posix_fadvise(POSIX_FADV_WILLNEED) or readahead() are predicted and waited for before the kernel fetches
# them. The calls return the same results as without discnice.
#
# How: a file is announced piece by piece, by each of the two calls, by name and by number. The model runs without corrections, and its prediction is compared
# with the kernel's account. Then the time at a rate is measured. The results of wrong announcements are compared with the results without the library.
# Left out: madvise(), which the account settles.
source "$(dirname "$0")/../support/discnice.bash"
need python3
cd "$SCRATCH"
python=$(python3 -c 'import sys; print(sys.executable)') # the python3 in the PATH may be a script that looks for it
hold_programs python3 "$python"
readonly BYTES=40000000 RATE=10000000
make_file ./file "$BYTES"

cat >announce.py <<'PYTHON'
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
WILLNEED, FADVISE64, READAHEAD = 3, 221, 187
off = ctypes.c_long
def by_name(fd, offset, length): return libc.posix_fadvise(fd, off(offset), off(length), WILLNEED)
def by_number(fd, offset, length): return libc.syscall(off(FADVISE64), off(fd), off(offset), off(length), off(WILLNEED))
def readahead(fd, offset, length): return libc.readahead(fd, off(offset), off(length))
def readahead_by_number(fd, offset, length): return libc.syscall(off(READAHEAD), off(fd), off(offset), off(length))
CALLS = {call.__name__: call for call in (by_name, by_number, readahead, readahead_by_number)}
if sys.argv[1] == "wrong":
    fds = {"none": -1, "pipe": os.pipe()[0], "write-only": os.open("file2", os.O_WRONLY | os.O_CREAT), "file": os.open("file", os.O_RDONLY)}
    for name, call in CALLS.items():
        for kind, fd in fds.items():
            for offset, length in ((0, 1), (-1, 1), (0, -1), (1 << 62, 1 << 62), (0, 0)):
                ctypes.set_errno(0)
                print(name, kind, offset, length, call(fd, offset, length), ctypes.get_errno())
    sys.exit()
fd = os.open("file", os.O_RDONLY)
piece, end = int(sys.argv[2]), os.fstat(fd).st_size
for offset in range(0, end, piece):
    assert CALLS[sys.argv[1]](fd, offset, piece) == 0
PYTHON

"$python" announce.py wrong >plain.said
LD_PRELOAD=$LIBRARY DISCNICE_RATE=1G "$python" announce.py wrong >held.said
diff plain.said held.said || complain 'wrong announcements are answered otherwise'

piece=$((1 << 20))
for call in by_name by_number readahead readahead_by_number; do
  for piece in 65536 100000 1000000 8000000; do
    make_cold file
    "$DISCNICE" verify --ledger=off --json --report report -- "$python" announce.py "$call" "$piece"
    sed -i 's/,"classes".*/}/' report # only the sums: announcements are in no class of calls
    holds "$(field report kernel_read_bytes) > 1000000" || complain "$call of $piece bytes fetched nothing"
    off=$(calculate "100 * ($(field report predicted_read_bytes) - $(field report kernel_read_bytes)) / $(field report kernel_read_bytes)")
    printf '%-20s %8d bytes: %6.2f %% off\n' "$call" "$piece" "$off"
    holds "$off < 0.5 && $off > -0.5" || complain "$call of $piece bytes: $off % off"
  done
done

make_cold file
"$DISCNICE" --rate 10MB --json --report report -- "$python" announce.py by_name 1000000
took=$(field report elapsed_seconds)
printf 'at 10 MB/s: %s of the rate\n' "$(calculate "$BYTES / $took / $RATE")"
holds "$BYTES / $took > 0.95 * $RATE && $BYTES / $took < 1.05 * $RATE" || complain "announcements ran at $(calculate "$BYTES / $took") bytes/s of $RATE"
conclude
