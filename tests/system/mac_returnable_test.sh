#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# mac_returnable: a process that waits for memory gets the memory that others hold as returnable. No process gives memory that is not returnable, or gives
# memory for a process that cannot be served.
#
# The test runs real processes in a memory control group of 128 MiB; making it needs root. A sort is asked for memory again and again, and its result is still
# right. bench/mac measures how long this takes.
source "$(dirname "$0")/../support/system.bash"
need_root
need timeout mkfifo
need_built gb-fastsort
ADMISSION=$TOOLS/admission
[[ -x $ADMISSION ]] || skip "the tests' tool $ADMISSION was not built"
readonly MIB=$((1 << 20)) LIMIT_MIB=128

if grep -qsw memory /sys/fs/cgroup/cgroup.controllers; then
  folder=/sys/fs/cgroup limit=memory.max
else
  folder=/sys/fs/cgroup/memory limit=memory.limit_in_bytes
fi
group=$folder/gray-test-$$
mkdir "$group" 2>/dev/null || skip "no memory control group can be made here"
at_exit rmdir "$group"
echo $((LIMIT_MIB * MIB)) >"$group/$limit" 2>/dev/null || skip "the memory controller is not for new groups here"

inside() { # shellcheck disable=SC2016 # for the inner shell to expand
  exec timeout 300 sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group" "$@"
}
got() { sed -n 's/^got \([0-9]*\).*/\1/p' "$1"; }
left() { sed -n 's/^\(got\|left\) \([0-9]*\).*/\2/p' "$1" | tail -n 1; }
# serve NAME MIB MS: prints how much memory a process got that waited for at most MS milliseconds.
serve() { (inside "$ADMISSION" alloc $(($2 * MIB)) $(($2 * MIB)) 4096 "$3" </dev/null) >"$SCRATCH/$1" || true; }

hold() { # NAME WAY MIN-MIB: until its fifo is closed
  mkfifo "$SCRATCH/$1.in"
  inside "$ADMISSION" "$2" $(($3 * MIB)) $((LIMIT_MIB * MIB)) "${@:4}" <"$SCRATCH/$1.in" >"$SCRATCH/$1" &
  holders+=($!)
  exec {fd}>"$SCRATCH/$1.in"
  fds+=("$fd")
  until grep -qs got "$SCRATCH/$1"; do sleep 0.05; done
}
let_go() {
  for fd in "${fds[@]}"; do exec {fd}>&-; done
  for holder in "${holders[@]}"; do wait "$holder" || fail "a holder ended with $?"; done
  fds=() holders=()
}
fds=() holders=()

hold one return 8
hold two return 8
# The second process waited for its minimum, and the first process gave back that much memory.
sum=$(($(left "$SCRATCH/one") + $(left "$SCRATCH/two")))
((sum > 90 * MIB)) || fail "the two hold only $sum bytes of $LIMIT_MIB MiB"
serve server 48 10000
(($(got "$SCRATCH/server") == 48 * MIB)) || fail "who waits for 48 MiB that are returnable: $(cat "$SCRATCH/server"), and the others: $(cat "$SCRATCH/one" "$SCRATCH/two")"
one=$(left "$SCRATCH/one") two=$(left "$SCRATCH/two")
((one >= 8 * MIB && two >= 8 * MIB)) || fail "somebody was left with less than his least: $one and $two bytes"
((one + two <= sum - 40 * MIB)) || fail "of $sum bytes they gave back too little: $one and $two are left"
((two == $(got "$SCRATCH/two"))) || fail "whoever held least had to give, too: of $(got "$SCRATCH/two") bytes $two are left, and the other has $one"

# A process that cannot be served gets nothing, and no other process gives anything for it.
serve too_much 118 1500
[[ $(got "$SCRATCH/too_much") == 0 ]] || fail "118 MiB were granted: $(cat "$SCRATCH/too_much")"
(($(left "$SCRATCH/one") >= 8 * MIB && $(left "$SCRATCH/two") >= 8 * MIB)) || fail "for one who cannot be served they gave all but $(left "$SCRATCH/one") and $(left "$SCRATCH/two") bytes"
let_go

# A process does not give memory that it does not hold as returnable.
hold firm alloc 8 4096 10000
serve server 48 1500
[[ $(got "$SCRATCH/server") == 0 ]] || fail "48 MiB were granted beside one who holds all: $(cat "$SCRATCH/server")"
let_go

# A sort gives back memory that it has filled, and its result is still right. While it runs, one process after the other needs nearly all memory.
"$BIN/gb-fastsort" --generate 1500000 "$SCRATCH/records"
returns=0
for _ in {1..5}; do
  inside "$BIN/gb-fastsort" --min 4000000 --max $((LIMIT_MIB * MIB)) --stats -o "$SCRATCH/sorted" "$SCRATCH/records" 2>"$SCRATCH/stats" &
  sort=$!
  while kill -0 "$sort" 2>/dev/null; do
    serve server 100 10000
    sleep 0.1
  done
  wait "$sort" || fail "a sort that was asked for its memory ended with $?"
  "$BIN/gb-fastsort" --check "$SCRATCH/sorted" "$SCRATCH/records" || fail "a sort that gave back its memory has not sorted"
  returns=$((returns + $(sed -n 's/.* returns \([0-9]*\).*/\1/p' "$SCRATCH/stats")))
  if ((returns > 0)); then break; fi
done
((returns > 0)) || fail "in five sorts none was asked for its memory: $(cat "$SCRATCH/stats")"
