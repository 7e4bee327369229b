#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# gb_grep: the example finds what grep finds, and reads what is cached first.
#
# grep -F itself is the judge, on files with lines longer than its buffer, without a last newline, and empty. Leaves out the gain
# (script/bench gbp).
source "$(dirname "$0")/../support/system.bash"
need grep
need_built gb-grep
GREP=$(program gb-grep)
mkdir "$SCRATCH/data"
cd "$SCRATCH/data"
printf 'foo one\nbar\nfoo two' >a
printf 'nothing\n' >b
: >c
{ head -c 1000000 /dev/zero | tr '\0' x && printf ' foo\nfoo\n'; } >d
for ((i = 0; i < 40000; ++i)); do echo "line $i foo"; done >e

same() { # ARGUMENT...: as grep -F, but for the order of files
  local theirs=0 ours=0
  grep -a -F "$@" >"$SCRATCH/theirs" 2>/dev/null || theirs=$?
  "$GREP" "$@" >"$SCRATCH/ours" 2>/dev/null || ours=$?
  [[ $theirs -eq $ours ]] || fail "status $ours instead of $theirs from: $*"
  cmp -s <(sort "$SCRATCH/theirs") <(sort "$SCRATCH/ours") || fail "other lines than grep's from: $*"
}
same foo a b c d e
same -c foo a b c d e
same -l foo a b c d e
same -q foo a b
same nowhere a b c
same foo a
same foo a none

evict a b d e
cat e >/dev/null
[[ $("$GREP" -l foo a d e | head -n 1) == e ]] || fail "what is cached is not read first"
[[ $("$GREP" -l -u foo a d e | head -n 1) == a ]] || fail "-u changes the order"
expect_status 2 "$GREP" foo 2>"$SCRATCH/err"
