#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# discnice_pace_test: programs that the library cannot reach are held from outside: at the rate, with the right output, with cached data free, and no process is left stopped.
#
# How: some programs are static, some are written in Go, some lack the job's environment, some belong to another user, and some read by page faults or by system
# calls of their own. The test divides the kernel's account by the time that each program took. One job contains the server of a file system that it uses. Some
# programs go on when the first program has ended. The last cases are unusual ends: signals, a killed launcher, processes that are adopted and released. Left
# out: how exact a rate is over seconds, and the effect on a foreground (bench/throttle, bench/beside).
# Slow: two dozen jobs are held for seconds each, until the account shows that the rate holds.
# Runs alone, or beside one such: a released process must run at once, and a killed one must be gone, within fractions of a second.
source "$(dirname "$0")/../support/discnice.bash"
need python3
need_root # for an emulated disk: on a fast disk a program ends before it is seen
need_built hddsim
[[ -c /dev/fuse && -e /dev/loop-control ]] || skip 'there is no /dev/fuse, or there are no loop devices, for an emulated disk'
readonly MB=1000000 UNIT=pace-$$
"$BIN/hddsim" up "$UNIT" --size 1G >"$SCRATCH/where" || skip "there is no emulated disk here"
at_exit "$BIN/hddsim" down --force "$UNIT"
at_exit cd /
OUT=$(mktemp -d /dev/shm/gray-pace.XXXXXX) # output to memory is no traffic of the disk
readonly OUT
at_exit rm -rf -- "$OUT"
cd "$(<"$SCRATCH/where")"
chmod 755 . "$SCRATCH"
make_file "$PWD/big" $((40 * MB))
make_file "$PWD/small" $((12 * MB))
sync -f .
chmod 644 big small
sha256sum <big >"$OUT/wanted"

# held NAME COMMAND...: takes as long as 40 MB take at 10 MB/s, and its output is complete. Bytes before the first look come early. A longer time is the fault
# of the machine and is allowed.
OPTIONS=()
held() {
  local name=$1 status=0 took
  shift
  make_cold big
  "$DISCNICE" --rate 10MB --require "${OPTIONS[@]}" --json --report "$OUT/report" -- "$@" >"$OUT/out" 2>"$OUT/err" || status=$?
  ((status == 0)) || complain "$name: status $status: $(<"$OUT/err")"
  took=$(field "$OUT/report" elapsed_seconds)
  holds "$took >= 2.8 && $took <= 8" || complain "$name: 40 MB at 10 MB/s took $took s"
  holds "$(field "$OUT/report" after_end_seconds) <= 1.2" || complain "$name: was over $(field "$OUT/report" after_end_seconds) s too early"
  holds "$(field "$OUT/report" uncovered) <= 1500000" || complain "$name: not accounted for: $(<"$OUT/report")"
  if grep -q 'WITHOUT A LIMIT' "$OUT/err"; then complain "$name: is named as free: $(<"$OUT/err")"; fi
  printf 'held: %-22s %.2f s\n' "$name" "$took"
}

# free COMMAND...: the same test with the data in memory.
free() {
  make_warm big
  "$DISCNICE" --rate 10MB --json --report "$OUT/report" -- "$@" >"$OUT/out" 2>"$OUT/err" || complain "in memory: $(<"$OUT/err")"
  holds "$(field "$OUT/report" elapsed_seconds) <= 1" || complain "in memory it took $(field "$OUT/report" elapsed_seconds) s: $*"
}

cat >reader.c <<'C'
#include <fcntl.h>
#include <unistd.h>
static char block[1 << 16];
int main(int count, char** arguments) {
  int file = open(arguments[count - 1], O_RDONLY);
  long got;
  while ((got = read(file, block, sizeof block)) > 0) if (write(1, block, got) != got) return 1;
  return got < 0;
}
C

