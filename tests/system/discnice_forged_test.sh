#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# discnice_forged_test: values that are written into a job's segment on purpose make no program crash, and no program waits longer than its own bytes take.
#
# How: a program makes a file dirty in twelve places, or reads. It waits while the segment is changed with knowledge of its layout, and then goes on. Its
# status and the time of its next call are judged. Random damage is tested in system/discnice_damage. Left out: two processes that change the table of dirty data at
# the same moment (unit/discnice, dirty_table).
source "$(dirname "$0")/../support/discnice.bash"
need python3
cd "$SCRATCH"
make_file ./source 4000000

# The program reports each step and then waits for a word.
cat >victim.py <<'PYTHON'
import ctypes, os, sys, time
libc = ctypes.CDLL(None, use_errno=True)
step = sys.argv[1]
file = os.open("target", os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
source = os.open("source", os.O_RDONLY)
for page in range(0, 24, 2):
    os.pwrite(file, b"x" * 4096, page * 4096)
if step == "read": os.pread(source, 4096, 0)
open("stands", "w").write(f"{os.getpid()} {os.fstat(file).st_dev} {os.fstat(file).st_ino}")
while not os.path.exists("go"): time.sleep(0.01)
begun = time.monotonic()
if step == "punch":
    libc.fallocate(file, 3, ctypes.c_long(5 * 4096), ctypes.c_long(4096))
    os.pwrite(file, b"y" * 4096, 5 * 4096)
elif step == "write":
    os.pwrite(file, b"y" * 4096, 4096)
    os.pwrite(file, b"y" * 4096, 40 * 4096)
elif step == "remove":
    os.ftruncate(file, 4096)
    os.unlink("target")
else:
    for at in range(0, 400000, 4096): os.pread(source, 4096, at)
print(f"{time.monotonic() - begun:.2f}")
PYTHON

# Writes into the segment what the first word says.
cat >forge.py <<'PYTHON'
import glob, mmap, os, struct, sys, time
pid, device, inode = map(int, open("stands").read().split())
name, = [name for name in glob.glob("/dev/shm/discnice-*") if ".disks" not in name and "-ring" not in name]
memory = mmap.mmap(os.open(name, os.O_RDWR), 0)
FRONT, MEMBERS, MEMBER, TABLE = 4096, 3328, 256, 262144
entry = memory.find(struct.pack("<QQ", device, inode), TABLE)
member = next(at for at in range(MEMBERS, TABLE, MEMBER) if struct.unpack_from("<I", memory, at)[0] == pid)

def instant(ahead_ns):
    low = time.monotonic_ns() + ahead_ns & (1 << 52) - 1
    return low | low % 4093 << 52

def intervals(pairs):
    for i, pair in enumerate(pairs): struct.pack_into("<QQ", memory, entry + 32 + 16 * i, *pair)

HOUR = 3600 * 10**9
what = sys.argv[1]
if what == "overlapping": intervals([(i, 1000 - i) for i in range(4)] + [(0, 1000)] * 8)
if what == "equal": intervals([(1, 2)] * 12)
if what == "backwards": intervals([(1 << 63, 3)] * 12)
if what == "endless": intervals([(0, (1 << 64) - 1)] * 12)
if what == "count": struct.pack_into("<Q", memory, entry + 24, (1 << 64) - 1)
if what == "pending":
    for at in (136, 144): memory[member + at + 7] = 0xff
if what == "settled": struct.pack_into("<QQ", memory, member + 8 + 4 * 8, 0, 0)
if what == "owed": struct.pack_into("<Q", memory, member + 152, time.monotonic_ns() + HOUR)
if what == "paid":
    for lane in range(4): struct.pack_into("<Q", memory, 576 + 8 * lane, instant(HOUR))
PYTHON

# forged STEP VALUE: tests how the program goes on from there.
forged() {
  local status=0 launcher
  rm -f stands go target
  make_cold source
  "$DISCNICE" -q --rate 4MB -- python3 victim.py "$1" >took 2>said &
  launcher=$!
  until [[ -s stands ]] || ! kill -0 "$launcher" 2>/dev/null; do sleep 0.02; done
  python3 forge.py "$2" || complain "$2: cannot be forged"
  touch go
  timeout 8 tail --pid="$launcher" -f /dev/null || { pkill -KILL -P "$launcher"; complain "$1, $2: it hangs"; }
  wait "$launcher" || status=$?
  printf '%-12s then %-7s status %d, %s s\n' "$2" "$1" "$status" "$(<took)"
  ((status == 0)) || complain "$1, $2: status $status: $(<said)"
  [[ ! -s took ]] || holds "$(<took) < 1.5" || complain "$1, $2: took $(<took) s"
  rm -f /dev/shm/discnice-*
}

for value in overlapping equal backwards endless count; do
  for step in punch write remove; do forged "$step" "$value"; done
done
for value in pending settled owed paid; do
  for step in read write; do forged "$step" "$value"; done
done
conclude
