#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# gb_wss: gb-wss tells which memory processes, trees and control groups use, ends when it is told to, and reports a mistake in one line.
#
# How: the test uses small processes of its own. The exactness of whole curves is tested in system/working_set.
source "$(dirname "$0")/../support/system.bash"
need timeout python3
need_built gb-wss
[[ -x $TOOLS/touches ]] || skip "the tests' tool touches was not built"
OUT=$SCRATCH/out ERR=$SCRATCH/err

# expect STATUS LINES-ON-STDERR ARGUMENT...
expect() {
  local want=$1 lines=$2 got=0
  shift 2
  timeout 300 "$BIN/gb-wss" "$@" >"$OUT" 2>"$ERR" </dev/null || got=$?
  [[ $got -eq $want ]] || fail "status $got instead of $want from gb-wss $*: $(cat "$ERR")"
  [[ $(wc -l <"$ERR") -eq $lines ]] || fail "$(wc -l <"$ERR") lines instead of $lines on stderr from gb-wss $*: $(cat "$ERR")"
}
json() { # EXPRESSION: true for the answer d
  python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); sys.exit(not eval(sys.argv[2]))' "$OUT" "$1" || fail "not so: $1: $(cat "$OUT")"
}
said() { grep -q -- "$1" "$ERR" || fail "not said: '$1': $(cat "$ERR")"; }

# begin ARGUMENT...: starts a process with a known pattern; its number is in $process.
begin() {
  "$TOOLS/touches" "$@" >"$SCRATCH/ready" &
  process=$!
  at_exit kill "$process"
  until grep -q ready "$SCRATCH/ready"; do sleep 0.02; done
}

# Wrong command lines.
expect 2 1
said 'whose memory'
expect 2 1 abc
said "'abc' is not the number of a process"
expect 2 1 0
expect 2 1 -- -5
expect 2 1 --span 1ms $$
said 'at least 10ms'
expect 2 1 --span soon $$
expect 2 1 --looks 2 $$
said 'from 3 to 32'
expect 2 1 --windows 0 $$
expect 2 1 --cgroup "$SCRATCH"
said 'not the folder of a control group'
expect 2 1 --tre 1
said 'perhaps --tree'

begin loop 64 50000 16 # 16 MiB in 82 ms, repeatedly
"$BIN/gb-wss" --span 1s "$process" >"$OUT" 2>"$ERR" || {
  grep -q 'no clear_refs' "$ERR" && skip "this kernel takes no marks away"
  grep -q 'memory is short' "$ERR" && skip "memory is short here"
  fail "$(cat "$ERR")"
}
grep -q "^$process touches: 6[0-9].* MiB resident$" "$OUT" || fail "who, and how much: $(cat "$OUT")"
grep -Eq '^works with: 1[6-9]\.. MiB \(touched within' "$OUT" || fail "16 MiB in a loop: $(cat "$OUT")"
grep -Eq '^not touched for 1.0. s: (4[6-9]|5[0-2])\.. MiB$' "$OUT" || fail "the rest: $(cat "$OUT")"
grep -q '^cost: ' "$OUT" || fail "the cost: $(cat "$OUT")"

expect 0 0 --anyway --json --span 200ms --looks 4 --windows 2 "$process"
json 'len(d["processes"]) == 1 and len(d["processes"][0]["curve"]) == 4 and d["span_ns"] == 200000000 and not d["is_ended_early"]'
json '16 << 20 <= d["processes"][0]["curve"][-1]["touched_bytes"] < 19 << 20'

# A tree: processes that begin meanwhile are included. A number without a process is named, and the other processes are measured.
bash -c 'exec 2>&-; "$0" loop 8 1000 & sleep 0.5; "$0" loop 32 1000 & wait' "$TOOLS/touches" >/dev/null &
tree=$!
at_exit pkill -P "$tree"
sleep 0.2
expect 0 1 --anyway --json --span 1500ms --tree "$tree"
said '1 of 4 processes ended'
json 'sorted(p["name"] for p in d["processes"]) == ["bash", "sleep", "touches", "touches"]'
json 'd["all"]["curve"][-1]["touched_bytes"] > 32 << 20'
expect 1 1 --anyway --json --span 20ms --looks 3 "$process" 2147483646
said 'process 2147483646: there is no such process'
json 'len(d["processes"]) == 2 and [p["error"] is None for p in d["processes"]] == [True, False]'
expect 1 1 --anyway --span 20ms --looks 3 2147483646
[[ ! -s $OUT ]] || fail "of nobody it says: $(cat "$OUT")"

# When gb-wss is told to end, it reports its figures up to that time.
timeout 120 "$BIN/gb-wss" --anyway --json --span 1h --looks 20 "$process" >"$OUT" 2>"$ERR" &
watcher=$!
sleep 1
pkill -INT -P "$watcher" gb-wss
wait "$watcher" || fail "status $? after Ctrl-C: $(cat "$ERR")"
said 'ended before its time'
json 'd["is_ended_early"] and d["processes"][0]["curve"][-1]["touched_bytes"] > 16 << 20'

# A process that does nothing, as soon as it has started.
sleep 300 &
idle=$!
at_exit kill "$idle"
until [[ $(awk '{ print $2, $3 }' "/proc/$idle/stat") == '(sleep) S' ]]; do sleep 0.02; done
# The kernel marks a page of a shared library as touched by whichever process touches it. On a busy machine some process always does: then the curve is not at 0.
is_at_zero() { grep -qE '^ *1[0-9]{2} ms +0 B ' "$OUT"; }
for _ in {1..20}; do
  expect 0 0 --anyway --span 100ms --looks 3 "$idle"
  if is_at_zero; then break; fi
done
if is_at_zero; then
  grep -q '^touched nothing within 1' "$OUT" || fail "of a process that touches nothing it says: $(cat "$OUT")"
  if grep -q 'bend' "$OUT"; then fail "of a process that touches nothing it says: $(cat "$OUT")"; fi
else
  echo "LEFT OUT: a process that touches nothing; other processes touch the pages that it shares with them"
fi

# A process that ends meanwhile.
begin exits 16 1000
expect 0 1 --anyway --json --span 3s "$process"
said 'the process ended'
json 'd["processes"][0]["has_ended"] and d["processes"][0]["error"] is None'

# Many processes, and few descriptors.
sh -c 'for i in $(seq 40); do sleep 20 & done; wait' &
many=$!
at_exit pkill -P "$many"
sleep 0.3
(
  ulimit -Sn 40
  expect 0 0 --anyway --json --span 20ms --looks 3 --tree "$many"
)

# A process of another user, if the test may become another user; and output that cannot be written.
if [[ $EUID -eq 0 ]] && command -v setpriv >/dev/null; then
  begin loop 4 1000
  got=0
  setpriv --reuid 65534 --regid 65534 --clear-groups timeout 120 "$BIN/gb-wss" --anyway --span 20ms --looks 3 "$process" >"$OUT" 2>"$ERR" || got=$?
  [[ $got -eq 1 ]] || fail "status $got for another user's process: $(cat "$ERR")"
  said 'another user'
fi
got=0
"$BIN/gb-wss" --anyway --span 20ms --looks 3 $$ >/dev/full 2>"$ERR" || got=$?
[[ $got -eq 1 ]] || fail "status $got where the output does not arrive"