static_programs() {
  if ! "${GRAY_PRESET_CC:-cc}" -O1 -static -o static reader.c 2>/dev/null; then
    echo 'not shown: static programs (none can be linked here)'
    return
  fi
  held 'a static program' ./static big
  sha256sum <"$OUT/out" | cmp -s - "$OUT/wanted" || complain 'a static program: other bytes come out'
  grep -q "'static' is statically linked: it is held from outside" "$OUT/err" || complain "is not said to be held: $(<"$OUT/err")"
  free ./static big
  held 'a child of a shell' sh -c './static big; true'
  # While its program is read from the disk, a vfork() child is on its parent's memory.
  make_cold static
  held 'a cold child of a shell' sh -c './static big; true'
  grep -q "'static' is statically linked" "$OUT/err" || complain "a cold child is not said to be held: $(<"$OUT/err")"
  make_cold big
  expect_status 125 "$DISCNICE" -q --rate 10MB --engine preload -- ./static big 2>"$OUT/err"
  expect_status 125 "$DISCNICE" -q --rate 10MB --record recording -- ./static big 2>"$OUT/err"
  OPTIONS=(--engine pace)
  held 'without the library' cat big
  OPTIONS=()
  children_once
}

# The bytes of a child are also in its parent's account when the parent has waited for the child.
children_once() {
  local took
  make_cold big small
  "$DISCNICE" --rate 10MB --engine pace --json --report "$OUT/report" -- sh -c 'cat big; sleep 0.1; cat small; sleep 0.1; cat big | tail -c 1' >"$OUT/out" 2>"$OUT/err" || complain "children: $(<"$OUT/err")"
  took=$(field "$OUT/report" elapsed_seconds)
  printf 'children of a held shell: 52 MB in %.2f s\n' "$took"
  holds "$took <= 6.8" || complain "52 MB at 10 MB/s by children of a held shell took $took s"

  cat >exec.c <<'C'
#include <spawn.h>
#include <sys/wait.h>
extern char** environ;
int main(int count, char** arguments) {
  pid_t child;
  int status = count;
  for (int i = 0; i < 2; ++i) {
    if (posix_spawnp(&child, arguments[1], 0, 0, arguments + 1, environ) != 0) return 1;
    waitpid(child, &status, 0);
  }
  return status != 0;
}
C
  "${GRAY_PRESET_CC:-cc}" -O1 -static -o parent exec.c
  make_cold big small
  "$DISCNICE" --rate 10MB --json --report "$OUT/report" -- ./parent cat small big >"$OUT/out" 2>"$OUT/err" || complain "a held parent's children: $(<"$OUT/err")"
  took=$(field "$OUT/report" elapsed_seconds)
  printf 'children of a static parent: 52 MB in %.2f s\n' "$took"
  holds "$took <= 6.8 && $took >= 3.5" || complain "52 MB at 10 MB/s by children of a static program took $took s"
}

