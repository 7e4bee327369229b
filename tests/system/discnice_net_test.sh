#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# discnice_net_test: a job's connections are limited in addition to its disk traffic: by the options, by `discnice set` and by the schedule. They are restored
# when the job ends or is killed.
#
# How: the jobs make real transfers over an emulated line. The limit of a socket is read from the socket itself. A rate is judged by the shortest time in which
# a known number of bytes may be moved. Left out: how exactly a rate is met, and how little others notice (bench/netnice measures the same engine).
# Slow: transfers have to last until they are held, at the rates of a line.
source "$(dirname "$0")/../support/discnice.bash"
need_built netsim
need python3 timeout
[[ -r /dev/net/tun && -w /dev/net/tun ]] || skip "/dev/net/tun is not there for this user"
"$BIN/netsim" --rate 10MB -- true 2>"$SCRATCH/refused" || skip "no line can be made here: $(cat "$SCRATCH/refused")"
PEER="python3 $SOURCE/tests/support/net_peer.py"
LIMITS="python3 $SOURCE/tests/support/socket_limits.py"
XDG_CONFIG_HOME=$SCRATCH/config
readonly V4=10.97.0.2 PORT=7000
export PEER LIMITS DISCNICE SCRATCH V4 PORT XDG_CONFIG_HOME
cd "$SCRATCH"

# line RATE SCRIPT: runs it at the near end of a line; its own checks end it. Its functions:
#   told EXPRESSION FILE   whether the expression holds for d, what the JSON file says
#   start WHAT OPTION...   a job that transfers without end: JOB, and FLOW, the process that has the connection
#   pacing                 by which rate what FLOW sends is held, in bytes a second
#   until_true CMD...      waits for it, for a long time
FUNCTIONS='
told() { python3 -c "import json, sys; d = json.load(open(sys.argv[2])); sys.exit(0 if eval(sys.argv[1]) else \"not so: %s: %s\" % (sys.argv[1], d))" "$1" "$2"; }
until_true() { local look; for look in {1..300}; do if "$@"; then return; fi; sleep 0.1; done; echo "never came true: $*"; exit 1; }
start() {
  local what=$1; shift
  rm -f flow
  "$DISCNICE" --json --report report "$@" -- sh -c "echo \$\$ >flow; exec $PEER keep $what $V4 $PORT" & JOB=$!
  until_true test -s flow
  FLOW=$(<flow)
}
pacing() { $LIMITS "$FLOW" | while read -r rate _; do echo "$rate"; done; }
is_paced() { local rate; rate=$(pacing); [[ -n $rate ]] && (($1 <= rate && rate <= $2)); }
'
line() {
  timeout 300 "$BIN/netsim" --rate "$1" --delay 20ms --queue 10MB --far "$PEER serve $PORT" -- bash -euo pipefail -c "$FUNCTIONS$2" ||
    fail "status $? from: $2"
}

# --- Both rates at once: a file is read from the disk at one rate, and sent at the other. The bytes are right, and the report
# counts them.
make_file ./source 6000000
cat >both.py <<'PY'
"""Reads a file, and moves bytes both ways beside that."""
import subprocess, sys
peer, host, port, name = sys.argv[1:]
moving = [subprocess.Popen(["python3", peer, what, host, port, "2000000"], stdout=subprocess.PIPE, text=True) for what in ("get", "put")]
with open(name, "rb", buffering=0) as file:
    while file.read(65536):
        pass
