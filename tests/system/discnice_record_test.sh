#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# discnice_record_test: a recording contains all operations of a tree of processes and does not affect the processes, and its replay
# gives the same prediction.
#
# How: workloads run twice, with --record and without; output, status and remaining files must be the same. The judge of a recording is the report of the run that
# made it: the replay must show the same predicted and the same kernel bytes, class by class, and every call. Then come faults: a process killed in the middle, a
# full disk, a killed launcher, records that come faster than they can be written down. The page that is made of a recording has the names of its files, and the
# waits on it add up to what the run has waited. Left out: that the predictions are right (discnice_verify_test).
# Runs alone, or beside one such: it looks a moment later for what a killed launcher leaves.
source "$(dirname "$0")/../support/discnice.bash"
need python3 dash
cd "$SCRATCH"
make_file ./big 20000000
for i in {1..20}; do make_file "tree/$i" $((i * 5000)); done
sync big tree/*

# value FILE KEY: the value of a JSON object.
value() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' "$1" "$2"; }

# same_as_run NAME: the replay of NAME.record agrees with NAME.json, the report of its run.
same_as_run() {
  "$DISCNICE" replay --json "$1.record" >"$1.replay" 2>"$1.said" || complain "replay of $1 ended with $?: $(<"$1.said")"
  python3 - "$1" <<'PYTHON' || complain "the replay of $1 differs from its run"
import json, sys
run, replay = (json.load(open(f"{sys.argv[1]}.{end}")) for end in ("json", "replay"))
assert run["classes"] == replay["classes"], (run["classes"], replay["classes"])
for key in "kernel_read_bytes", "kernel_write_bytes":
    assert run[key] == replay[key], (key, run[key], replay[key])
assert replay["lost_records"] == 0 and replay["unfinished"] == 0, replay
assert replay["guessed_answers"] == 0, replay
for what in "read", "write":
    assert replay[f"recorded_predicted_{what}_bytes"] == replay[f"predicted_{what}_bytes"], what
PYTHON
}

readonly RANDOM_READS='import os, random
random.seed(7)
f = os.open("big", os.O_RDONLY)
os.posix_fadvise(f, 0, 0, os.POSIX_FADV_SEQUENTIAL)
for i in range(500): os.pread(f, 4096, random.randrange(4800) * 4096)
g = os.open("big", os.O_RDONLY)
os.posix_fadvise(g, 0, 0, os.POSIX_FADV_RANDOM)
for i in range(500): os.pread(g, 4096, random.randrange(4800) * 4096)'
readonly WRITES='import os, shutil
f = os.open("new", os.O_RDWR | os.O_CREAT)
for i in range(500): os.pwrite(f, b"x" * 10240, i % 7 * 5000)
os.fsync(f)
os.ftruncate(f, 3)
shutil.copyfile("big", "copy")
os.unlink("copy")'
readonly THREADS='import os, threading
f = os.open("big", os.O_RDONLY)
def read(first):
    for i in range(200): os.pread(f, 5000, first + i * 12000)
threads = [threading.Thread(target=read, args=(n * 2000000,)) for n in range(8)]
for t in threads: t.start()
for t in threads: t.join()'

replays_to_the_same() {
  local name
  local -A workload=([sequential]='dd if=big of=/dev/null bs=64k' [random]="exec python3 -c '$RANDOM_READS'"
    [writes]="exec python3 -c '$WRITES'" [probing]='dd if=big of=/dev/null bs=100k')
  for name in "${!workload[@]}"; do
    rm -f new copy
    make_cold big
    local options=()
    [[ $name != probing ]] || options=(--backend timed)
    "$DISCNICE" verify --json --report "$name.json" "${options[@]}" --record "$name.record" -- \
      dash -c "${workload[$name]}" >/dev/null 2>said || complain "$name ended with $?: $(<said)"
    same_as_run "$name"
    echo "$name: $(value "$name.replay" operations) operations, $(stat -c %s "$name.record") bytes"
  done
}

# A tree that forks, and threads on one descriptor: all calls are recorded, in any order.
whole_trees() {
  local calls
  make_cold big tree/*
  "$DISCNICE" verify --json --report tree.json --record tree.record -- \
    dash -c 'for i in 1 2 3 4; do cat tree/* >/dev/null & done; wait; cat tree/1; (cat tree/2; cat tree/3)' >/dev/null
  "$DISCNICE" replay --json tree.record >tree.replay
  [[ $(value tree.json processes) == "$(value tree.replay processes)" ]] || complain 'processes are missing'
  "$DISCNICE" verify --json --report threads.json --record threads.record -- python3 -c "$THREADS"
  "$DISCNICE" replay --json threads.record >threads.replay
  for calls in tree threads; do
    python3 - "$calls" <<'PYTHON' || complain "calls of $calls are missing"
import json, sys
run, replay = (json.load(open(f"{sys.argv[1]}.{end}")) for end in ("json", "replay"))
for one, other in zip(run["classes"], replay["classes"]):
    assert one["bytes"] == other["bytes"] and one["kernel_read_bytes"] == other["kernel_read_bytes"], (one, other)
assert replay["lost_records"] == 0 and replay["unfinished"] == 0, replay
PYTHON
  done
}

# A program prints, returns and leaves behind the same with a recording as without one.
nothing_changes() {
  local script='cat tree/*; echo told >&2; mkdir -p left; cp big left/; tail -c 5 big; ls /proc/self/fd; exit 7' way
  for way in plain recorded; do
    rm -rf left
    local before=()
    [[ $way == plain ]] || before=("$DISCNICE" run -q --record same.record --)
    expect_status 7 "${before[@]}" dash -c "$script" >"$way.out" 2>"$way.err"
    find left -type f -exec sha256sum {} + >>"$way.out"
  done
  cmp plain.out recorded.out || complain 'a recorded program prints or leaves something else'
  cmp plain.err recorded.err || complain 'a recorded program says something else'
  "$DISCNICE" replay same.record >/dev/null || complain 'its recording is not whole'
}

# The edge cases of calls and of processes are run as in discnice_identical_test, with all kinds of observation switched on.
edges_stay() {
  local one way watch=(--record edge.record)
  [[ ! -e $LIB/libdiscnice-profile.so ]] || watch+=(--profile edge.folded)
  make_file ./large 700000
  make_file ./small-one 90000
  for one in calls fork_storm vfork_exec spawn cancel many_descriptors append_together quick_exit; do
    for way in plain watched; do
      rm -rf e
      mkdir e
      cp large e/input && cp large e/input.warm && cp small-one e/small
      sync e/*
      evict e/input
      local run=("$TOOLS/process_edges" e "$one") status=0
      [[ $one != calls ]] || run=("$TOOLS/call_edges" e)
      [[ $way == plain ]] || run=("$DISCNICE" run -q "${watch[@]}" -- "${run[@]}")
      "${run[@]}" >"$way.out" 2>"$way.err" || status=$?
      echo "status $status" >>"$way.out"
      find e -type f -printf '%P %m %s ' -exec sha256sum {} + | sort >>"$way.out"
    done
    cmp plain.out watched.out || complain "edges: $one differs when it is recorded: $(diff plain.out watched.out | head -5)"
    "$DISCNICE" replay edge.record >/dev/null 2>said || complain "edges: $one: $(<said)"
  done
}

page_of_a_recording() {
  local i
  make_cold big tree/*
  "$DISCNICE" --json --report page.json --rate 20M --record page.record -- dash -c 'for i in 1 2 3 4; do cat tree/* >/dev/null & done; wait; cat big >"copy of big"'
  "$DISCNICE" report --html page.html page.record || complain "no page: status $?"
  grep -q "<h1><span class=\"name\">dash -c &#39;for i in 1 2 3 4" page.html || complain 'the command line is not in the recording'
  for i in tree/{5..20} big 'copy of big'; do
    grep -qF "$PWD/$i</span>" page.html || complain "the recording does not tell the name $i"
  done
  if grep -q 'file [0-9]* of device' page.html; then complain 'files have no name in the recording'; fi
  python3 - page.record page.json <<'PYTHON' || complain 'the waits in the recording are not those of the run'
import json, struct, sys
records, waited, told = open(sys.argv[1], "rb").read(), 0, json.load(open(sys.argv[2]))["slept_seconds"]
at = struct.unpack_from("<I", records, 12)[0]
while at < len(records):
    kind, size = struct.unpack_from("<HH", records, at + 4)
    if kind == 9: waited += struct.unpack_from("<Q", records, at + 24)[0]
    at += size
assert told > 0.5 and abs(waited / 1e9 - told) < 0.02 * told, (waited / 1e9, told)
PYTHON
}

killed_programs() {
  local status=0
  # shellcheck disable=SC2016 # the inner shell's own number
  "$DISCNICE" run -q --record killed.record -- dash -c 'cat big >/dev/null; kill -9 $$' 2>said || status=$?
  ((status == 137)) || complain "a killed program's status is $status"
  "$DISCNICE" replay killed.record >/dev/null 2>said || complain "the recording of a killed program: $(<said)"
  # Many of the processes are killed at random instructions. The records that were written are complete.
  "$DISCNICE" run -q --record storm.record -- python3 -c 'import os, signal, time
for i in range(30):
    pid = os.fork()
    if pid == 0:
        f = os.open("big", os.O_RDONLY)
        while True: os.pread(f, 1, 5)
    time.sleep(0.005)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)' 2>said || complain "a storm of deaths ended with $?: $(<said)"
  "$DISCNICE" replay --json storm.record >storm.replay 2>said || complain "the recording of the storm: $(<said)"
  [[ $(value storm.replay processes) -gt 10 ]] || complain 'the storm was not recorded'
}

# The launcher dies: the program goes on, and the file is refused.
killed_launcher() {
  local launcher
  "$DISCNICE" run -q --record orphan.record -- dash -c 'sleep 0.5; cat big >/dev/null; echo done >finished' &
  launcher=$!
  sleep 0.3
  kill -9 "$launcher"
  wait "$launcher" 2>/dev/null || true
  for _ in {1..50}; do
    if [[ -e finished ]]; then break; fi
    sleep 0.1
  done
  [[ -e finished ]] || complain 'the program did not survive its launcher'
  refused 'cut short|not a recording' orphan.record
  "$DISCNICE" -q -- true # clears away what the killed launcher left
  [[ -z $(segments) ]] || complain "left in /dev/shm: $(segments)"
}

# refused PATTERN FILE: replay reports that in one line and prints nothing.
refused() {
  local status=0
  "$DISCNICE" replay "$2" >out 2>said || status=$?
  ((status == 1)) || complain "replay of $2 ended with $status"
  [[ ! -s out && $(wc -l <said) -eq 1 ]] || complain "replay of $2 said: $(cat out said)"
  grep -Eq "$1" said || complain "replay of $2 does not say '$1': $(<said)"
}

bad_files() {
  local size
  size=$(stat -c %s sequential.record)
  head -c $((size - 100)) sequential.record >short.record
  refused 'cut short after [0-9]+ records' short.record
  cp sequential.record flipped.record
  printf 'X' | dd of=flipped.record bs=1 seek=$((size / 2)) conv=notrunc status=none
  refused 'corrupt: record [0-9]+ at byte' flipped.record
  refused 'not a recording' big
  refused 'not a recording' /dev/null
  refused 'cannot read' no-such-file
  expect_status 125 "$DISCNICE" run --record /no/such/folder/file -- touch ran 2>said
  [[ $(wc -l <said) -eq 1 && ! -e ran ]] || complain "an unwritable recording: $(<said)"
}

full_disk() {
  if ((EUID != 0)) || ! unshare -m true 2>/dev/null; then
    echo 'not shown: a full disk (needs the right to mount)'
    return
  fi
  mkdir -p small
  # shellcheck disable=SC2016 # the inner shell's own arguments
  expect_status 5 unshare -m --propagation slave sh -c 'mount -t tmpfs -o size=64k tmpfs small && "$@"; status=$?; cp small/record cut.record; exit $status' sh \
    "$DISCNICE" run -q --record small/record -- python3 -c 'import os
f = os.open("big", os.O_RDONLY)
for i in range(3000): os.pread(f, 10, i)
os._exit(5)' 2>said
  grep -q 'No space left' said || complain "a full disk is not spoken of: $(<said)"
  [[ $(wc -l <said) -eq 1 ]] || complain "more than one line: $(<said)"
  refused 'cut short' cut.record
}

# When the ring is no longer drained, the program must not be affected, and the number of missing records must be reported.
too_fast() {
  # shellcheck disable=SC2016 # the inner shell's own variables
  "$DISCNICE" run -q --record fast.record -- python3 -c 'import os, signal
os.kill(os.getppid(), signal.SIGSTOP)
f = os.open("big", os.O_RDONLY)
for i in range(200000): os.pread(f, 1, 0)
os.kill(os.getppid(), signal.SIGCONT)' 2>said || complain "it ended with $?: $(<said)"
  grep -Eq '[0-9]+ of [0-9]+ records were lost' said || complain "lost records are not spoken of: $(<said)"
  "$DISCNICE" replay --json fast.record >fast.replay 2>said || complain "replay: $(<said)"
  grep -q 'lacks [0-9]* records' said || complain "replay does not speak of lost records: $(<said)"
}

replays_to_the_same
whole_trees
nothing_changes
edges_stay
page_of_a_recording
killed_programs
killed_launcher
bad_files
full_disk
too_fast
[[ -z $(segments) ]] || complain "left in /dev/shm: $(segments)"
conclude
