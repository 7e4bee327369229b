#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# heapnice: heapnice runs a command and changes the size of its heap, ends with the command's status, and reports in one line a mistake or a heap that it cannot change.
#
# How: the test uses a small heap for each of the runtimes that are installed. Left out: a limit that changes (bench/heapnice).
# Slow: a JVM has to start, and to fill a heap, for each collector.
source "$(dirname "$0")/../support/system.bash"
need timeout
need_built heapnice
readonly SECONDS_MAX=60
OUT=$SCRATCH/out ERR=$SCRATCH/err

# expect STATUS LINES-ON-STDERR ARGUMENT...
expect() {
  local want=$1 lines=$2 got=0
  shift 2
  timeout "$SECONDS_MAX" "$BIN/heapnice" "$@" >"$OUT" 2>"$ERR" </dev/null || got=$?
  [[ $got -eq $want ]] || fail "status $got instead of $want from heapnice $*: $(cat "$ERR")"
  [[ $(wc -l <"$ERR") -eq $lines ]] || fail "$(wc -l <"$ERR") lines instead of $lines on stderr from heapnice $*: $(cat "$ERR")"
}
says() { grep -Eq "$1" "$ERR" || fail "heapnice did not say '$1': $(cat "$ERR")"; }

# heapnice runs a script that starts no JVM. Its status, its end by a signal and its output are compared.
script=$SCRATCH/script
# shellcheck disable=SC2016 # for the script itself
printf '#!/bin/sh\n[ "$1" = kill ] && kill -TERM $$\necho "$JAVA_TOOL_OPTIONS|$2"\nexit "$1"\n' >"$script"
chmod +x "$script"
unset JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS JAVA_OPTS MAVEN_OPTS GOMEMLIMIT NODE_OPTIONS
expect 7 1 --max 100M -- "$script" 7 word
grep -q -- '-Xmx100m.*|word$' "$OUT" || fail "the script was not given -Xmx100m: $(cat "$OUT")"
says 'java is given -Xmx100m'
JAVA_TOOL_OPTIONS=-Xmx9m expect 0 1 -- "$script" 0
if grep -q -- '-Xmx.*-Xmx' "$OUT"; then fail "a second size was added: $(cat "$OUT")"; fi
expect 143 1 -- "$script" kill
expect 127 2 -- "$SCRATCH/none"
expect 126 2 -- "$SCRATCH"
chmod -x "$script"
expect 126 2 -- "$script"
chmod +x "$script"

# A program without such a heap is refused before it runs.
expect 125 1 -- /bin/echo run
[[ ! -s $OUT ]] || fail "what was refused ran: $(cat "$OUT")"
says "'/bin/echo' has no heap that heapnice knows: it follows Java's, Go's and Node's"
expect 3 1 --runtime java -- sh -c 'exit 3'

# A wrong command line: status 2, one line, nothing is run.
expect 2 1
for wrong in '--min 2M --max 1M' '--min x' '--margin -1' '--runtime ruby' '--misspelt'; do
  read -ra words <<<"$wrong"
  expect 2 1 "${words[@]}" -- "$script" 0
  [[ ! -s $OUT ]] || fail "heapnice $wrong ran the command"
done

# The report, and a report that cannot be written.
expect 4 1 --json "$SCRATCH/report" -- "$script" 4
grep -q '"status": 4' "$SCRATCH/report" || fail "the report has no status: $(cat "$SCRATCH/report")"
expect 125 1 --json "$SCRATCH/none/report" -- "$script" 0
says 'none/report: No such file'
[[ ! -s $OUT ]] || fail "the command was run although its report cannot be written: $(cat "$OUT")"
expect 1 2 --json /dev/full -- "$script" 0
says '/dev/full: No space left'

