#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# discnice_coverage_test: every program that runs without a limit is named, with --require the status is 125, and no other program is named.
#
# How: the programs run with the library alone (--engine preload). The first programs are programs that the library cannot hold. Each of these programs runs
# once long enough to be noticed, and once too briefly to be noticed. They are a program that changes its user, a static program, a program that makes system
# calls past libc, a program whose environment tells it to leave the job, and Go programs, which are recognised by their files. The other programs are held but
# look unusual: they use maps, pipes, more processes than there are slots, chains of exec, killed readers, profiles. The messages (the line at once, the
# report's line, the status) must agree. The test compares with the kernel's account. Left out: whether a held program keeps its rate (discnice_rate,
# discnice_surface).
# Slow: what cannot be covered is noticed after seconds at work.
source "$(dirname "$0")/../support/discnice.bash"
need python3 pkill
cd "$SCRATCH"
readonly MIB=1048576
make_file "$SCRATCH/big" $((32 * MIB))
chmod 755 "$SCRATCH"
cp "$TOOLS/past_libc" past

# uncovered PATTERN COMMAND...: COMMAND is named at once and in the report, with PATTERN, and its status is 125 only with --require.
uncovered() {
  local pattern=$1 status=0
  shift
  make_cold big
  "$DISCNICE" --rate 60MB --engine preload --report report -- "$@" >/dev/null 2>err || status=$?
  ((status == 0)) || complain "without --require: status $status: $*: $(<err)"
  grep -Eq "$pattern.*WITHOUT A LIMIT" err || complain "is not named as '$pattern': $*: $(<err)"
  grep -Eq "NOT COVERED +.*$pattern" report || complain "is not in the report: $*: $(<report)"
  end_staying
  make_cold big
  status=0
  "$DISCNICE" -q --rate 60MB --engine preload --require -- "$@" >/dev/null 2>err || status=$?
  ((status == 125)) || complain "with --require: status $status: $*: $(<err)"
  end_staying
  printf 'named: %s\n' "$(head -1 err)"
}

# A program that goes on when its job has ended would read the file that must be uncached for the next job.
end_staying() { pkill -KILL -x staying_static || true; }

# covered NAME COMMAND...: no program is named, and the status is the status of the command.
covered() {
  local name=$1 status=0
  shift
  make_cold big
  "$DISCNICE" "${OPTIONS[@]}" --require --report report -- "$@" >/dev/null 2>err || status=$?
  if ((status != 0)) || grep -q 'WITHOUT A LIMIT' err || grep -q 'NOT COVERED' report; then
    complain "$name: status $status: $(cat err report)"
  fi
  printf 'covered: %-28s %s\n' "$name" "$(grep covered report)"
}

# refused PATTERN PROGRAM: PROGRAM is refused before anything runs.
refused() {
  local status=0
  "$DISCNICE" --rate 5M --engine preload -- "$2" version >out 2>err || status=$?
  [[ $status -eq 125 && ! -s out ]] || complain "$2: status $status: $(<err)"
  grep -q "$1" err || complain "$2: does not say '$1': $(<err)"
  "$DISCNICE" explain -- "$2" >out || complain "$2: explain says that nobody holds it"
  grep -q "engine: pace,.*$1" out || complain "$2: explain does not say '$1': $(<out)"
  printf 'refused: %s\n' "$(<err)"
}

changed_user() {
  if ((EUID != 0)) || ! command -v setpriv >/dev/null; then
    echo 'not shown: programs that change their user (needs root and setpriv)'
    return
  fi
  chmod 644 big
  local other=(setpriv --reuid=65534 --regid=65534 --clear-groups)
  uncovered "'?(sh|cat|sleep)'? .*as another user \(65534\)" "${other[@]}" sh -c 'cat big; sleep 1'
  uncovered 'moved .* no covered process was charged for' "${other[@]}" cat big
  if command -v su >/dev/null; then
    uncovered "as another user \(65534\)" su nobody -s /bin/sh -c 'cat big; sleep 1; cat big'
  fi
}

static_programs() {
  if ! "${GRAY_PRESET_CXX:-c++}" -std=c++20 -O1 -static -o past_static "$SOURCE/tests/support/past_libc.cpp" 2>/dev/null; then
    echo 'not shown: static programs (none can be linked here)'
    return
  fi
  uncovered 'moved .* no covered process was charged for' sh -c './past_static big; true'
  uncovered 'is statically linked' sh -c './past_static big 3000; true'
  cp past_static staying_static
  uncovered 'is statically linked' sh -c './staying_static big 3000 &'
}

past_libc() {
  uncovered 'makes its system calls past the library' ./past big 4000
  uncovered 'DISCNICE_DISABLE' env DISCNICE_DISABLE=1 sh -c 'cat big; sleep 1'
  # The program is too short to be seen at work, and its account is settled when it ends. The report must name it.
  make_cold big
  "$DISCNICE" --rate 60MB --engine preload --report report -- ./past big
  grep -q 'accounted for, 32.0 MiB of them after they had moved' report || complain "a program past us looks held back: $(<report)"
}