other_programs() {
  local go
  held 'without our variables' env -i "$(type -P cat)" big
  held 'page faults' python3 -c 'import mmap
with open("big", "rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as view:
    for at in range(0, len(view), 4096): view[at]'
  cp "$TOOLS/past_libc" past
  held 'its own system calls' ./past big
  if ((EUID == 0)) && command -v setpriv >/dev/null; then
    held 'another user' setpriv --reuid=65534 --regid=65534 --clear-groups cat big
  else
    echo 'not shown: another user (needs root and setpriv)'
  fi
  if command -v musl-gcc >/dev/null && musl-gcc -O1 -o musl reader.c 2>/dev/null; then held musl ./musl big; else echo 'not shown: musl (needs musl-gcc)'; fi
  go=$(type -P go || ls /usr/local/go/bin/go 2>/dev/null) || go=''
  if [[ -z $go ]]; then
    echo 'not shown: Go (needs go)'
    return
  fi
  mkdir -p tiny
  printf 'package main\nimport ("os"; "io")\nfunc main() { f, _ := os.Open(os.Args[1]); io.Copy(os.Stdout, f) }\n' >tiny/main.go
  printf 'module tiny\n' >tiny/go.mod
  (cd tiny && GOCACHE=$SCRATCH/cache GOTMPDIR=$SCRATCH GOFLAGS=-mod=mod "$go" build -o ../tiny_go .) || fail 'go builds nothing'
  held Go ./tiny_go big
  sha256sum <"$OUT/out" | cmp -s - "$OUT/wanted" || complain 'Go: other bytes come out'
}

# The server of a file system in user space works in the file system that it serves, and discnice looks at the programs there. No process may wait for a stopped
# process.
served() {
  local took
  if [[ ! -e static ]] || ! type -P bindfs >/dev/null || ! type -P fusermount >/dev/null; then
    echo 'not shown: a file system in user space (needs a static program, bindfs and fusermount)'
    return
  fi
  mkdir -p below "$SCRATCH/served"
  cp static big small below
  sync -f .
  make_cold below/static below/big below/small
  cat >in_served.sh <<'SH'
env -i "$(type -P bindfs)" -f "$PWD/below" "$1" &
until mountpoint -q "$1"; do sleep 0.01; done
"$1/static" "$1/big" >"$2" && cp "$1/small" below/copy
fusermount -u "$1"
wait
SH
  timeout --signal=KILL 60 "$DISCNICE" --rate 10MB --engine pace --json --report "$OUT/report" -- bash in_served.sh "$SCRATCH/served" "$OUT/out" 2>"$OUT/err" ||
    complain "a served file system: status $?: $(<"$OUT/err")"
  if mountpoint -q "$SCRATCH/served"; then fusermount -uz "$SCRATCH/served"; fi
  if ! sha256sum <"$OUT/out" | cmp -s - "$OUT/wanted" || ! cmp -s small below/copy; then complain 'a served file system: other bytes come out'; fi
  took=$(field "$OUT/report" elapsed_seconds)
  printf 'served: 52 MB read and 12 MB written in %.2f s\n' "$took"
  holds "$took >= 3 && $took <= 14" || complain "a served file system: 64 MB at 10 MB/s took $took s"
}

# dirty FILE: prints how many of its bytes are not on their way to the disk. Status 77: the kernel does not tell.
dirty() {
  python3 - "$1" <<'PYTHON'
import ctypes, os, sys
answer = (ctypes.c_uint64 * 5)()
if ctypes.CDLL(None).syscall(451, os.open(sys.argv[1], os.O_RDONLY), (ctypes.c_uint64 * 2)(0, 0), answer, 0): sys.exit(77)
print(4096 * answer[1])
PYTHON
}

# Data that is written under a rate is sent in steps, and not by the kernel half a minute later. A process that was stopped for long is looked at as often as before,
# because the process writes at the speed of memory when it goes on, which is far above the rate.
written() {
  local way left took
  local -A bytes=()
  if [[ ! -e static ]]; then return; fi
  for way in auto off; do
    make_warm small
    "$DISCNICE" --rate 4MB --smooth-writes "$way" --json --report "$OUT/report" -- ./static small >copy 2>"$OUT/err" || complain "written: status $?: $(<"$OUT/err")"
    left=$(dirty copy) || { echo 'not shown: what is dirty (this kernel does not tell)'; return; }
    bytes[$way]=$left
    cmp -s small copy || complain "written, $way: other bytes come out"
    took=$(calculate "$(field "$OUT/report" elapsed_seconds) - $(field "$OUT/report" after_end_seconds)")
    holds "$took >= 1.5" || complain "written, $way: 12 MB at 4 MB/s took $took s"
    rm copy
  done
  printf 'written: of 12 MB %d KB were dirty at the end; left to the kernel %d KB\n' $((bytes[auto] / 1000)) $((bytes[off] / 1000))
  ((bytes[off] > 8 * MB)) || { echo 'not shown: writing in steps (this kernel writes at once by itself)'; return; }
  ((bytes[auto] < 4 * MB)) || complain "what is written from outside is not sent: ${bytes[auto]} bytes are dirty"
}

# A program ends before the launcher can stop the program, here because the launcher itself is stopped. discnice ends when the bytes are paid, or when a
# signal tells discnice to end. discnice does not wait for a killed program's debt.
cat >later.c <<'C'
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>
static char block[12000000];
int main(int count, char** arguments) {
  usleep(300000);
  if (write(open(arguments[1], O_WRONLY | O_CREAT, 0644), block, sizeof block) != sizeof block) return 1;
  return count > 2 ? raise(SIGKILL) : 0;
}
C
# behind ARGUMENT...: starts it under a rate at which it takes 4 s, while the launcher is stopped.
behind() {
  "$DISCNICE" -q --engine pace --rate 3MB -- ./later "$@" & # the engine notify sees the write before it is made, so the program would be stopped meanwhile
  JOB=$!
  sleep 0.1
  kill -STOP "$JOB"
  sleep 0.6
  kill -CONT "$JOB"
}
over_at_once() {
  local status start_ns took how
  if [[ ! -e static ]]; then return; fi
  "${GRAY_PRESET_CC:-cc}" -O1 -static -o later later.c
  sed /usleep/d later.c >at_once.c
  "${GRAY_PRESET_CC:-cc}" -O1 -static -o at_once at_once.c
  for how in '' TERM die; do
    start_ns=$(date +%s%N)
    status=0
    rm -f copy # data that is still dirty is not paid twice
    if [[ $how == die ]]; then behind copy die; else behind copy; fi
    sleep 0.3
    if [[ $how == TERM ]]; then kill -TERM "$JOB"; fi
    wait "$JOB" 2>/dev/null || status=$?
    took=$(calculate "($(date +%s%N) - $start_ns) / 1e9")
    printf 'over at once, %-3s: status %d after %.2f s\n' "$how" "$status" "$took"
    case $how in
      '') holds "$status == 0 && $took >= 3.5" || complain "over at once: 12 MB at 3 MB/s took $took s, status $status" ;;
      TERM) holds "$status == 0 && $took <= 2" || complain "a signal does not end the wait: $took s, status $status" ;;
      die) holds "$status == 137 && $took <= 2" || complain "who was killed is waited for: $took s, status $status" ;;
    esac
  done
}

