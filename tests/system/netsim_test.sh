#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# netsim_test: the emulated line transports bytes correctly, is never faster than requested, loses and drops as requested, and leaves nothing behind.
#
# How: a small server is at the far end and a client at the near end, over IPv4 and IPv6. All times are lower bounds: a megabyte takes at least what the rate allows,
# a round trip at least the delay. Queue and losses are read from netsim's own report, and compared with what the client saw. Then netsim is killed. Left out:
# how exact netsim is, because a busy host cannot show this; unit/netsim tests the arithmetic.
# Slow: it waits for datagrams that were lost, and for a command that does not end.
source "$(dirname "$0")/../support/system.bash"
need_built netsim
need python3 pgrep
[[ -r /dev/net/tun && -w /dev/net/tun ]] || skip "/dev/net/tun is not there for this user"
NETSIM=$(program netsim)
readonly NETSIM
"$NETSIM" --rate 10MB -- true 2>"$SCRATCH/refused" || skip "no line can be made here: $(cat "$SCRATCH/refused")"
cd "$SCRATCH"

cat >server.py <<'PY'
"""Sends back what it gets, on both families; a datagram too."""
import selectors, socket, sys, threading

def serve(connection):
    while piece := connection.recv(65536):
        connection.sendall(piece)
    connection.close()

sockets = selectors.DefaultSelector()
for family, address in ((socket.AF_INET, "10.97.0.2"), (socket.AF_INET6, "fd97::2")):
    listening = socket.create_server((address, 7000), family=family, backlog=16)
    sockets.register(listening, selectors.EVENT_READ)
    datagrams = socket.socket(family, socket.SOCK_DGRAM)
    datagrams.bind((address, 7001))
    sockets.register(datagrams, selectors.EVENT_READ)
while True:
    for key, _ in sockets.select():
        if key.fileobj.type == socket.SOCK_DGRAM:
            data, sender = key.fileobj.recvfrom(2000)
            key.fileobj.sendto(data, sender)
        else:
            threading.Thread(target=serve, args=(key.fileobj.accept()[0],), daemon=True).start()
PY
cat >client.py <<'PY'
"""client.py echo ADDRESS BYTES | datagrams ADDRESS NUMBER: what came back, and how long it took."""
import os, socket, sys, threading, time

what, address, amount = sys.argv[1], sys.argv[2], int(sys.argv[3])

def connected():
    for _ in range(600):  # the server may still be starting
        try:
            return socket.create_connection((address, 7000), timeout=60)
        except ConnectionRefusedError:
            time.sleep(0.05)
    raise SystemExit("the far end does not answer")

connection = connected()
if what == "echo":
    data = os.urandom(amount)
    start = time.monotonic()
    connection.sendall(b"x")
    assert connection.recv(1) == b"x"
    round_trip = time.monotonic() - start
    start = time.monotonic()
    threading.Thread(target=connection.sendall, args=(data,), daemon=True).start()
    back = bytearray()
    while len(back) < amount:
        back += connection.recv(65536)
    print("same" if back == data else "different", round_trip, time.monotonic() - start)
else:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    datagrams = socket.socket(family, socket.SOCK_DGRAM)
    datagrams.settimeout(5)
    datagrams.bind(("", 0))

    def send():
        for number in range(amount):
            datagrams.sendto(number.to_bytes(4, "big") + bytes(996), (address, 7001))

    threading.Thread(target=send, daemon=True).start()
    numbers = []
    try:
        while len(numbers) < amount:
            numbers.append(int.from_bytes(datagrams.recv(2000)[:4], "big"))
    except TimeoutError:
        pass
    print(len(numbers), numbers == sorted(numbers))
PY
readonly FAR="exec python3 server.py"

field() { python3 -c "import json, sys; r = json.load(open('report.json')); print(r$1)"; }
holds() { awk "BEGIN { exit !($1) }"; }

bytes_and_times() { # ADDRESS
  local what round_trip time
  read -r what round_trip time < <(timeout 120 "$NETSIM" --rate 1000KB --delay 60ms --far "$FAR" -- python3 client.py echo "$1" 1000000)
  [[ $what == same ]] || fail "over $1 other bytes came back, or none"
  holds "$round_trip >= 0.06" || fail "over $1 a round trip took $round_trip s of 0.06"
  holds "$time >= 1.0" || fail "over $1 a megabyte took $time s at a megabyte a second"
}

loss_happens() {
  timeout 120 "$NETSIM" --rate 800KB --delay 2ms --queue 100MB --loss 10% --far "$FAR" --report report.json -- \
    python3 client.py datagrams 10.97.0.2 1000 >count
  local came lost
  read -r came _ <count
  lost=$(field "['up']['lost']")
  # A few of the lost packets are not datagrams. Ends that are too slow lose some datagrams themselves.
  ((lost > 50 && lost < 200)) || fail "$lost of some 1000 packets were lost where 10 of 100 are to be"
  ((came > 0 && came <= 1000 - lost + 10)) || fail "$came of 1000 datagrams came back where $lost were lost on their way"
}

queue_is_bounded() {
  local came ordered dropped longest
  timeout 120 "$NETSIM" --rate 200KB --delay 2ms --queue 50KB --far "$FAR" --report report.json -- \
    python3 client.py datagrams fd97::2 300 >count
  read -r came ordered <count
  dropped=$(field "['up']['dropped']")
  longest=$(field "['up']['queue_bytes_max']")
  [[ $ordered == True ]] || fail "datagrams overtook each other"
  ((dropped > 0 && came < 300)) || fail "of 300 KB at once no datagram was dropped by a queue of 50 KB"
  ((longest <= 50000 && longest > 40000)) || fail "a queue of 50 KB held up to $longest bytes"
  ((came <= 300 - dropped + 10)) || fail "$came of 300 came back where $dropped were dropped"
}

