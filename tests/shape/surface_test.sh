#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# surface: checks that libdiscnice.so interposes every function that this machine's libc offers for file I/O, or that the list gives the reason why not.
#
# The names that the libc exports are compared with preload/entry/interposed*.def and left_alone.txt. A list of patterns says which names mean file I/O, so
# that a newer libc's new function is seen. First the check must see two differences: a made-up function, and a function taken off the list.
# Left out: whether a wrapper behaves like its function (system/discnice_identical), and libraries other than libc.
source "$(dirname "$0")/../support/system.bash"
need nm python3

HERE=$SOURCE/tests/shape
check() { python3 "$HERE/check_surface.py" "$1" "$SOURCE"/tools/discnice/preload/entry/interposed*.def <"$2"; }

# python3 may be a script that starts another program, so a program of the system is used.
libc=$(ldd "$(command -v ls)" | awk '$1 ~ /^libc\.so/ { print $3; exit }')
[[ -e ${libc:-} ]] || skip "no shared libc found to look at"
nm -D --defined-only --with-symbol-versions "$libc" >"$SCRATCH/names"

{
  cat "$SCRATCH/names"
  echo '0000000000012345 T preadv9@@GLIBC_9.9'
} >"$SCRATCH/more"
if said=$(check "$HERE/left_alone.txt" "$SCRATCH/more" 2>/dev/null); then fail "a function nobody knows is not seen"; fi
[[ $said == *"preadv9: this libc has it"* ]] || fail "of a function nobody knows it says: $said"
sed 's/ fdopendir / /' "$HERE/left_alone.txt" >"$SCRATCH/list"
if check "$SCRATCH/list" "$SCRATCH/names" >/dev/null 2>&1; then fail "a name taken off the list is not missed"; fi

check "$HERE/left_alone.txt" "$SCRATCH/names" >"$SCRATCH/wrong" || {
  cat "$SCRATCH/wrong" >&2
  fail "$(wc -l <"$SCRATCH/wrong") names to decide about"
}