# standing PID...: prints which of these processes and their descendants are stopped.
standing() {
  local pid
  for pid in "$@"; do grep -l '^State:.[tT]' "/proc/$pid/status" 2>/dev/null || true; done
}

# This program runs for long, and reports in its own way when a signal tells the program to stop. It has a name of its own, because adopting by name takes every
# program of that name.
start_reader() {
  make_cold big
  [[ -e pace-reader ]] || ln -s "$(python3 -c 'import sys; print(sys.executable)')" pace-reader
  ./pace-reader -c '
import os, signal, sys
signal.signal(signal.SIGTERM, lambda *_: sys.exit(7))
file, at = os.open("big", os.O_RDONLY), 0
while True:
    os.pread(file, 65536, at)
    at = (at + 65536) % 40000000
    if at == 0: os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)' &
  READER=$!
  sleep 0.4
}
rate_of() {
  local before
  before=$(awk '/^read_bytes/ { print $2 }' "/proc/$1/io")
  sleep "$2"
  awk -v before="$before" -v took="$2" '/^read_bytes/ { printf "%.0f\n", ($2 - before) / took }' "/proc/$1/io"
}

ends() {
  local job status=0 start_ns
  start_reader
  "$DISCNICE" adopt "$READER" --rate 2MB 2>"$OUT/said" &
  job=$!
  sleep 2.5
  "$DISCNICE" status | grep -q "^$job .*pace-reader" || complain "an adopted job is not in the list: $("$DISCNICE" status)"
  "$DISCNICE" top --once | grep -Eq "^$job .* 1 +0 " || complain "top does not know it: $("$DISCNICE" top --once)"
  # A signal is taken while the process is stopped.
  start_ns=$(date +%s%N)
  kill -TERM "$READER"
  wait "$READER" || status=$?
  ((status == 7)) || complain "a signal to who stands: status $status"
  holds "$(($(date +%s%N) - start_ns)) <= 500000000" || complain "a signal took $(($(date +%s%N) - start_ns)) ns"
  wait "$job" || complain "when all have ended, adopt ends with $?: $(<"$OUT/said")"
  grep -q 'limit 1.91 MiB/s' "$OUT/said" || complain "no report: $(<"$OUT/said")"
  for how in release INT KILL; do
    start_reader
    "$DISCNICE" adopt pace-reader --rate 2MB -q &
    job=$!
    sleep 1.5
    case $how in
      release) "$DISCNICE" release "$READER" || complain 'release fails' ;;
      *) kill -s "$how" "$job" ;;
    esac
    wait "$job" 2>/dev/null || true
    sleep 0.1
    [[ -z $(standing "$READER") ]] || complain "$how: who was adopted stands"
    holds "$(rate_of "$READER" 1) >= 8000000" || complain "$how: who was let go is slow"
    kill -KILL "$READER"
    wait "$READER" 2>/dev/null || true
  done
}

