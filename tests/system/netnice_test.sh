#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# netnice: held programs move the right bytes with a short queue, and every socket is as before when netnice ends, is ended, or is killed.
#
# How: the programs transfer over an emulated line, whose queue holds seconds of data. A small request during the transfer shows whether the queue is full. The
# limit of a socket is read from the socket itself. Times are lower bounds, or have seconds to spare. Left out: how close the transfers come to the line's rate,
# and the bursts of others (bench/netnice).
# Slow: transfers have to last until they are held, at the rates of a line.
source "$(dirname "$0")/../support/system.bash"
need_built netnice netsim
need python3 timeout pkill
[[ -r /dev/net/tun && -w /dev/net/tun ]] || skip "/dev/net/tun is not there for this user"
"$BIN/netsim" --rate 10MB -- true 2>"$SCRATCH/refused" || skip "no line can be made here: $(cat "$SCRATCH/refused")"
PEER="python3 $SOURCE/tests/support/net_peer.py"
LIMITS="python3 $SOURCE/tests/support/socket_limits.py"
export PEER LIMITS BIN SCRATCH
readonly V4=10.97.0.2 V6=fd97::2 PORT=7000
export V4 V6 PORT

# line RATE SCRIPT: runs it at the near end of a line; the checks in the script end it.
line() {
  timeout 300 "$BIN/netsim" --rate "$1" --delay 20ms --queue 10MB --far "$PEER serve $PORT" -- bash -euo pipefail -c "$2" ||
    fail "status $? from: $2"
}

# --- The bytes are right, both ways, by IPv4 and IPv6, held and under a rate.
line 4MB '
  for host in $V4 $V6; do
    for what in get put both; do
      answer=$($BIN/netnice -q --report $SCRATCH/report -- $PEER $what $host $PORT 3000000)
      [[ $answer == right ]] || { echo "$what $host: $answer"; exit 1; }
      python3 -c "
