#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# discnice_interrupt_test: a job that is held back can be interrupted as without discnice, and leaves behind what it would leave without discnice.
#
# How: the rate of each program is far below its wanted speed, so a signal nearly always comes during a wait. The test measures the time from the signal to the
# end of the program several times. The worst time counts. After kill -9 the target must be a prefix of the source. A small ext4 in a file serves as the full
# disk. The message, the status and the files are compared with a run without discnice. Left out: data that the file system itself loses in a crash of the
# machine.
# Slow: a signal is sent several times to each of many waits, and the worst counts.
source "$(dirname "$0")/../support/discnice.bash"
need rsync python3

# Without an interrupt the program would wait for 15 s. bench/throttle measures how soon a signal takes effect on a quiet host.
readonly FELT_MS_MAX=1500 TRIES=4
PYTHON=$(python3 -c 'import sys; print(sys.executable)')
readonly RATE=2MB
cd "$SCRATCH"
make_file ./source 30000000

# signal_after: runs COMMAND in a session and on a terminal of its own. DELAY seconds after some process there has opened the source, it presses Ctrl-C there, or
# sends SIGNAL only to the first process. It prints the milliseconds until that process was gone, and its status as python reports it (negative for a signal).
# COMMAND's stderr is the test's, and its stdout is discarded.
read -r -d '' SIGNAL_AFTER <<'TEXT' || true
import os, signal, sys, time
name, delay, command = sys.argv[1], float(sys.argv[2]), sys.argv[3:]
stderr, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
pid, terminal = os.forkpty()
if pid == 0:
    os.dup2(nowhere, 1)
    os.dup2(stderr, 2)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    os.execvp(command[0], command)

def has_open(process, name):
    try:
        return os.getsid(process) == pid and any(
            os.readlink(f"/proc/{process}/fd/{fd}") == name for fd in os.listdir(f"/proc/{process}/fd"))
    except OSError:
        return False

def is_at_work():
    return any(has_open(int(process), os.path.realpath("source")) for process in os.listdir("/proc") if process.isdigit())

patience = time.monotonic() + 10
while not is_at_work() and time.monotonic() < patience:
    time.sleep(0.01)
time.sleep(delay)
start = time.monotonic()
if name == "ctrl-c":
    os.write(terminal, b"\x03")
else:
    os.kill(pid, getattr(signal, name))
_, status = os.waitpid(pid, 0)
print(f"{(time.monotonic() - start) * 1000:.1f} {os.waitstatus_to_exitcode(status)}")
TEXT
signal_after() { python3 -c "$SIGNAL_AFTER" "$@"; }

felt() { # NAME STATUS SIGNAL COMMAND...
  local name=$1 want=$2 signal=$3 try worst=0 took status
  shift 3
  for ((try = 1; try <= TRIES; ++try)); do
    make_cold source
    read -r took status < <(signal_after "$signal" "0.$((1 + 2 * try))" "$@" 2>err-"$try" | tail -1)
    [[ $status == "$want" ]] || complain "$name: ended with $status instead of $want; $(cat "err-$try")"
    holds "$took <= $worst" || worst=$took
  done
  printf '%-46s felt within %s ms (worst of %d), status %s\n' "$name" "$worst" "$TRIES" "$want"
  holds "$worst <= $FELT_MS_MAX" || complain "$name: felt after $worst ms"
}

# Its last message, a page of text, goes to a file here.
readonly READ_LOOP='f = open("source", "rb")
while f.read(1000000): pass'