# A process may outlive its parent, for any time and with any environment. It is held and named while it runs. If the process ended before the launcher saw it,
# the job pays for its bytes. discnice waits for an orphan that has ended.
orphans() {
  local i status=0 silent=0 left
  if [[ ! -e later ]]; then return; fi
  for ((i = 0; i < 10; ++i)); do
    rm -f copy
    "$DISCNICE" --rate 40MB --json --report "$OUT/report" -- sh -c 'env -i ./at_once copy & exit 0' 2>"$OUT/err" || status=$?
    ((status == 0)) || complain "an orphan: status $status"
    # A process that is still a shell when it goes on is held by the library, without a message.
    holds "$(field "$OUT/report" still_running) >= 1 || $(field "$OUT/report" kernel_write_bytes) >= 11e6" || grep -q 'goes on: process' "$OUT/err" || silent=$((silent + 1))
  done
  ((silent == 0)) || complain "of 10 orphans $silent were lost in silence"
  # A process starts and ends while its launcher is stopped. So the launcher cannot see the process.
  rm -f copy
  "$DISCNICE" --rate 40MB --json --report "$OUT/report" -- sh -c 'sleep 0.3; (./at_once copy &); sleep 0.6' 2>"$OUT/err" &
  JOB=$!
  sleep 0.15
  kill -STOP "$JOB"
  sleep 0.6
  kill -CONT "$JOB"
  wait "$JOB" || complain "an orphan that nobody saw: status $?"
  holds "$(field "$OUT/report" kernel_write_bytes) >= 11e6" || complain "an orphan that nobody saw is not paid for: $(<"$OUT/report")"
  # A child that discnice already had belongs to the program that started discnice.
  bash -c 'sleep 1.5 & exec "$@"' bash "$DISCNICE" --rate 1MB -- true 2>"$OUT/err" || complain "with a child from before: status $?"
  if grep -q sleep "$OUT/err"; then complain "a stranger is taken for one of the job: $(<"$OUT/err")"; fi
  left=$("$DISCNICE" -q --rate 9MB -- sh -c '(true &); (sleep 0.1 &); sleep 0.6; ps -o stat= --ppid "$PPID"' | grep -c Z) || true
  ((left == 0)) || complain "$left orphans that have ended are not waited for"
  left=$("$DISCNICE" -q --engine preload --rate 9MB -- sh -c '(true &); (sleep 0.1 &); sleep 0.6; ps -o stat= --ppid "$PPID"' | grep -c Z) || true
  ((left == 0)) || complain "$left orphans that have ended are not waited for, by the library alone"
}