# SIGTERM reaches the command.
# shellcheck disable=SC2016
printf '#!/bin/sh\ntrap "echo told >%s; exit 5" TERM\necho on >%s\nwhile :; do sleep 0.1; done\n' "$SCRATCH/told" "$SCRATCH/on" >"$script"
"$BIN/heapnice" -- "$script" 2>"$ERR" &
child=$!
for _ in {1..100}; do if [[ -s $SCRATCH/on ]]; then break; fi; sleep 0.1; done
kill -TERM "$child"
expect_status 5 wait "$child"
[[ -s $SCRATCH/told ]] || fail "the command was not told of SIGTERM"

# A JVM never gets a signal that it does not expect. The signal SIGQUIT asks a JVM for its socket. A JVM that does not attach would print a thread
# dump at this signal. A process with the counters of a JVM represents a JVM that accepts orders. No file that asks for a socket is left in /tmp,
# however early the JVM ends.
cat >"$SCRATCH/jvm.py" <<'PY'
"""jvm.py CAPABILITIES [FILE [USER]]: maps counters, makes FILE (@ is its number) of that user, and says so when it gets SIGQUIT, which ends it. Else it
ends when $SAID is in the file $SAID_IN, and half a second more has brought no signal."""
import mmap, os, pathlib, re, signal, struct, sys, time

def told(*_):
    os.write(1, b"SIGQUIT\n")
    counters.unlink()
    counters.parent.rmdir()
    os._exit(0)

def entry(name, kind, vector, data):
    name = name.encode() + b"\0"
    at = (20 + len(name) + 7) // 8 * 8
    return struct.pack("<IIIBBBBI", at + len(data), 20, vector, ord(kind), 0, 0, 0, at) + name.ljust(at - 20, b"\0") + data

capabilities = sys.argv[1].encode() + b"\0"
numbers = {"sun.os.hrt.frequency": 1000, "sun.rt.vmInitDoneTime": 5, "sun.gc.generation.0.capacity": 1 << 20}
entries = [entry(name, "J", 0, struct.pack("<Q", value)) for name, value in numbers.items()]
entries.append(entry("sun.rt.jvmCapabilities", "B", len(capabilities), capabilities.ljust(8, b"\0")))
file = None
if len(sys.argv) > 2:
    file = pathlib.Path(sys.argv[2].replace("@", str(os.getpid())))
    file.touch()
    os.chown(file, int(sys.argv[3]) if len(sys.argv) > 3 else os.geteuid(), -1)
signal.signal(signal.SIGQUIT, told)
counters = pathlib.Path(f"/tmp/hsperfdata_test.{os.getpid()}/{os.getpid()}")
counters.parent.mkdir()
pathlib.Path(sys.argv[0]).with_name("pid").write_text(str(os.getpid()))
counters.write_bytes(struct.pack("<IBBBBIIQII", 0xC0C0FECA, 1, 2, 0, 1, 0, 0, 0, 32, len(entries)) + b"".join(entries))
mapped = mmap.mmap(os.open(counters, os.O_RDWR), 0)
said, said_in = os.environ["SAID"], pathlib.Path(os.environ["SAID_IN"])
for _ in range(500):
    time.sleep(0.1)
    if said and re.search(said, said_in.read_text()):
        break
time.sleep(0.5)
counters.unlink()
counters.parent.rmdir()
if file:
    file.unlink()
PY
jvm() { # SIGNALS TEXT ARGUMENT...: so many signals come, and heapnice says TEXT
  SAID=$2 SAID_IN=$ERR expect 0 "$([[ -z $2 ]] && echo 1 || echo 2)" --runtime java --max 100M -- python3 "$SCRATCH/jvm.py" "${@:3}"
  [[ -z $2 ]] || says "$2"
  [[ $(wc -l <"$OUT") -eq $1 ]] || fail "$(wc -l <"$OUT") signals instead of $1 came to jvm.py ${*:3}: $(cat "$ERR")"
  [[ ! -e /tmp/.attach_pid$(cat "$SCRATCH/pid") ]] || fail "the file that asks for the socket is left behind by jvm.py ${*:3}"
}
if command -v python3 >/dev/null; then
  jvm 1 '' 11
  jvm 0 'takes no orders \(-XX:.DisableAttachMechanism\)' 01
  jvm 0 'takes no orders' ''
  jvm 0 '/tmp/.java_pid[0-9]+: ' 11 /tmp/.java_pid@
  cd "$SCRATCH"
  jvm 1 '' 11 .attach_pid@
  rm -f .attach_pid*
  if [[ $EUID -eq 0 ]]; then
    jvm 0 'working folder is another user' 11 .attach_pid@ 65534
    jvm 0 '/tmp/.attach_pid[0-9]+ is another user' 11 /tmp/.attach_pid@ 65534
  fi