ctrl_c() {
  local held=(env "LD_PRELOAD=$LIBRARY" "DISCNICE_RATE=$RATE") name=bare
  felt "$name: Ctrl-C, default action" -2 ctrl-c "${held[@]}" cat source --
  felt "$name: Ctrl-C, handler and flag" 3 ctrl-c "${held[@]}" "$TOOLS/signalled_reader" source
  # One large read is finished first, and waits only for the disk, as it does without discnice.
  felt "$name: Ctrl-C, handler, one large read" 3 ctrl-c "${held[@]}" "$TOOLS/signalled_reader" source 30000000
  felt "$name: Ctrl-C, handler, small reads" 3 ctrl-c "${held[@]}" "$TOOLS/signalled_reader" source 4096
  felt "$name: Ctrl-C, handler that cleans up" -2 ctrl-c "${held[@]}" "$TOOLS/signalled_waiter" source temporary
  [[ ! -e temporary ]] || complain "$name: the handler did not remove its temporary file"
  felt "$name: Ctrl-C, python" -2 ctrl-c "${held[@]}" "$PYTHON" -c "$READ_LOOP"
  felt "$name: Ctrl-C, rsync" 20 ctrl-c "${held[@]}" rsync -a source copied
  held=("$DISCNICE" --rate "$RATE" --) name=launcher
  felt "$name: Ctrl-C, default action" -2 ctrl-c "${held[@]}" cat source --
  grep -q 'discnice: cat: .* of disk' err-1 || complain "no report after Ctrl-C: $(cat err-1)"
  felt "$name: Ctrl-C, handler and flag" 3 ctrl-c "${held[@]}" "$TOOLS/signalled_reader" source
  felt "$name: SIGTERM, handler that cleans up" -15 SIGTERM "${held[@]}" "$TOOLS/signalled_waiter" source temporary
  felt "$name: SIGTERM to the launcher alone" -15 SIGTERM "${held[@]}" cat source --
  grep -q 'discnice: cat: .* of disk' err-1 || complain "no report after SIGTERM: $(cat err-1)"
  felt "$name: SIGTERM to the launcher, handler" 3 SIGTERM "${held[@]}" "$TOOLS/signalled_reader" source
  felt "$name: Ctrl-C, dd" -2 ctrl-c "${held[@]}" dd if=source of=/dev/null bs=4M
  grep -q 'copied' err-1 || complain "dd said nothing at its end: $(cat err-1)"
}

# A program that was stopped for a second goes on afterwards. The program may not make up for that time by a burst of more than
# a window.
stop_and_continue() {
  local pid start_ns elapsed_s
  make_file ./short 3000000
  make_cold short
  "$DISCNICE" --rate "$RATE" --json --report report -- cp short short.copy &
  pid=$!
  sleep 0.4
  start_ns=$(date +%s%N)
  kill -STOP "$(pgrep -P "$pid")"
  sleep 1
  kill -CONT "$(pgrep -P "$pid")"
  wait "$pid" || complain "stop and continue: status $?"
  elapsed_s=$(calculate "($(date +%s%N) - $start_ns) / 1e9")
  cmp short short.copy || complain 'stop and continue: the copy differs'
  printf 'stopped for a second in three: %s s after that, as it should be\n' "$elapsed_s"
  holds "$elapsed_s > 1.5 && $elapsed_s < 4.5" || complain "stop and continue: took $elapsed_s s"
}

# A program's own timer interrupts every wait, and the job must still keep its limit. The debt at the end stays unpaid, and may be two windows of
# read-ahead.
readonly WITH_TIMER='import os, signal
signal.signal(signal.SIGALRM, lambda *a: None)
signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
f = os.open("long", os.O_RDONLY)
while os.read(f, 1000000): pass
signal.setitimer(signal.ITIMER_REAL, 0)'
timer() {
  local elapsed_s
  make_file ./long 60000000
  make_cold long
  judged account env "LD_PRELOAD=$LIBRARY" DISCNICE_RATE=12MB "$PYTHON" -c "$WITH_TIMER" || complain "timer: status $?"
  elapsed_s=$(field account elapsed_seconds)
  printf '60 MB at 12 MB/s with a timer of 100 Hz: %s s\n' "$elapsed_s"
  holds "$elapsed_s > 3.3 && $elapsed_s < 5.5" || complain "timer: took $elapsed_s s instead of 5"
}

is_prefix() { # PART WHOLE
  cmp -n "$(stat -c %s -- "$1")" -- "$1" "$2"
}