import json, sys
told = json.load(open(sys.argv[1]))
moved = told[\"sent_bytes\"] + told[\"received_bytes\"]
assert told[\"connections\"] >= 1 and told[\"paths\"][0][\"peer\"] == sys.argv[2], told
assert moved > 1500000 and told[\"paths\"][0][\"up\"][\"base_us\"] >= 19000, told" $SCRATCH/report $host
    done
  done'
# The held transfer is so slow that it makes up for the bytes that passed before netnice found the socket.
line 2MB '
  for what in get put; do
    start=$EPOCHREALTIME
    [[ $($BIN/netnice -q --rate 500KB -- $PEER $what $V4 $PORT 4000000) == right ]] || { echo "$what under a rate: wrong"; exit 1; }
    awk -v start=$start -v end=$EPOCHREALTIME "BEGIN { print end - start; exit !(end - start > 5) }" || { echo "$what: 4 MB at 500 KB/s was too quick"; exit 1; }
  done'

# --- The queue stays short: plain, an upload and a download would fill it for seconds.
line 1MB '
  for what in get put; do
    $BIN/netnice -q -- $PEER keep $what $V4 $PORT & job=$!
    sleep 4
    ms=$(timeout 100 $PEER ping $V4 $PORT 60)
    kill $job; wait $job || true
    echo "beside keep $what: $ms ms"
    ((ms < 1000)) || exit 1
  done'

# --- All sockets are restored: at the end of the command, by a signal, when either process is killed, and when adoption ends.
line 2MB '
  put_back() { # HOW SCRIPT-THAT-ENDS-IT: a transfer each way goes on, held at first, free afterwards
    $LIMITS $flow held || { echo "$1: not held"; exit 1; }
    eval "$2"
    $LIMITS $flow free || { echo "$1: not put back"; exit 1; }
    kill $flow
  }
  for what in get put; do
    $BIN/netnice -q -- sh -c "$PEER keep $what $V4 $PORT & echo \$! >$SCRATCH/flow; until [ -e $SCRATCH/enough ]; do sleep 0.1; done" & job=$!
    until [[ -s $SCRATCH/flow ]]; do sleep 0.1; done
    flow=$(cat $SCRATCH/flow)
    put_back "the end, $what" "touch $SCRATCH/enough; wait $job"
    rm -f $SCRATCH/flow $SCRATCH/enough
    $BIN/netnice -q -- sh -c "$PEER keep $what $V4 $PORT $SCRATCH/flow; until [ -e $SCRATCH/enough ]; do sleep 0.1; done" & job=$!
    until [[ -s $SCRATCH/flow ]]; do sleep 0.1; done
    flow=$(cat $SCRATCH/flow)
    sleep 1
    put_back "a connection that was left to a child, $what" "touch $SCRATCH/enough; wait $job"
    rm -f $SCRATCH/flow $SCRATCH/enough
    for killed in netnice worker; do
      $BIN/netnice -q -- sh -c "echo \$\$ >$SCRATCH/flow; exec $PEER keep $what $V4 $PORT" 2>$SCRATCH/said & job=$!
      until [[ -s $SCRATCH/flow ]]; do sleep 0.1; done
      flow=$(cat $SCRATCH/flow)
      victim=$job
      if [[ $killed == worker ]]; then victim=$(ps -o ppid= -p $flow); fi
      put_back "kill -9 of $killed, $what" "kill -9 $victim; wait $job || true"
      for _ in {1..100}; do
        if grep -q "nothing is held on the network any more" $SCRATCH/said; then break; fi
        sleep 0.1
      done
      grep -q "nothing is held on the network any more" $SCRATCH/said || { echo "kill -9 of $killed: not said"; exit 1; }
      rm -f $SCRATCH/flow
    done
    $PEER keep $what $V4 $PORT & flow=$!
    for number in HUP TERM; do # a shell has its jobs ignore INT
      $BIN/netnice adopt -q $flow & job=$!
      $LIMITS $flow held || { echo "adopt, $what: not held"; exit 1; }
      kill -$number $job
      wait $job || { echo "adopt ended with $? by SIG$number"; exit 1; }
      $LIMITS $flow free || { echo "adopt, $what: not put back"; exit 1; }
    done
    kill $flow
  done'

# --- A process is held only once. A program's own settings stay. A process that was held to a very low rate is free at once
# afterwards.
cat >"$SCRATCH/own.py" <<'PY'
"""own.py HOST PORT: a connection that paces itself sends for a while under whoever holds us, and says so if its pace was raised."""
import socket, struct, sys, time

PACING, OWN = 47, 50000
connection = socket.socket()
connection.setsockopt(socket.SOL_SOCKET, PACING, struct.pack("Q", OWN))
connection.connect((sys.argv[1], int(sys.argv[2])))
connection.sendall(b"drain 0\n")
end = time.monotonic() + 3
while time.monotonic() < end:
    connection.send(bytes(4096))
    pace = struct.unpack("Q", connection.getsockopt(socket.SOL_SOCKET, PACING, 8))[0]
    if pace > OWN:
        sys.exit(f"paced by {pace}")
PY
cat >"$SCRATCH/many.py" <<'PY'
"""many.py NETNICE HOST PORT: so many connections that a rate leaves none of them anything; all of them move within seconds when it is lifted."""
import os, signal, socket, struct, subprocess, sys, threading, time

netnice, host, port = sys.argv[1:]
BYTES_ACKED, NUMBER, PATIENCE_S = 120, 60, 30
connections = [socket.create_connection((host, int(port))) for _ in range(NUMBER)]
for one in connections:
    one.sendall(b"drain 0\n")
    one.setblocking(False)

def fill():
    while True:
        for one in connections:
            try:
                one.send(bytes(65536))
            except BlockingIOError:
                pass
        time.sleep(0.1)

def moved():
    return [struct.unpack_from("Q", one.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256), BYTES_ACKED)[0] for one in connections]

threading.Thread(target=fill, daemon=True).start()
time.sleep(1)
holder = subprocess.Popen([netnice, "adopt", "--rate", "20KB", str(os.getpid())], stderr=subprocess.PIPE, text=True)
time.sleep(3)
holder.send_signal(signal.SIGTERM)
said = holder.communicate()[1]
if "too many for the rate" not in said:
    sys.exit(f"not said that these are too many: {said}")
before, end = moved(), time.monotonic() + PATIENCE_S
while time.monotonic() < end and any(now == then for now, then in zip(moved(), before)):
    time.sleep(0.1)
if left := sum(now == then for now, then in zip(moved(), before)):
    sys.exit(f"{left} of {NUMBER} have moved nothing in {PATIENCE_S} s")
PY
line 4MB '
  $PEER ping $V4 $PORT 1 >$SCRATCH/ping # the far end answers
  $BIN/netnice -q --rate 1M -- python3 $SCRATCH/own.py $V4 $PORT
  python3 $SCRATCH/many.py $BIN/netnice $V4 $PORT
  $PEER keep put $V4 $PORT & flow=$!
  $BIN/netnice adopt -q --rate 100K $flow & first=$!
  $LIMITS $flow held
  status=0
  $BIN/netnice adopt -q --rate 1M $flow 2>$SCRATCH/said || status=$?
  ((status == 1)) && grep -q "process $flow is held by another netnice already" $SCRATCH/said || { echo "adopted twice: $status, $(cat $SCRATCH/said)"; exit 1; }
  kill $first; wait $first
  $LIMITS $flow free
  kill $flow'

# --- UDP is counted from its first use on, and multipath TCP by its connections; neither is held in silence.
cat >"$SCRATCH/others.py" <<'PY'
import socket, sys, time

host, port = sys.argv[1], int(sys.argv[2])
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
time.sleep(1)
udp.sendto(b"late", (host, 9))
try:
    multipath = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262)
    multipath.connect((host, port))
except OSError:
    print("none")
time.sleep(1)
PY
line 4MB '
  paths=$($BIN/netnice --json -- python3 $SCRATCH/others.py $V4 $PORT 2>$SCRATCH/said)
  wanted=1; if [[ $paths == none ]]; then wanted=0; fi
  python3 -c "
import json, sys
told = json.load(open(sys.argv[1]))
assert told[\"udp_sockets_not_held\"] == 1 and told[\"mptcp_connections_not_held\"] == int(sys.argv[2]), told" $SCRATCH/said $wanted'