fi

absent=()
if command -v node >/dev/null; then
  expect 0 1 --max 200M -- node -e 'console.log(v8.getHeapStatistics().heap_size_limit >> 20)'
  (($(cat "$OUT") >= 170 && $(cat "$OUT") <= 260)) || fail "Node was told 175 MiB and says $(cat "$OUT")"
  says 'keeps that: its heap cannot be moved'
  NODE_OPTIONS=--max-old-space-size=90 expect 0 1 -- node -e 0
  says 'given already'
else
  absent+=(node)
fi
if command -v go >/dev/null; then
  expect 0 1 --max 200M -- go env GOROOT # a program that is itself written in Go
  says 'GOMEMLIMIT=200 MiB, and keeps that'
  GOMEMLIMIT=90MiB expect 0 1 -- go env GOROOT
else
  absent+=(go)
fi

if command -v javac >/dev/null && command -v python3 >/dev/null; then
  javac -d "$SCRATCH" "$SOURCE/tests/support/Churn.java" || fail "Churn.java does not compile"
  expect 0 3 --verbose --max 300M -- java -XX:+UseSerialGC -cp "$SCRATCH" Churn 40 1000000 3
  says 'java [0-9]+: grow to 300 MiB \(first look\)'
  expect 0 3 --max 300M -- java -XX:+UseParallelGC -cp "$SCRATCH" Churn 40 1000000 3
  says 'cannot shrink: its collector \(Parallel\) gives nothing back'
  expect 0 3 --max 300M -- java -XX:+DisableAttachMechanism -cp "$SCRATCH" Churn 40 1000000 3
  says 'takes no orders'
  if grep -q 'thread dump' "$OUT"; then fail "a thread dump came into the program's output: $(head -5 "$OUT")"; fi
  expect 0 2 --max 300M -- java -XX:-UsePerfData -cp "$SCRATCH" Churn 40 1000000 3
  if grep -q 'thread dump' "$OUT"; then fail "without counters a thread dump came into the program's output: $(head -5 "$OUT")"; fi
  # A heap whose allowed size becomes smaller than its present size shrinks to the allowed size. The heap of Serial stays at this size, as its median size
  # shows. The heap of G1 grows again meanwhile, and is made smaller again.
  for collector in Serial G1; do
    timeout "$SECONDS_MAX" "$BIN/heapnice" --json "$SCRATCH/report" --max 160M -- \
      java "-XX:+Use${collector}GC" -Xmx1g -Xms40m -Xlog:gc:"$SCRATCH/gc.log" -cp "$SCRATCH" Churn 80 1000000 6 >"$OUT" 2>"$ERR" </dev/null ||
      fail "java with $collector ended with $?: $(cat "$ERR")"
    [[ $collector == Serial ]] || grep -Eq '"ordered_collections": [1-9]' "$SCRATCH/report" || fail "no collection was ordered with $collector: $(cat "$SCRATCH/report")"
    mapfile -t sizes < <(sed -n '/Pause Full/,$ s/.*(\([0-9]*\)M).*/\1/p' "$SCRATCH/gc.log" | sort -n)
    size=${sizes[0]}
    if [[ $collector == Serial ]]; then size=${sizes[${#sizes[@]} / 2]}; fi # the first sizes are from before the limit
    ((size <= 190)) || fail "with $collector a heap that was told 160 MiB has ${sizes[*]} MiB after the first full collection: $(cat "$SCRATCH/report")"
  done
else
  absent+=(java)
fi
((${#absent[@]} == 0)) || echo "not tried: ${absent[*]}"
