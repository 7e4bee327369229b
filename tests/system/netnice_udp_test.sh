#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# netnice_udp: what a program sends and receives by UDP keeps to a rate, together with its TCP connections, by whatever call; a small request does not wait; and nothing is held any
# more when netnice is gone or its shared memory is damaged.
#
# How: over an emulated line, from programs in Python and C. That a rate is kept is told by the least time that the bytes may take, or the most bytes of a time. Left out: how exactly
# it is kept (bench/netnice).
# Slow: bytes have to last at a rate.
source "$(dirname "$0")/../support/system.bash"
need_preload
need_built netnice netsim
need python3 timeout
[[ -r /dev/net/tun && -w /dev/net/tun ]] || skip "/dev/net/tun is not there for this user"
"$BIN/netsim" --rate 10MB -- true 2>"$SCRATCH/refused" || skip "no line can be made here: $(cat "$SCRATCH/refused")"
UDP="python3 $SOURCE/tests/support/udp_peer.py"
PEER="python3 $SOURCE/tests/support/net_peer.py"
readonly HOST=10.97.0.2 PORT=7001 TCP_PORT=7000
absent=()
export UDP PEER HOST PORT TCP_PORT BIN SCRATCH

FUNCTIONS='
# told EXPRESSION: it must be true of the report
told() { python3 -c "import json, sys; d = json.load(open(sys.argv[2])); sys.exit(0 if eval(sys.argv[1]) else \"not so: %s: %s\" % (sys.argv[1], d))" "$1" "$SCRATCH/report"; }
at_least() { awk -v value="$1" -v least="$2" "BEGIN { exit !(value >= least) }" || { echo "$3: $1 instead of $2 at the least"; exit 1; }; }
at_most() { awk -v value="$1" -v most="$2" "BEGIN { exit !(value <= most) }" || { echo "$3: $1 instead of $2 at the most"; exit 1; }; }
netnice() { "$BIN/netnice" -q --report "$SCRATCH/report" "$@"; }
until_true() { local look; for look in {1..600}; do if "$@"; then return; fi; sleep 0.1; done; echo "never came true: $*"; exit 1; }
got() { read -r bytes wrong <<<"$($UDP count $HOST $PORT)"; }
'
# line SCRIPT: runs it at the near end of a line, when the far end answers; the checks in the script end it.
line() {
  timeout 600 "$BIN/netsim" --rate 10MB --delay 10ms --queue 10MB --far "$PEER serve $TCP_PORT & exec $UDP serve $PORT" -- bash -euo pipefail -c "$FUNCTIONS got; $1" ||
    fail "status $? from: $1"
}

# --- Every call keeps to the rate, and every datagram arrives as it was sent. Processes that send at once share the rate.
line '
  for call in send nonblock asyncio sendto sendmsg sendmmsg write writev "send 4"; do
    read -r call jobs <<<"$call"
    before=$bytes
    seconds=$(netnice --rate 500KB -- $UDP $call $HOST $PORT 1200000 $jobs)
    echo "$call: $seconds s"
    at_least "$seconds" 2 "$call: 1.2 MB at 500 KB/s took seconds"
    told "d[\"udp_sockets_held\"] >= 1 and d[\"udp_sockets_not_held\"] == 0 and d[\"udp_sent_bytes\"] >= 1200000"
    moved() { got; ((bytes - before == 1200000)); }
    until_true moved
    ((wrong == 0)) || { echo "$call: $wrong datagrams are not right"; exit 1; }
  done
  # What is put under another number, inherited and executed is still held.
  begun=$EPOCHREALTIME
  netnice --rate 100KB -- bash -c "exec 9>/dev/udp/$HOST/$PORT; exec 4>&9 9>&-; sh -c \"head -c 300000 /dev/zero | dd bs=1000 status=none iflag=fullblock >&4\""
  at_least "$(awk -v begun="$begun" -v ended="$EPOCHREALTIME" "BEGIN { print ended - begun }")" 2.2 "dd: 300 KB at 100 KB/s took seconds"
  told "d[\"udp_sent_bytes\"] == 300000"'