go_programs() {
  local restic go
  restic=$(type -P restic) || restic=''
  go=$(type -P go || ls /usr/local/go/bin/go 2>/dev/null) || go=''
  [[ -n $restic$go ]] || echo "not shown: Go's programs (needs restic or go)"
  if [[ -n $restic ]]; then
    refused 'written in Go\|statically' "$restic"
    uncovered "written in Go|statically|no covered process was charged" sh -c "$restic version; dd if=big of=/dev/null bs=64k status=none; RESTIC_PASSWORD=x $restic -q init -r repository; RESTIC_PASSWORD=x $restic -q backup -r repository big; rm -r repository"
  fi
  if [[ -z $go ]] || ! command -v gcc >/dev/null; then
    echo "not shown: stripped Go programs (needs go and gcc)"
    return
  fi
  mkdir -p tiny
  printf 'package main\nimport ("os"; "io"; "time")\nimport "C"\nfunc main() { f, _ := os.Open(os.Args[1]); io.Copy(io.Discard, f); time.Sleep(time.Second) }\n' >tiny/main.go
  printf 'module tiny\n' >tiny/go.mod
  export GOCACHE=$SCRATCH/cache GOFLAGS=-mod=mod CGO_ENABLED=1
  (cd tiny && "$go" build -o ../tiny_go . && "$go" build -ldflags '-s -w -buildid=' -o ../tiny_stripped .) || fail 'go builds nothing'
  strip -s tiny_stripped
  refused 'written in Go' ./tiny_go
  refused 'written in Go' ./tiny_stripped
  uncovered 'written in Go' sh -c './tiny_stripped big; true'
}

readonly MAPPED='import mmap, sys, time
with open("big", "rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as view:
    for at in range(0, len(view), 4096):
        view[at]
        if at % 65536 == 0: time.sleep(float(sys.argv[1]))
        if len(sys.argv) > 2 and at % 65536 == 0: sys.stdout.buffer.write(b"x" * 65536)'
# More processes than there are slots, all alive at the same time.
readonly CROWD='import os, sys
count, here, there = int(sys.argv[1]), os.pipe(), os.pipe()
for number in range(count):
    if os.fork() == 0:
        os.close(here[1])
        file = os.open("big", os.O_RDONLY)
        os.pread(file, 16384, number * 16384)
        os.write(there[1], b"x")
        os.read(here[0], 1)
        os._exit(0)
os.close(here[0])
for _ in range(count): os.read(there[0], 1)
os.close(here[1])
for _ in range(count): os.wait()'
odd_and_covered() {
  local OPTIONS=(--rate 60MB)
  covered 'a reader' cat big
  covered 'a mapped reader' python3 -c "$MAPPED" 0
  covered 'a slow mapped reader' python3 -c "$MAPPED" 0.003
  covered 'a mapped reader and a pipe' sh -c 'python3 -c "$1" 0.003 pipe | cat >/dev/null' sh "$MAPPED"
  covered 'a very short program' true
  covered 'short programs' sh -c 'for i in $(seq 200); do head -c 100 big; done'
  covered 'a pipeline' sh -c 'cat big | tr a b | sha256sum'
  covered 'a reader that a pipe kills' sh -c 'for i in $(seq 20); do cat big | head -c 100; done'
  covered 'a chain of exec' sh -c 'exec sh -c "exec sh -c \"exec cat big\""'
  covered 'a killed reader' sh -c 'cat big >/dev/null & sleep 0.3; kill -9 $!; wait; true'
  covered 'writers' sh -c 'for i in $(seq 50); do head -c 100000 big >"copy.$i"; done; rm copy.*'
  covered 'direct reads' dd if=big of=/dev/null bs=64k iflag=direct status=none
  OPTIONS=(--rate 600MB)
  covered 'a crowd' python3 -c "$CROWD" 1500
  grep -Eq '(9[5-9]|100)\.. % of the kernel' report || complain "a crowd's bytes are not accounted for: $(<report)"
  OPTIONS=(--rate 60MB --exclude past)
  covered 'who is left alone' ./past big 3000
  if [[ -e ${LIBRARY%.so}-profile.so ]]; then
    OPTIONS=(--rate 60MB --profile profile)
    covered 'a profile' sh -c 'cat big; sleep 0.5'
  fi
}

running_jobs() {
  local job kernel program
  make_cold big
  "$DISCNICE" -q --rate 60MB -- sh -c 'cat big; sleep 30' >/dev/null &
  job=$!
  sleep 1.5
  "$DISCNICE" report "$job" --json >running
  kernel=$(field running kernel_read_bytes)
  ((kernel >= 32 * MIB)) || complain "of a job that runs, the kernel's figure is $kernel"
  ! "$DISCNICE" report "$job" | grep -q 'no account' || complain 'of a job that runs there is said to be no account'
  program=$(pgrep -P "$job" -x sh)
  pkill -P "$program" -x sleep
  wait "$job" || true
  # A job without the launcher has the name of its program.
  make_cold big
  LD_PRELOAD=$LIBRARY DISCNICE_RATE=60MB bash -c 'cat big; env -u LD_PRELOAD sleep 30; true' >/dev/null &
  job=$!
  sleep 1
  "$DISCNICE" set bash --rate 61MB || complain 'a job of bare use is not found by its program'
  "$DISCNICE" report bash --json >running
  kernel=$(field running kernel_read_bytes)
  ((kernel >= 32 * MIB)) || complain "of a bare job that runs, the kernel's figure is $kernel"
  [[ $(field running rate_bytes_per_s) -eq 61000000 ]] || complain "the bare job is not set: $(<running)"
  pkill -P "$job" -x sleep
  wait "$job" || true
}

changed_user
static_programs
past_libc
go_programs
odd_and_covered
running_jobs
conclude
