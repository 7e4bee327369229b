#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# netnice: held programs move the right bytes with a short queue, and every socket is as before when netnice ends, is ended, or is killed.
#
# How: over an emulated line, whose queue holds seconds of data. A small request beside the transfer shows whether the queue is full. How a socket is held is read from the socket
# itself. Times are lower bounds, or have seconds to spare. Left out: how close to the line's rate it comes, and others' bursts (bench/netnice).
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
# It is so slow that it makes up for the bytes that passed before it was found.
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

# --- All is put back: at the end of the command, by a signal, when either process is killed, and when adoption ends.
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
        if grep -q "nothing is held any more" $SCRATCH/said; then break; fi
        sleep 0.1
      done
      grep -q "nothing is held any more" $SCRATCH/said || { echo "kill -9 of $killed: not said"; exit 1; }
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