# --- So does what is received.
line '
  for call in recv nonblock recvfrom recvmsg read; do
    bytes=$(netnice --down 200KB -- $UDP take $call $HOST $PORT 3)
    echo "$call: $bytes bytes in 3 s"
    at_most "$bytes" 1000000 "$call: received in 3 s at 200 KB/s"
    at_least "$bytes" 1200 "$call: received"
    told "d[\"udp_received_bytes\"] >= $bytes"
  done
  # Without netnice more comes, as soon as the far end has a processor.
  more_comes() { (($($UDP take recv $HOST $PORT 3) > 1000000)); }
  until_true more_comes'

# --- TCP and UDP share one rate. A small request does not wait, however low the rate.
line '
  begun=$EPOCHREALTIME
  netnice --rate 500KB -- sh -c "$UDP send $HOST $PORT 1200000 & $PEER put $HOST $TCP_PORT 1200000; wait"
  seconds=$(awk -v begun="$begun" -v ended="$EPOCHREALTIME" "BEGIN { print ended - begun }")
  at_least "$seconds" 4 "1.2 MB each by TCP and UDP at 500 KB/s took seconds"
  told "d[\"udp_sent_bytes\"] == 1200000 and d[\"sent_bytes\"] >= 2300000 and d[\"connections\"] == 1"
  at_most "$(netnice --rate 2KB -- $UDP ask $HOST $PORT 8)" 5000 "a small request took ms"'

# --- Without a rate UDP is not held, and nothing is loaded into the program.
line '
  $BIN/netnice --report $SCRATCH/report -- sh -c "test -z \"\${LD_PRELOAD:-}\${NETNICE_GATE:-}\" && $UDP ask $HOST $PORT 4" 2>$SCRATCH/said
  grep -q "not held: 1 UDP socket.* is held only to a rate" $SCRATCH/said || { cat $SCRATCH/said; exit 1; }
  told "d[\"udp_sockets_held\"] == 0 and d[\"udp_sockets_not_held\"] == 1"
  LD_PRELOAD=libm.so.6 $BIN/netnice -q --rate 1M -- sh -c "case \$LD_PRELOAD in libm.so.6:*/libnetnice.so) ;; *) echo \$LD_PRELOAD; exit 1 ;; esac"'

# --- Whoever kills netnice, everything passes afterwards: one of its processes, the other, or both at once.
line '
  for killed in first worker both; do
    $BIN/netnice -q --rate 5KB -- sh -c "echo \$\$ >$SCRATCH/sender; exec $UDP keep $HOST $PORT" 2>$SCRATCH/said & job=$!
    until_true test -s $SCRATCH/sender
    sender=$(<$SCRATCH/sender)
    sleep 1
    got; before=$bytes
    sleep 2
    got
    at_most $((bytes - before)) 200000 "held before kill -9 of $killed, sent"
    worker=$(ps -o ppid= -p $sender)
    case $killed in
      first) kill -9 $job ;;
      worker) kill -9 $worker ;;
      both) kill -9 $job $worker ;;
    esac
    wait $job || true
    passes() { got; ((bytes - before > 3000000)); }
    until_true passes
    kill $sender
    rm $SCRATCH/sender
  done'

# --- Whatever stands in the shared memory, no call stands for long, and netnice ends as the program does.
cat >"$SCRATCH/forge.py" <<'PY'
"""Fills the shared memory with bytes of one kind after the other, while datagrams are sent; says how long the longest call took."""
import ctypes, os, random, socket, sys, threading, time

libc = ctypes.CDLL(None, use_errno=True)
libc.shmat.restype = ctypes.c_void_p
address = libc.shmat(int(os.environ["NETNICE_GATE"].split("-")[0]), None, 0)
here = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
here.connect((sys.argv[1], int(sys.argv[2])))
done = False

