#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# discnice_cache_test: a job that gives way leaves the page cache as it found it, and does not pay for its own pages again and again.
#
# How: mincore tells which pages of a file are in memory before and after a job, and the kernel's account tells how many bytes each job read from the disk. In
# cases in which no pages may stay, the room is nearly nothing (own=64K). The programs' output is compared with the files that they read. Left out: a lack of
# memory, other readers at the same time, and the cost of all this (bench/cache_neutral).
source "$(dirname "$0")/../support/discnice.bash"
need python3 tar
cd "$SCRATCH"
readonly FILE_MB=16 PAGES=4096
make_file ./big $((FILE_MB << 20))
make_cold big
python3 -c 'import ctypes, os, sys
fd = os.open("big", os.O_RDONLY)
class Stat(ctypes.Structure): _fields_ = [(name, ctypes.c_uint64) for name in "abcde"]
sys.exit(ctypes.CDLL(None).syscall(451, fd, ctypes.byref((ctypes.c_uint64 * 2)(0, 4096)), ctypes.byref(Stat()), 0) != 0)' ||
  skip "this kernel has no cachestat()"

# job OPTION... -- CMD...: runs it; its report is in `report`.
job() { "$DISCNICE" --json --report report "$@" || fail "status $? from $*"; }
# disk_reads FILES: how many times the job read the whole of big from the disk.
disk_reads() { calculate "$(field report kernel_read_bytes) / ($FILE_MB * 1048576.0)"; }

# Pages that were cached before stay, and pages that the job brought in are dropped, with any call that reads. The ledger is off, because without
# the ledger no read is trusted.
half_warm() {
  local try
  for try in 1 2 3 4 5; do
    make_cold big
    python3 -c 'import os
fd = os.open("big", os.O_RDONLY)
os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_RANDOM)
for start in range(0, 4096, 256):
    for page in range(start, start + 128): os.pread(fd, 1, page * 4096)'
    before=$(resident_pages big)
    ((before == PAGES / 2)) && return
    sleep "0.$try"
  done
  skip "this machine does not keep half a file in memory"
}
readonly SEND='import os
source, target = os.open("big", os.O_RDONLY), os.open("sent", os.O_WRONLY | os.O_CREAT)
while os.sendfile(target, source, None, 1 << 20): pass'
readonly VECTOR='import os
source = os.open("big", os.O_RDONLY)
at, buffers = 0, [bytearray(5000), bytearray(70000)]
while (got := os.preadv(source, buffers, at)): at += got'
# leaves_half READER OPTION...: half of a file is in memory, and the same half afterwards. It is tried up to three times, because the host may take pages back as well.
leaves_half() {
  local reader=$1 try
  shift
  for try in 1 2 3; do
    half_warm
    job --cache own=64K --smooth-writes on --ledger off "$@" -- sh -c "$reader" >/dev/null 2>&1
    after=$(resident_pages big)
    rm -f copied sent
    printf '%-20.20s %d of %d pages before, %d after\n' "$reader" "$before" "$PAGES" "$after"
    if ((after >= before - PAGES / 100 && after <= before + PAGES / 100)); then return; fi
  done
  complain "$reader: $before pages were there before, $after after it"
}
for reader in 'cat big' 'dd if=big bs=10240' 'sha256sum big' 'cp big copied' "python3 -c '$SEND'" "python3 -c '$VECTOR'"; do
  leaves_half "$reader"
  (($(field report cache_let_go_bytes) > 0)) || complain "the report says nothing of what '$reader' let go of"
done
# A job also leaves half of the file in memory if it counts pages with the other backend.
leaves_half 'cat big' --backend mincore

# Without the option no pages are dropped. Within the room all pages stay.
make_cold big
job --cache shared -- cat big >/dev/null
(($(resident_pages big) == PAGES)) || complain "--cache shared has let go of pages"
make_cold big
job --cache neutral -- sh -c 'cat big; cat big' >/dev/null
holds "$(disk_reads) < 1.05" || complain "a job with room for its file had it $(disk_reads) times of the disk"
(($(field report cache_brought_bytes) >= FILE_MB << 20)) || complain "neutral does not look after the page cache"
job -- cat big >/dev/null
(($(field report cache_brought_bytes) == 0)) || complain "nice alone looks after the page cache"

