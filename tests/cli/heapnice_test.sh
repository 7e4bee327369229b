#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# heapnice: heapnice runs a command and moves its heap, ends as it ends, and says in one line what is wrong or cannot be moved.
#
# With a small heap each, of those runtimes that are here. Leaves out a limit that moves (bench/heapnice).
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

# A script, which starts no JVM here: its status, its end by a signal, its words.
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

# A wrong command line: status 2, one line, nothing run.
expect 2 1
for wrong in '--min 2M --max 1M' '--min x' '--margin -1' '--runtime ruby' '--misspelt'; do
  read -ra words <<<"$wrong"
  expect 2 1 "${words[@]}" -- "$script" 0
  [[ ! -s $OUT ]] || fail "heapnice $wrong ran the command"
done

# The report, and one that cannot be written.
expect 4 1 --json "$SCRATCH/report" -- "$script" 4
grep -q '"status": 4' "$SCRATCH/report" || fail "the report has no status: $(cat "$SCRATCH/report")"
expect 1 2 --json "$SCRATCH/none/report" -- "$script" 0
says 'none/report: No such file'

# SIGTERM reaches the command.
# shellcheck disable=SC2016
printf '#!/bin/sh\ntrap "echo told >%s; exit 5" TERM\necho on >%s\nwhile :; do sleep 0.1; done\n' "$SCRATCH/told" "$SCRATCH/on" >"$script"
"$BIN/heapnice" -- "$script" 2>"$ERR" &
child=$!
for _ in {1..100}; do if [[ -s $SCRATCH/on ]]; then break; fi; sleep 0.1; done
kill -TERM "$child"
expect_status 5 wait "$child"
[[ -s $SCRATCH/told ]] || fail "the command was not told of SIGTERM"

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
  expect 0 1 --max 200M -- go env GOROOT # a program in Go itself
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
  # A heap that is told to be no larger than a part of what it has goes down to it. Serial stays there, as its middle size shows; G1 grows again meanwhile, and is brought down again.
  for collector in Serial G1; do
    timeout "$SECONDS_MAX" "$BIN/heapnice" --json "$SCRATCH/report" --max 160M -- \
      java "-XX:+Use${collector}GC" -Xmx1g -Xms40m -Xlog:gc:"$SCRATCH/gc.log" -cp "$SCRATCH" Churn 80 1000000 6 >"$OUT" 2>"$ERR" </dev/null ||
      fail "java with $collector ended with $?: $(cat "$ERR")"
    [[ $collector == Serial ]] || grep -Eq '"ordered_collections": [1-9]' "$SCRATCH/report" || fail "no collection was ordered with $collector: $(cat "$SCRATCH/report")"
    mapfile -t sizes < <(sed -n '/Pause Full/,$ s/.*(\([0-9]*\)M).*/\1/p' "$SCRATCH/gc.log" | sort -n)
    size=${sizes[0]}
    if [[ $collector == Serial ]]; then size=${sizes[${#sizes[@]} / 2]}; fi # the first ones are of the time before it was told
    ((size <= 190)) || fail "with $collector a heap that was told 160 MiB has ${sizes[*]} MiB after the first full collection: $(cat "$SCRATCH/report")"
  done
else
  absent+=(java)
fi
((${#absent[@]} == 0)) || echo "not tried: ${absent[*]}"