def forge():
    start = time.monotonic()
    while not done:
        now = time.monotonic_ns()
        words = (ctypes.c_uint64 * 11).from_address(address)
        if time.monotonic() - start < 3:
            words[2] = now  # the beat
            words[3], words[4] = 1, now + 10**15  # the rate, and when all is paid
        else:
            for number in range(11):
                words[number] = random.choice((0, 1, now, now + 10**9, 2**63, 2**64 - 1, random.getrandbits(64)))
        time.sleep(0.001)

forger = threading.Thread(target=forge)
forger.start()
longest, end, calls = 0.0, time.monotonic() + 6, 0
while time.monotonic() < end:
    start = time.monotonic()
    here.send(bytes(100))
    longest = max(longest, time.monotonic() - start)
    calls += 1
done = True
forger.join()
print(f"{longest:.2f} {calls}")
PY
line '
  read -r longest calls <<<"$(netnice --rate 500KB -- python3 $SCRATCH/forge.py $HOST $PORT)"
  echo "the longest of $calls calls: $longest s"
  at_most "$longest" 15 "a call stood for seconds"
  at_least "$longest" 0.5 "the words were not even looked at: the longest call"
  told "d[\"status\"] == 0"
  # A name that is none, or leads nowhere: the program runs as without it.
  for name in "" x 1-1 2147483647-5 99999999999-1; do
    NETNICE_GATE=$name LD_PRELOAD=$BIN/../lib/libnetnice.so $UDP send $HOST $PORT 12000 >/dev/null
  done'

# --- A program that the library cannot reach is said not to be held.
cat >"$SCRATCH/static.c" <<'C'
#include <arpa/inet.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>
int main(int argc, char** argv) {
  struct sockaddr_in to = {AF_INET, htons((unsigned short)atoi(argv[argc - 1])), {inet_addr(argv[1])}, {0}};
  int here = socket(AF_INET, SOCK_DGRAM, 0);
  for (int i = 0; i < 20; ++i, usleep(100000)) sendto(here, "hello", 5, 0, (struct sockaddr*)&to, sizeof to);
  return 0;
}
C
if "${GRAY_CC:-cc}" -static -o "$SCRATCH/static" "$SCRATCH/static.c" 2>"$SCRATCH/said"; then
  line '
    $BIN/netnice --report $SCRATCH/report --rate 1M -- $SCRATCH/static $HOST $PORT 2>$SCRATCH/said
    grep -q "not held: 1 UDP socket.* is held only in programs that send by libc" $SCRATCH/said || { cat $SCRATCH/said; exit 1; }
    told "d[\"udp_sockets_held\"] == 0 and d[\"udp_sockets_not_held\"] == 1"'
else
  absent+=("a static program")
fi

# --- discnice --net does the same beside the disk, with both libraries in the program, and follows `discnice set`.
if [[ -x $BIN/discnice && -e $LIB/libdiscnice.so ]]; then
  line '
    seconds=$($BIN/discnice --rate 5MB --net 500KB --json --report $SCRATCH/report -- $UDP send $HOST $PORT 1200000)
    at_least "$seconds" 2 "discnice --net: 1.2 MB at 500 KB/s took seconds"
    told "d[\"net\"][\"sent_bytes\"] >= 1200000 and d[\"net\"][\"udp_sockets_not_held\"] == 0"
    $BIN/discnice -q --net 5KB -- $UDP keep $HOST $PORT & job=$!
    sleep 2
    got; before=$bytes
    sleep 2
    got
    at_most $((bytes - before)) 200000 "discnice --net 5KB: sent"
    until_true $BIN/discnice set $job --net nice
    passes() { got; ((bytes - before > 3000000)); }
    until_true passes
    kill $job; wait $job || true'
else
  absent+=("discnice")
fi
if ((${#absent[@]})); then echo "not tried: ${absent[*]}"; fi