status_is_the_commands() {
  expect_status 7 "$NETSIM" --rate 1M -- sh -c 'exit 7'
  expect_status 143 "$NETSIM" --rate 1M -- sh -c 'kill -TERM $$'
  expect_status 127 "$NETSIM" --rate 1M -- no-such-command 2>said
  grep -q "no-such-command" said || fail "a command that is not there is not named"
  expect_status 126 "$NETSIM" --rate 1M -- /dev/null 2>said
}

far_command_is_told() {
  expect_status 0 timeout 120 "$NETSIM" --rate 1M --far 'exit 3' -- sleep 1 2>said
  grep -q "far command has ended with status 3" said || fail "that the far command failed is not said: $(cat said)"
  # This is also true where the near command ends before the far command has begun.
  for _ in 1 2 3 4 5; do # it is given a second to begin in, which a busy host may not have
    expect_status 0 timeout 120 "$NETSIM" --rate 1M --far no-such-command -- true 2>said
    if [[ -s said ]]; then break; fi
  done
  grep -q "far command has ended with status 127" said || fail "that the far command could not be started is not said: $(cat said)"
  # The far command is asked to end, and ends before netsim does.
  "$NETSIM" --rate 1M --far 'trap "echo ended >told; exit" TERM; echo up >started; while :; do sleep 0.1; done' -- \
    sh -c 'until [ -e started ]; do sleep 0.05; done'
  [[ $(cat told) == ended ]] || fail "the far command was not asked to end"
  # A far command that ignores the request is killed.
  timeout 300 "$NETSIM" --rate 1M --far 'trap "" TERM; while :; do sleep 0.1; done' -- true || fail "a far command that stays stays"
}

wrong_is_told() {
  local words
  local line
  for line in '--rate 0' '--rate 5X' '--rate 2G' '' '--rate 1M --delay 20' '--rate 1M --delay 11s' '--rate 1M --queue 1000' '--rate 1M --queue much' \
    '--rate 1M --loss 100%' '--rate 1M --loss x' '--rte 1M'; do
    read -ra words <<<"$line"
    expect_status 2 "$NETSIM" "${words[@]}" -- true 2>said
    [[ $(wc -l <said) -eq 1 ]] || fail "netsim ${words[*]} says $(wc -l <said) lines: $(cat said)"
  done
  expect_status 2 "$NETSIM" --rate 1M 2>said
  grep -q 'no command' said || fail "that there is no command is not said: $(cat said)"
  expect_status 125 "$NETSIM" --rate 1M --report none/report -- touch was_run 2>said
  grep -q 'none/report' said || fail "a report that cannot be written is not named: $(cat said)"
  [[ ! -e was_run ]] || fail "the command was run although its report cannot be written"
  expect_status 1 "$NETSIM" --rate 1M --report /dev/full -- true 2>said
  grep -q '/dev/full: No space left' said || fail "a report that was not written is not named: $(cat said)"
}

# In a mount namespace of its own, /dev/net/tun is missing, or open to every user.
without_device_and_root() {
  [[ $EUID -eq 0 ]] && unshare -m true 2>/dev/null || return 0
  expect_status 125 unshare -m sh -c 'mount -t tmpfs tmpfs /dev/net && "$0" --rate 1M -- true' "$NETSIM" 2>said
  grep -q '/dev/net/tun: No such file' said || fail "that there is no TUN device is not said: $(cat said)"
  cp "$NETSIM" netsim
  chmod 755 . netsim
  if ! setpriv --reuid 65534 --regid 65534 --clear-groups unshare -rpf true 2>/dev/null; then return 0; fi
  # shellcheck disable=SC2016 # for the inner shells
  unshare -m sh -c 'mount -t tmpfs tmpfs /dev/net && mknod -m 666 /dev/net/tun c 10 200 &&
    setpriv --reuid 65534 --regid 65534 --clear-groups ./netsim --rate 1M -- sh -c "nsenter --net=\$NETSIM_FAR cat /proc/net/fib_trie"' >said ||
    fail "an ordinary user gets no line"
  grep -q '10.97.0.2' said || fail "the far end that an ordinary user reaches has not its address: $(cat said)"
}

# gone MARK: waits until no process has MARK in its command line.
gone() {
  local i
  for ((i = 0; i < 300; i++)); do
    pgrep -f "$1" >/dev/null || return 0
    sleep 0.1
  done
  return 1
}

nothing_stays() {
  local number pid i near=98765.$$ far=87654.$$
  for number in KILL TERM; do
    rm -f started
    "$NETSIM" --rate 1M --far "sleep $far & wait" -- sh -c "setsid sleep $near & echo >started; sleep $near" 2>/dev/null &
    pid=$!
    for ((i = 0; i < 300; i++)); do
      if [[ -e started ]]; then break; fi
      sleep 0.1
    done
    pgrep -f "sleep $near" >/dev/null || fail "the command was not started"
    kill -"$number" "$pid"
    wait "$pid" 2>/dev/null || true
    gone "sleep $near" || fail "after a SIG$number the near command is still there"
    gone "sleep $far" || fail "after a SIG$number the far command is still there"
  done
  [[ ! -d /sys/class/net/line ]] || fail "the host has an interface of the line"
  grep -q 10.97.0 /proc/net/route && fail "the host has a route to the line"
  return 0
}

bytes_and_times 10.97.0.2
if [[ -e /proc/net/if_inet6 ]]; then bytes_and_times fd97::2; fi
loss_happens
queue_is_bounded
status_is_the_commands
far_command_is_told
wrong_is_told
without_device_and_root
nothing_stays