# Two kinds of programs are held until they end, or until the process that holds them ends: programs that a script leaves in the background, and programs that
# were not seen before their parent ended.
outlives() {
  local holder program
  if [[ ! -e static ]]; then return; fi
  for script in './static big >"$1" & sleep 0.3' './static big >"$1" &'; do
    make_cold big
    "$DISCNICE" --rate 4MB --json --report "$OUT/report" -- sh -c "$script" sh "$OUT/out" 2>"$OUT/err" || complain "outlives: status $?: $(<"$OUT/err")"
    holds "$(field "$OUT/report" elapsed_seconds) <= 1" || complain "is waited for: $script"
    read -r program holder < <(sed -n -E "s/.*'static' \(pid ([0-9]+)\) goes on: process ([0-9]+) holds it.*/\1 \2/p" "$OUT/err") || complain "nobody holds what goes on: $(<"$OUT/err")"
    holds "$(rate_of "$program" 1.5) <= 5500000" || complain "what goes on runs freely: $script"
    "$DISCNICE" status | grep -q ' sh .* 3.81 MiB/s ' || complain "is in no list: $("$DISCNICE" status)"
    kill -KILL "$holder"
    sleep 0.1
    [[ -z $(standing "$program") ]] || complain 'the holder is killed: who goes on stands'
    tail --pid="$program" -f /dev/null
    sha256sum <"$OUT/out" | cmp -s - "$OUT/wanted" || complain "what goes on: other bytes come out"
  done
  # A program that the library holds at that time, and that then becomes a program which the library cannot reach.
  make_cold big
  "$DISCNICE" -q --rate 4MB -- sh -c '(sleep 0.5; exec ./static big >"$1") &' sh "$OUT/out" 2>"$OUT/err" || complain "becomes static: status $?: $(<"$OUT/err")"
  sleep 1
  program=$(pgrep -n -x static) || complain 'what was left does not become static'
  holds "$(rate_of "$program" 1.5) <= 5500000" || complain 'what becomes static later runs freely'
  kill -KILL "$program"
  make_cold small
  "$DISCNICE" --rate 8MB -- sh -c './static small >"$1" &' sh "$OUT/out" 2>"$OUT/err"
  read -r program holder < <(sed -n -E "s/.*'static' \(pid ([0-9]+)\) goes on: process ([0-9]+) holds it.*/\1 \2/p" "$OUT/err")
  timeout 10 tail --pid="$holder" -f /dev/null || complain 'the holder does not end'
  "$DISCNICE" status 2>&1 | grep -q 'no job is running' || complain "a job is left: $("$DISCNICE" status)"
  echo 'outlives: held after their parent has ended'
}

# The launcher is killed at random moments: the program goes on, and its output is right.
killed() {
  local i program
  if [[ ! -e static ]]; then return; fi
  for i in $(seq "${GRAY_KILLS:-10}"); do
    make_cold small
    "$DISCNICE" -q --rate 8MB -- sh -c './static small >copy; echo done >ended' 2>/dev/null &
    program=$!
    sleep "0.$((RANDOM % 700 + 100))"
    kill -KILL "$program" 2>/dev/null || true # it may have ended
    wait "$program" 2>/dev/null || true
    for _ in $(seq 30); do [[ ! -e ended ]] || break; sleep 0.1; done
    [[ -e ended ]] || complain "kill $i: the program has not ended"
    cmp -s small copy || complain "kill $i: other bytes came out"
    rm -f ended copy
  done
  echo "killed: $i launchers"
}

bad_input() {
  local what
  for what in 1 $$ 99999999 nosuchprogram 0 -5; do
    expect_status_any "$what"
  done
  start_reader
  "$DISCNICE" adopt "$READER" --rate 2MB -q &
  sleep 0.5
  "$DISCNICE" adopt "$READER" --rate 2MB 2>"$OUT/err" && complain 'a process is adopted twice'
  grep -q 'already: write discnice set' "$OUT/err" || complain "does not say what to do: $(<"$OUT/err")"
  "$DISCNICE" adopt "$READER" --rate nonsense 2>"$OUT/err" && complain 'a rate that is none is taken'
  kill -KILL "$READER"
  wait
  "$DISCNICE" release 4711 2>"$OUT/err" && complain 'a job that is not there is released'
  grep -q "no job '4711'" "$OUT/err" || complain "release: $(<"$OUT/err")"
}
expect_status_any() {
  local status=0
  "$DISCNICE" adopt --rate 5MB -- "$1" 2>"$OUT/err" || status=$?
  ((status == 1 || status == 2)) || complain "adopt $1: status $status"
  [[ $(wc -l <"$OUT/err") -eq 1 ]] || complain "adopt $1: not one line: $(<"$OUT/err")"
}

static_programs
other_programs
served
written
over_at_once
orphans
outlives
ends
killed
bad_input
conclude
