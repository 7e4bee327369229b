#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# netnice: netnice runs a command or adopts processes, ends with the status of the command, and reports an error in one line.
#
# How: the only network is the loopback, which netnice leaves alone. system/netnice tests that netnice gives way to others, and
# that all sockets are restored.
source "$(dirname "$0")/../support/system.bash"
need timeout python3
need_built netnice
OUT=$SCRATCH/out ERR=$SCRATCH/err

# expect STATUS LINES-ON-STDERR ARGUMENT...
expect() {
  local want=$1 lines=$2 got=0
  shift 2
  timeout 300 "$BIN/netnice" "$@" >"$OUT" 2>"$ERR" </dev/null || got=$?
  [[ $got -eq $want ]] || fail "status $got instead of $want from netnice $*: $(cat "$ERR")"
  [[ $(wc -l <"$ERR") -eq $lines ]] || fail "$(wc -l <"$ERR") lines instead of $lines on stderr from netnice $*: $(cat "$ERR")"
}
said() { grep -Eq -- "$1" "$ERR" || fail "not said: '$1': $(cat "$ERR")"; }

# Arguments that are not valid: nothing is run.
expect 2 1
said 'no command to run'
for wrong in '--rate 0' '--rate 5' '--rate much' '--up -1' '--down' '--give-way' '--rat 5M'; do
  read -ra words <<<"$wrong"
  expect 2 1 "${words[@]}" -- touch "$SCRATCH/was_run"
  [[ ! -e $SCRATCH/was_run ]] || fail "netnice $wrong ran the command"
done
expect 2 1 --rat 5M -- true
said 'perhaps --rate'
expect 2 1 --give-way -- true
said 'without a rate it gives way anyway'
expect 127 1 -- "$SCRATCH/none"
said "none': No such file"
expect 126 1 -- "$SCRATCH"
expect 125 1 --report "$SCRATCH/no/folder" -- touch "$SCRATCH/was_run"
[[ ! -e $SCRATCH/was_run ]] || fail 'the command was run although its report cannot be written'

# The command gets its arguments unchanged, and netnice does not change the command's output and status. Nothing is
# reported about a command that used no network.
expect 7 0 -- sh -c 'echo out; exit 7'
[[ $(cat "$OUT") == out ]] || fail "the command's output: $(cat "$OUT")"
expect 0 0 echo --rate 3
[[ $(cat "$OUT") == '--rate 3' ]] || fail "the command's words: $(cat "$OUT")"
# shellcheck disable=SC2016 # for the inner shell to expand
expect 143 0 -- sh -c 'kill -TERM $$'
expect 3 0 --rate 1M --down 2M --give-way --trace "$SCRATCH/trace" -- sh -c 'exit 3'

# Without its library it holds TCP alone, and says so.
mkdir "$SCRATCH/alone"
cp "$BIN/netnice" "$SCRATCH/alone/"
status=0
"$SCRATCH/alone/netnice" --rate 1M -- sh -c 'echo "${LD_PRELOAD:-nothing}"' >"$OUT" 2>"$ERR" || status=$?
[[ $status -eq 0 ]] || fail "status $status without the library: $(cat "$ERR")"
if ! grep -q '/libnetnice.so' "$OUT"; then # it may be installed on this system
  said '^netnice: what goes by UDP is not held: cannot find libnetnice.so'
  [[ $(cat "$OUT") == "${LD_PRELOAD:-nothing}" ]] || fail "preloaded: $(cat "$OUT")"
fi

# The report, in a file and on standard error.
timeout 300 "$BIN/netnice" --json --report "$SCRATCH/report" -- sh -c 'exit 4' 2>"$ERR" || [[ $? -eq 4 ]]
cmp -s "$ERR" "$SCRATCH/report" || fail "two reports: $(cat "$ERR" "$SCRATCH/report")"
python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); assert d["status"] == 4 and d["connections"] == 0 and d["paths"] == [] and d["schema"] == 1, d' "$SCRATCH/report" || fail "the report: $(cat "$SCRATCH/report")"

# Connections within this host are left alone: they are neither counted nor held.
cat >"$SCRATCH/local.py" <<'PY'
"""Moves bytes over the loopback and a pair of local sockets, and says whether any of them was held meanwhile."""
import socket, threading, time

PACING, LOCKS = 47, 72
server = socket.create_server(("127.0.0.1", 0))
near = socket.create_connection(server.getsockname())
far = server.accept()[0]
pair = socket.socketpair()
end = time.monotonic() + 1

def drain(one):
    while one.recv(65536):
        pass

for one in (far, pair[1]):
    threading.Thread(target=drain, args=(one,), daemon=True).start()
while time.monotonic() < end:
    near.sendall(bytes(65536))
    pair[0].sendall(bytes(65536))
    assert int.from_bytes(near.getsockopt(socket.SOL_SOCKET, PACING, 8), "little") == 2**64 - 1, "the sender is held"
    assert far.getsockopt(socket.SOL_SOCKET, LOCKS) == 0, "the receiver is held"
print("free")
PY
expect 0 0 --rate 10K -- python3 "$SCRATCH/local.py"
[[ $(cat "$OUT") == free ]] || fail "on the loopback: $(cat "$OUT")"

# SIGTERM reaches the command, which decides what to do. An interrupt that a process sends reaches the command, too.
# shellcheck disable=SC2016
printf '#!/bin/sh\ntrap "exit 5" TERM\necho on >%s\nwhile :; do sleep 0.1; done\n' "$SCRATCH/on" >"$SCRATCH/script"
chmod +x "$SCRATCH/script"
"$BIN/netnice" -- "$SCRATCH/script" 2>"$ERR" &
child=$!
for _ in {1..600}; do if [[ -s $SCRATCH/on ]]; then break; fi; sleep 0.1; done
kill -TERM "$child"
expect_status 5 wait "$child"

# A process that cannot be adopted is named, and in that case no process is held.
sleep 600 &
sleeper=$!
at_exit kill "$sleeper"
sh -c 'exit 0' &
gone=$!
wait "$gone"
expect 2 1 adopt
said 'write netnice adopt PID'
for wrong in x 0 -5 1.5 99999999999 "$sleeper x"; do
  read -ra words <<<"$wrong"
  expect 2 1 adopt "${words[@]}"
done
expect 1 1 adopt "$sleeper" "$gone"
said "process $gone cannot be held: No such process"
expect 1 1 adopt 1
said 'process 1 '
if [[ $EUID -eq 0 ]] && command -v setpriv >/dev/null && setpriv --reuid 65534 --regid 65534 --clear-groups "$BIN/netnice" --version >/dev/null 2>&1; then
  expect_status 1 timeout 300 setpriv --reuid 65534 --regid 65534 --clear-groups "$BIN/netnice" adopt "$sleeper" 2>"$ERR"
  said "process $sleeper cannot be held: Operation not permitted"
  [[ $(wc -l <"$ERR") -eq 1 ]] || fail "more than a line: $(cat "$ERR")"
else
  echo "not tried: another user's process"
fi

# netnice ends when all adopted processes have ended, or by a signal.
sleep 1 &
expect 0 0 adopt $!
"$BIN/netnice" adopt "$sleeper" 2>"$ERR" &
child=$!
sleep 0.5
kill -TERM "$child"
expect_status 0 wait "$child"
kill -0 "$sleeper" || fail "who was adopted has ended with netnice"