# Data that the job reads again is kept: when the room is one and a half times as large as the file, one of three readings costs nothing. A new reading through
# the same descriptor counts as a reading, too.
readonly THRICE='import os
fd = os.open("big", os.O_RDONLY)
for _ in range(3):
    os.lseek(fd, 0, os.SEEK_SET)
    while os.read(fd, 65536): pass'
for thrice in 'cat big; cat big; cat big' "python3 -c '$THRICE'"; do
  make_cold big
  job --cache own=24M -- sh -c "$thrice" >/dev/null
  printf 'three readings: %.2f of the disk\n' "$(disk_reads)"
  holds "$(disk_reads) < 2.05" || complain "of a file that is read three times $(disk_reads) readings came from the disk: $thrice"
done

# The pages of a program that itself advises the kernel are left alone.
make_cold big
job --cache own=64K --ledger off -- python3 -c 'import os
fd = os.open("big", os.O_RDONLY)
os.posix_fadvise(fd, 0, 4096, os.POSIX_FADV_WILLNEED)
while os.read(fd, 65536): pass'
(($(resident_pages big) == PAGES)) || complain "pages went that a program advises the kernel of itself"

# Written pages are dropped when they are on the disk, and the written data is complete.
make_warm big
job --cache own=64K --smooth-writes on -- sh -c 'dd if=big of=written bs=64K status=none; sync; cp written again'
cmp big written || complain "what was written is not what was read"
cmp big again || complain "what was copied is not what was read"
(($(field report cache_let_go_bytes) > FILE_MB << 19)) || complain "of what was written only $(field report cache_let_go_bytes) bytes went"
rm -f written again

# Many small files, in a reader that leaves the last file open.
mkdir small
for i in $(seq 200); do head -c $((i * 50)) /dev/urandom >"small/$i"; done
sync -f small
make_cold small/*
job --cache own=4K -- tar cf archive small
tar df archive || complain "the archive of small files is not what they hold"
make_cold small/*
job --cache own=4K --ledger off -- cat small/* >/dev/null
left=$(resident_pages small/*)
((left <= 8)) || complain "$left pages of small files are left"

# Pages of a file that is written and closed at once are dropped when they are on the disk, by the name that the file has then. A file that has got that name
# meanwhile keeps its pages.
readonly WRITE_SMALL='import os, sys, time
os.mkdir("made")
def write(name):
    fd = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    os.write(fd, os.urandom(5000))
    os.close(fd)
for i in range(100):
    write(f"made/.{i}.new")
    os.rename(f"made/.{i}.new", f"made/{i}")
write("made/other")
os.rename("made/other", "made/away")
write("made/here")
os.rename("made/here", "elsewhere")
os.link("bait", "made/here")
os.sync()
write("last")'
make_file ./bait 5000
small_writes() {
  local try
  for try in 1 2 3; do
    rm -rf made elsewhere last
    sync -f bait
    make_warm bait
    job --cache own=4K --smooth-writes on -- python3 -c "$WRITE_SMALL"
    left=$(resident_pages made/[0-9]* made/away)
    bait=$(resident_pages bait)
    printf 'small files that were written: %d of %d pages left; of another file %d of 2\n' "$left" $((101 * 2)) "$bait"
    if ((left <= 20 && bait == 2)); then return; fi
  done
  complain "$left pages of files that were written and closed are left, and $bait of 2 of a file that has the name of one"
}
small_writes

# The models know that pages are dropped: nothing is predicted too late. The option can be changed while a job runs.
make_cold big
job --cache own=64K --ledger off -- python3 -c "$THRICE"
holds "$(field report unforetold) < 0.02 * $(field report kernel_read_bytes)" || complain "$(field report unforetold) bytes came from the disk unforeseen"
make_cold big
job --cache own=64K -- sh -c "'$DISCNICE' set \$PPID --cache shared; cat big" >/dev/null
(($(resident_pages big) == PAGES)) || complain "discnice set --cache shared is not heard"
conclude