print(*(one.communicate()[0].strip() for one in moving))
PY
make_cold source
line 4MB '
  begun=$EPOCHREALTIME
  words=$("$DISCNICE" --rate 2MB --net 500KB --json --report report -- python3 both.py ${PEER#python3 } $V4 $PORT source)
  ended=$EPOCHREALTIME
  [[ $words == "right right" ]] || { echo "the bytes: $words"; exit 1; }
  told "d[\"rate_bytes_per_s\"] == 2000000 and d[\"net\"][\"up_bytes_per_s\"] == d[\"net\"][\"down_bytes_per_s\"] == 500000" report
  told "1500000 < d[\"net\"][\"sent_bytes\"] < 2100000 and 1500000 < d[\"net\"][\"received_bytes\"] < 2100000 and d[\"net\"][\"connections\"] == 2" report
  told "d[\"kernel_read_bytes\"] >= 5900000 and d[\"uncovered\"] < 1000000" report
  awk -v begun="$begun" -v ended="$ended" "BEGIN { print ended - begun; exit !(ended - begun > 2.5) }" || { echo "6 MB at 2 MB/s and 2 MB at 500 KB/s each way were too quick"; exit 1; }'

# --- The limit is changed while the job runs, by set and by the schedule; status, top and report show it.
line 4MB '
  start put --net nice
  $LIMITS "$FLOW" held
  "$DISCNICE" set "$JOB" --net 100KB
  until_true is_paced 5000 150000
  told "d[0][\"net\"] == \"97.7 KiB/s\" and d[0][\"job\"] == $JOB" <("$DISCNICE" status --json)
  "$DISCNICE" status | grep -q "97.7 KiB/s" || { echo "status does not say it"; exit 1; }
  told "d[0][\"limits\"][\"net_up_bytes_per_s\"] == 100000 and d[0][\"uncovered\"] == 0" <("$DISCNICE" top --json)
  sends() { "$DISCNICE" top --json >top && told "20000 < d[0][\"sent_bytes_per_s\"] < 1000000" top 2>not_so; }
  until_true sends
  told "d[\"net\"][\"sent_bytes\"] > 0 and d[\"net\"][\"connections\"] == 1" <("$DISCNICE" report --json "$JOB")
  "$DISCNICE" report "$JOB" | grep -Eq "network +sent .*1 TCP connection" || { echo "the report does not say it"; exit 1; }
  "$DISCNICE" set "$JOB" --net off
  $LIMITS "$FLOW" free
  "$DISCNICE" set "$JOB" --net down=1M
  told "d[0][\"net\"] == \"down 1.00 MiB/s\"" <("$DISCNICE" status --json)
  "$DISCNICE" set "$JOB" --rate 1M # the network stays as it is
  told "d[0][\"net\"] == \"down 1.00 MiB/s\"" <("$DISCNICE" status --json)
  kill "$JOB"; wait "$JOB" || [[ $? -eq 143 ]]
  start put --schedule "00:00-24:00 nice net 100KB"
  until_true is_paced 5000 150000
  kill "$JOB"; wait "$JOB" || [[ $? -eq 143 ]]
  told "d[\"net\"][\"up_bytes_per_s\"] == 100000" report'

# --- All sockets are restored: at the end of the command, when either process of discnice is killed, and by release. Without --net no
# socket is held.
line 2MB '
  quiet() { rm -f flow; "$DISCNICE" -q "$@" 2>said & JOB=$!; until_true test -s flow; FLOW=$(<flow); }
  for what in get put; do
    keep="echo \$\$ >flow; exec $PEER keep $what $V4 $PORT"
    for killed in first launcher; do
      quiet --net nice -- sh -c "$keep"
      $LIMITS "$FLOW" held
      victim=$JOB
      if [[ $killed == launcher ]]; then victim=$(ps -o ppid= -p "$FLOW"); fi
      kill -9 $victim; wait "$JOB" || true
      $LIMITS "$FLOW" free || { echo "kill -9 of the $killed, $what: not put back"; exit 1; }
      until_true grep -q "nothing is held on the network any more" said
      kill "$FLOW"
    done
    quiet --net nice -- sh -c "$PEER keep $what $V4 $PORT & echo \$! >flow; until [ -e enough ]; do sleep 0.1; done"
    $LIMITS "$FLOW" held
    touch enough; wait "$JOB"; rm enough
    $LIMITS "$FLOW" free || { echo "the end, $what: not put back"; exit 1; }
    kill "$FLOW"
    $PEER keep $what $V4 $PORT & FLOW=$!
    "$DISCNICE" adopt -q --net nice "$FLOW" & JOB=$!
    $LIMITS "$FLOW" held || { echo "adopt, $what: not held"; exit 1; }
    "$DISCNICE" release "$JOB"; wait "$JOB"
    $LIMITS "$FLOW" free || { echo "release, $what: not put back"; exit 1; }
    kill "$FLOW"
    quiet -- sh -c "$keep"
    sleep 1
    $LIMITS "$FLOW" free || { echo "without --net, $what: held"; exit 1; }
    kill "$JOB"; wait "$JOB" || true
  done'

# --- Processes that adopt leaves out are left out on the network, too: children from before the adoption, unless --tree is given.
line 2MB '
  rm -f flow
  sh -c "$PEER keep put $V4 $PORT & echo \$! >flow; wait" & PARENT=$!
  until_true test -s flow
  FLOW=$(<flow)
  "$DISCNICE" adopt -q --net 100KB "$PARENT" & JOB=$!
  until_true "$DISCNICE" set "$JOB" --net 50KB 2>not_so
  sleep 1.5
  $LIMITS "$FLOW" free || { echo "a child of before is held without --tree"; exit 1; }
  "$DISCNICE" release "$JOB"; wait "$JOB"
  "$DISCNICE" adopt -q --tree --net 100KB "$PARENT" & JOB=$!
  $LIMITS "$FLOW" held || { echo "a child of before is not held with --tree"; exit 1; }
  "$DISCNICE" release "$JOB"; wait "$JOB"
  $LIMITS "$FLOW" free || { echo "release: not put back"; exit 1; }
  kill "$FLOW" "$PARENT"'
conclude
