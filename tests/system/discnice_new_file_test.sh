#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# discnice_new_file_test: for a file that a program has just made, the library asks nothing that the program's own calls have already told.
#
# How: strace counts the system calls of a writer under discnice, including the calls of the library. A file that is made and written in order needs no question
# about the page cache, its flags, or its size at each write. An existing file is asked about, which shows that the count includes the library's calls. The
# predictions for both are tested in discnice_verify_test. Not tested here: how long a call takes; `script/bench call_cost` measures that.
source "$(dirname "$0")/../support/discnice.bash"
need strace python3
cd "$SCRATCH"
readonly WRITES=40 WRITE_BYTES=1000

# calls PATTERN: prints how many lines of the trace match.
calls() { grep -c -E "$1" trace || true; }

# traced NAME FLAG...: leaves in `trace` the calls of a process from its opening of NAME on, to which it then writes.
traced() {
  local name=$1 writer
  strace -f -o all "$DISCNICE" -q --policy unlimited -- python3 -c '
import os, sys
count, size, name, *flags = sys.argv[1:]
fd = os.open(name, os.O_WRONLY | sum(getattr(os, flag) for flag in flags))
for _ in range(int(count)):
    os.write(fd, bytes(int(size)))
' "$WRITES" "$WRITE_BYTES" "$@" || fail "status $? from writing $*"
  writer=$(sed -n -E "s/^([0-9]+) +openat\(.*\"$name\".*/\1/p" all | head -n 1)
  [[ -n $writer ]] || fail "the trace shows nobody who opened $name"
  grep "^$writer " all | sed -n "/openat(.*\"$name\"/,\$p" >trace
}

readonly CACHE='cachestat|syscall_0x1c3|mincore' FLAGS='F_GETFL' SIZE='fstat|newfstatat'

make_file ./there 30000
traced there
printf 'a file that is there: %s questions about the cache, %s after flags\n' "$(calls "$CACHE")" "$(calls "$FLAGS")"
if (($(calls "$CACHE") == 0)); then skip "this kernel is asked about its cache in ways that strace does not tell"; fi

traced made O_CREAT O_EXCL
printf 'a new file: %s questions about the cache, %s after flags, %s after sizes, of %s writes\n' "$(calls "$CACHE")" "$(calls "$FLAGS")" \
  "$(calls "$SIZE")" "$(calls 'write\(')"
(($(calls 'write\(') >= WRITES)) || fail "the trace does not show the writes"
(($(calls "$CACHE") == 0)) || complain "a new file has nothing in the cache to be asked about"
(($(calls "$FLAGS") == 0)) || complain "the flags of a file that was just made were in the call"
(($(calls "$SIZE") <= WRITES / 4)) || complain "the size of a file that only we write was asked for $(calls "$SIZE") times"

# A program that appends has to ask where the end of the file is, because another program may have written to the file.
: >log
traced log O_APPEND
(($(calls "$SIZE") >= WRITES)) || complain "the end of a file that is appended to was asked for $(calls "$SIZE") times in $WRITES writes"
conclude