kill_at_work() {
  local sum command target look
  sum=$(sha256sum <source)
  for command in 'cp source target' 'dd if=source of=target bs=300000 status=none' 'cat source' 'rsync --inplace source target'; do
    rm -f target target.cat
    make_cold source
    # shellcheck disable=SC2086
    setsid env "LD_PRELOAD=$LIBRARY" DISCNICE_RATE=16MB $command >target.cat &
    for ((look = 0; look < 100; ++look)); do
      [[ -s target || -s target.cat ]] && break
      sleep 0.05
    done
    sleep "0.$((RANDOM % 3))"
    kill -KILL -- "-$!" 2>/dev/null || complain "kill -9: $command was gone already"
    wait $! 2>/dev/null || true
    target=target
    [[ $command == cat* ]] && target=target.cat
    [[ -s $target ]] || complain "kill -9 of $command: nothing had been copied"
    is_prefix "$target" source || complain "kill -9 of $command: what was copied is no prefix of the source"
    printf 'kill -9 of %-46s a prefix of %s bytes\n' "'$command':" "$(stat -c %s "$target")"
  done
  [[ $(sha256sum <source) == "$sum" ]] || complain 'kill -9: the source was changed'
  restart_rsync
}

restart_rsync() {
  mkdir tree
  split -b 1000000 source tree/part-
  setsid "$DISCNICE" -q --rate 16MB -- rsync -a tree/ tree.copy/ &
  sleep 0.8
  kill -KILL -- "-$!"
  wait $! 2>/dev/null || true
  (($(find tree.copy -type f | wc -l) < $(find tree -type f | wc -l))) || complain 'rsync had finished before it was killed'
  "$DISCNICE" -q --rate 100MB -- rsync -a --delete tree/ tree.copy/ || complain "the second rsync ended with status $?"
  diff -r tree tree.copy || complain 'the second rsync did not complete the first'
  echo 'rsync killed and started again: identical'
}

# full_disk WAY COMMAND: runs COMMAND, which copies to a file system of 16 MB. Its output and its files are in full.WAY.
full_disk() {
  local manner=$1 command=$2 status=0 in_front=()
  [[ $manner == bare ]] && in_front=(env "LD_PRELOAD=$LIBRARY" DISCNICE_RATE=32MB)
  [[ $manner == launcher ]] && in_front=("$DISCNICE" -q --rate 32MB --)
  "${in_front[@]}" sh -c "$command" >"full.$manner" 2>&1 || status=$?
  sync -f small
  {
    echo "status $status"
    (cd small && find . -name lost+found -prune -o -type f -printf '%P %s ' -exec sha256sum {} \;)
  } >>"full.$manner"
  find small -mindepth 1 -maxdepth 1 ! -name lost+found -exec rm -rf {} +
}

full_disks() {
  local command way
  if ((EUID != 0)) || ! command -v mkfs.ext4 >/dev/null; then
    echo 'not shown: a full disk (needs root and mkfs.ext4)'
    return
  fi
  truncate -s 16M image
  mkfs.ext4 -q -O ^has_journal -m 0 image
  mkdir small
  if ! mount -o loop,nodelalloc image small 2>/dev/null; then
    echo 'not shown: a full disk (no loop device can be mounted here)'
    return
  fi
  at_exit umount "$SCRATCH/small"
  at_exit cd /
  # rsync's sender may report either of two errors, because its SIGCHLD handler may have run before.
  for command in 'cp source small/to' 'dd if=source of=small/to bs=1M status=none' 'dd if=source of=small/to bs=100001 status=none' \
    'cat source >small/to' 'rsync source small/to 2>&1 | sed "s/\\.to\\.[A-Za-z0-9]*/.to.X/; s/write error: .*/write error/"; ls -A small | grep -v lost' \
    'tar cf small/to source 2>&1' 'python3 -c "open(\"small/to\", \"wb\").write(open(\"source\", \"rb\").read())" 2>&1 | tail -1'; do
    for way in plain launcher bare; do full_disk "$way" "$command"; done
    for way in launcher bare; do
      diff full.plain "full.$way" >difference || complain "full disk, $way, $command: $(cat difference)"
    done
    grep -qi 'no space\|status [1-9]' full.plain || complain "full disk: $command did not fill it: $(cat full.plain)"
    printf 'full disk: %-60s %s\n' "${command:0:58}" "$(grep -o 'status.*' full.plain)"
  done
}

ctrl_c
timer
stop_and_continue
kill_at_work
full_disks
conclude
