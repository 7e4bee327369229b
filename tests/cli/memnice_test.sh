#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# memnice: memnice runs a command, ends with its status, passes signals on, and reports a mistake in one line.
#
# How: memnice uses any means that this host allows. system/memnice tests that other programs keep their memory.
source "$(dirname "$0")/../support/system.bash"
need timeout python3
need_built memnice
OUT=$SCRATCH/out ERR=$SCRATCH/err

# expect STATUS LINES-ON-STDERR ARGUMENT...
expect() {
  local want=$1 lines=$2 got=0
  shift 2
  timeout 300 "$BIN/memnice" "$@" >"$OUT" 2>"$ERR" </dev/null || got=$?
  [[ $got -eq $want ]] || fail "status $got instead of $want from memnice $*: $(cat "$ERR")"
  [[ $(wc -l <"$ERR") -eq $lines ]] || fail "$(wc -l <"$ERR") lines instead of $lines on stderr from memnice $*: $(cat "$ERR")"
}
said() { grep -q -- "$1" "$ERR" || fail "not said: '$1': $(cat "$ERR")"; }

# Wrong command lines.
expect 2 1
said 'no command to run'
expect 2 1 --
expect 2 1 --beta 0.5 -- true
said 'no number from 1 to 10'
expect 2 1 --beta 2x -- true
expect 2 1 --beta '' -- true
expect 2 1 --report '' -- touch "$SCRATCH/was_run"
said 'report'
[[ ! -e $SCRATCH/was_run ]] || fail 'the command was run although the report has no name'
expect 2 1 --min much -- true
expect 2 1 --means force -- true
expect 2 1 --bta 2 -- true
said 'perhaps --beta'
expect 127 1 -q --means pause -- "$SCRATCH/none"
said "none': No such file"
touch "$SCRATCH/file"
expect 126 1 -q --means pause -- "$SCRATCH/file"

# The command's output, arguments and status are its own.
expect 7 1 --means pause -- sh -c 'echo out; exit 7'
[[ $(cat "$OUT") == out ]] || fail "the command's output: $(cat "$OUT")"
said 'there was room all the time\|held for\|too short to be seen'
expect 0 0 -q --means pause echo --beta 3
[[ $(cat "$OUT") == '--beta 3' ]] || fail "the command's words: $(cat "$OUT")"
# shellcheck disable=SC2016 # for the inner shell to expand
expect 143 1 --means pause -- sh -c 'kill -TERM $$'
for means in auto pause; do
  timeout 300 "$BIN/memnice" -q --means $means --report "$SCRATCH/report" -- true 2>"$ERR" || fail "--means $means: $(cat "$ERR")"
  python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); assert d["pauses"] == 0 and d["time_ns"] > 0 and d["means"], d' "$SCRATCH/report" || fail "the report: $(cat "$SCRATCH/report")"
done
expect 125 1 -q --report "$SCRATCH/no/folder" -- touch "$SCRATCH/was_run"
said 'No such file'
[[ ! -e $SCRATCH/was_run ]] || fail 'the command was run although its report cannot be written'

# The command starts as it would without memnice: the same signals are ignored and blocked, and closed descriptors are closed.
signals() { (
  if [[ $1 == ignored ]]; then trap '' INT QUIT HUP; fi
  "${@:2}" grep -E '^Sig(Ign|Blk)' /proc/self/status
); }
for they in ignored default; do
  [[ $(signals "$they" "$BIN/memnice" -q) == "$(signals "$they")" ]] || fail "signals: $(signals "$they" "$BIN/memnice" -q) instead of $(signals "$they")"
done
"$BIN/memnice" -q -- sh -c '[ ! -e /proc/self/fd/0 ] && [ ! -e /proc/self/fd/1 ]' <&- >&- 2>&- || fail "status $? with nothing open"

# nohup: an ignored signal ends nothing. An interrupt that a process sends, and not the keyboard, is passed on.
(
  trap '' HUP
  exec "$BIN/memnice" -q -- sleep 1
) &
running=$!
sleep 0.3
kill -HUP "$running"
wait "$running" || fail "status $? after a SIGHUP that is ignored"
rm -f "$OUT"
env --default-signal=INT "$BIN/memnice" -q -- sh -c 'trap "exit 9" INT; echo ready; while :; do sleep 0.1; done' >"$OUT" 2>"$ERR" &
running=$!
until grep -qs ready "$OUT"; do sleep 0.05; done
kill -INT "$running"
got=0
wait "$running" || got=$?
[[ $got -eq 9 ]] || fail "status $got after SIGINT, and the command's was 9: $(cat "$ERR")"

# When memnice is told to end, it ends the command, and reports how the command ended.
rm "$OUT"
"$BIN/memnice" -q -- sh -c 'trap "exit 9" TERM; echo ready; while :; do sleep 0.1; done' >"$OUT" 2>"$ERR" &
running=$!
until grep -qs ready "$OUT"; do sleep 0.05; done
kill -TERM "$running"
got=0
wait "$running" || got=$?
[[ $got -eq 9 ]] || fail "status $got after SIGTERM, and the command's was 9: $(cat "$ERR")"

# When memnice is killed by its name, it leaves no limit and no guard. A process that another process has stopped stays stopped.
rm "$OUT"
# shellcheck disable=SC2016 # for the inner shell to expand
"$BIN/memnice" -q -- sh -c 'echo $$; exec sleep 30' >"$OUT" 2>"$ERR" &
running=$!
until [[ -s $OUT ]]; do sleep 0.05; done
command=$(cat "$OUT")
at_exit kill -KILL "$command"
guard=$(pgrep -P "$running" -x guard-of-job) || fail "no guard: $(ps -o pid,comm --ppid "$running")"
sleep 0.3
kill -STOP "$command"
mapfile -t named < <(pgrep -P "$running" -x memnice)
kill -KILL "$running" "${named[@]}"
wait "$running" 2>/dev/null || true
for _ in {1..100}; do
  if [[ ! -e /proc/$guard ]]; then break; fi
  sleep 0.05
done
[[ ! -e /proc/$guard ]] || fail "the guard is still there five seconds after kill -9"
[[ $(awk '{ print $3 }' "/proc/$command/stat") == T ]] || fail "one that somebody else had stopped is in state $(awk '{ print $3 }' "/proc/$command/stat") after kill -9"
! grep -q memnice- "/proc/$command/cgroup" || fail "after kill -9 the command is still in its group: $(grep memnice- "/proc/$command/cgroup")"
