#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# microbench_manners: each sub-command answers, refuses and ends as its manual page says, and a fault costs only one clear line.
#
# It measures as little as possible: the clock, and on a disk the random reads. Left out: whether the figures are right (tests/system/microbench_*_test.sh).
source "$(dirname "$0")/../support/system.bash"
need python3 timeout flock
need_built microbench
export XDG_DATA_HOME=$SCRATCH/data
mkdir "$SCRATCH/place" "$XDG_DATA_HOME"
cd "$SCRATCH/place"

OUT=$SCRATCH/out ERR=$SCRATCH/err
microbench() { timeout 300 "$BIN/microbench" "$@"; }
# expect STATUS LINES-ON-STDERR ARGUMENT...
expect() {
  local want=$1 lines=$2 got=0
  shift 2
  microbench "$@" >"$OUT" 2>"$ERR" </dev/null || got=$?
  [[ $got -eq $want ]] || fail "status $got instead of $want from microbench $*: $(cat "$ERR")"
  # A busy host is reported in a line of its own, with any options.
  grep -v -e 'host is busy' -e 'other programs used' -e 'is kept' "$ERR" >"$ERR.rest" || true
  [[ $(wc -l <"$ERR.rest") -eq $lines ]] || fail "not $lines lines on stderr from microbench $*: $(cat "$ERR")"
  if grep -qv '^microbench: ' "$ERR.rest"; then fail "a line without 'microbench: ': $(cat "$ERR")"; fi
}
record() { find "$XDG_DATA_HOME" -name 'host-*.params' -print -quit; }
nothing_left() { [[ -z $(ls -A "$SCRATCH/place") ]] || fail "$1 left behind: $(ls -A "$SCRATCH/place")"; }

# A wrong command line: status 2, one line, nothing printed.
wrong() {
  expect 2 1 "$@"
  [[ ! -s $OUT ]] || fail "microbench $* prints: $(cat "$OUT")"
}
wrong --no-such-option
wrong --quick --full
wrong --file x --dir y
wrong run --file '' disk_random
wrong run --dir '' disk_random
wrong no_such_benchmark
wrong no-such-subcommand
wrong explain
wrong diff one
wrong forget
wrong forget --all some.key
wrong report
wrong show -o NONSENSE
wrong export --xml

# Before anything is measured, there are only defaults, and no sub-command that only shows values makes a record.
expect 0 0 show
grep -q 'timer.overhead_ns .* default' "$OUT" || fail "show without a record: $(cat "$OUT")"
expect 0 0 list
expect 1 1 show no.such_key
expect 1 1 explain no.such_key
expect 1 1 explain timer.resolution_ns
grep -q '^  tells you ' "$OUT" || fail "explain does not say what an unmeasured figure is for: $(cat "$OUT")"
grep -q 'microbench run timer' "$ERR" || fail "explain does not say how to measure it: $(cat "$ERR")"
[[ -z $(record) ]] || fail "looking made a record"

# One benchmark is selected by its name, and then by one of its keys.
expect 0 0 run timer
grep -q '^timer.overhead_ns ' "$OUT" || fail "run prints: $(cat "$OUT")"
expect 0 0 run --quick timer.resolution_ns
[[ -n $(record) ]] || fail "no record was made"
expect 0 0 explain timer.overhead_ns
for word in means value measured from believed 'read by' default; do
  grep -q "^  $word " "$OUT" || fail "explain has no '$word': $(cat "$OUT")"
done
expect 0 0 show --json timer.overhead_ns
python3 -c 'import json,sys; rows=json.load(sys.stdin); assert rows[0]["value"] > 0 and rows[0]["source"] == "user", rows' <"$OUT"

# Export, diff, forget.
expect 0 0 export --json
cp "$OUT" "$SCRATCH/a.json"
python3 -c '
import json, sys
record = json.load(sys.stdin)
assert record["schema"] == 1 and set(record) == {"schema", "host", "parameters", "devices"}, record.keys()
timer = record["parameters"]["timer.overhead_ns"]
assert set(timer) == {"value", "unit", "spread", "samples", "method", "date", "source"}, timer' <"$OUT"
expect 0 0 diff "$SCRATCH/a.json" current
grep -q timer.overhead_ns "$OUT" && fail "diff shows what has not changed: $(cat "$OUT")"
expect 0 0 diff --all "$SCRATCH/a.json" current
grep -q 'timer.overhead_ns .* +0.0 %  no' "$OUT" || fail "diff: $(cat "$OUT")"
expect 1 1 diff "$SCRATCH/a.json" /dev/null
expect 1 1 diff "$SCRATCH/none" current
expect 0 0 forget timer.overhead_ns
expect 1 1 forget timer.overhead_ns
expect 0 0 show timer.overhead_ns
grep -q default "$OUT" || fail "a forgotten value is still there: $(cat "$OUT")"
expect 0 0 forget --all
GRAY_PARAM_TIMER_OVERHEAD_NS=77 microbench explain timer.overhead_ns >"$OUT"
grep -q 'the variable GRAY_PARAM_TIMER_OVERHEAD_NS' "$OUT" || fail "explain does not name the variable: $(cat "$OUT")"

# The page is one file, needs nothing from elsewhere, and leaves nothing behind when it cannot be written.
expect 0 0 report --html "$SCRATCH/page.html"
if grep -Eq '(src|href)=|@import|url\(' "$SCRATCH/page.html"; then fail "the page needs something from elsewhere"; fi
# A value that was not measured is marked so, and the page says nothing else about it. A measured value is shown as it is.
page_says() { # WORDS [VARIABLE=VALUE...]
  local words=$1
  shift
  env "$@" "$BIN/microbench" report --html - >"$SCRATCH/page.html"
  grep -q "$words" "$SCRATCH/page.html" || fail "the page of a record with '$*' does not say '$words'"
}
sections() { grep -o '<h2>[^<]*' "$SCRATCH/page.html" | sed 's/<h2>//' | paste -sd, -; }
page_says "Not measured here: Hits and misses, Bandwidth by request size, .*: <code>microbench --dir \.</code>"
[[ $(sections) == 'All values' ]] || fail "a page without a record has the sections $(sections)"
if grep -Eq 'Distance costs|They grow to|above [0-9]|access unit, [0-9]' "$SCRATCH/page.html"; then fail "a page without a record claims something"; fi
"$BIN/microbench" run --quick disk_seek >"$OUT" 2>&1 || fail "seeks: $(cat "$OUT")"
if grep -q '^disk.is_rotational' "$OUT"; then page_says 'Distance costs .* was not measured, and gbp -file asks'; fi
expect 0 0 forget --all
page_says 'above 12.0 us' GRAY_PARAM_CACHE_THRESHOLD_NS=12000
page_says 'access unit, 2.00 MiB' GRAY_PARAM_DISK_ACCESS_UNIT_BYTES=2097152
page_says 'was not measured here; gbp -file goes by 3' GRAY_PARAM_DISK_RANDOM_OVER_SEQUENTIAL=3
page_says 'They grow to 512' GRAY_PARAM_DISK_READAHEAD_MAX_BYTES=524288
page_says 'Nothing is read ahead' GRAY_PARAM_DISK_READAHEAD_MAX_BYTES=0
mkdir "it's <b>there"
expect 0 0 report --dir "it's <b>there" --html "$SCRATCH/page.html"
grep -qF "microbench --dir &#39;it&#39;\\&#39;&#39;s &lt;b&gt;there&#39;" "$SCRATCH/page.html" || fail "the command for a folder of any name: $(grep 'Not measured' "$SCRATCH/page.html")"
rmdir "it's <b>there"
expect 1 1 report --html "$SCRATCH/none/page.html"
expect 1 1 report --html /dev/full/x

# Places that cannot be measured: one line, status 1, nothing left behind, and the record unchanged.
expect 0 0 run timer
before=$(cat "$(record)")
expect 1 1 run --dir "$SCRATCH/none" disk_random
expect 1 1 run --dir /proc disk_random
if [[ -d /dev/shm && -w /dev/shm ]]; then
  expect 1 1 run --dir /dev/shm disk_random
  grep -q 'lies in memory' "$ERR" || fail "a file system in memory: $(cat "$ERR")"
fi
head -c 1000 /dev/zero >"$SCRATCH/small"
expect 1 1 run --file "$SCRATCH/small" disk_random
(ulimit -f 4096 && expect 1 1 run --dir . disk_random) || fail "a limit on the size of files is no clear error"
if [[ $EUID -ne 0 ]]; then
  mkdir "$SCRATCH/locked" && chmod 555 "$SCRATCH/locked"
  expect 1 1 run --dir "$SCRATCH/locked" disk_random
fi
[[ $(cat "$(record)") == "$before" ]] || fail "a run that failed changed the record"
nothing_left "a run that failed"

# A record that cannot be used is refused before anything is measured. On request it is moved aside.
printf 'torn' >>"$(record)"
expect 1 1 run timer
expect 0 1 run --move-aside timer
expect 0 0 show timer.overhead_ns
grep -q user "$OUT" || fail "no new record after --move-aside: $(cat "$OUT")"

# Ctrl-C and similar signals come at any point of a run, from its first moment until after its end. The run must print one line and leave nothing behind, and
# the record must be either the old record or the whole new record. Job control is off in scripts, so a background job would ignore SIGINT; Python restores
# SIGINT.
python3 - "$BIN/microbench" "$(record)" "$SCRATCH/place" <<'PYTHON' || fail "see above"
import os, signal, subprocess, sys, time
program, record, place = sys.argv[1:]
command = [program, "run", "--quick", "--dir", ".", "timer", "disk_random"]

def start():
    back = lambda: [signal.signal(s, signal.SIG_DFL) for s in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)]
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, preexec_fn=back)

def names():
    return sorted(name for name in os.listdir(place) + os.listdir(os.path.dirname(record)) if not name.endswith(".lock"))

there_before = names()
began = time.monotonic()
whole = start()
whole.communicate()
took_s = time.monotonic() - began
interrupted = 0
POINTS = 16
for point in range(POINTS):
    before = open(record).read()
    number = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)[point % 3]
    run = start()
    # The last few points lie around the end of the run, where the record is written.
    share = (point + 1) / (POINTS - 4) if point < POINTS - 5 else 0.94 + 0.02 * (point - POINTS + 5)
    time.sleep(took_s * share)
    run.send_signal(number)
    said = run.communicate()[1]
    now = open(record).read()
    where = f"at {share:.2f} of a run, by {number.name}"
    if run.returncode == -number:
        interrupted += 1
        wanted = "nothing was recorded" if now == before else "all was measured, and is recorded"
        rest = [line for line in said.splitlines() if "busy" not in line and "other programs" not in line]
        # Before main() the program cannot report anything.
        if rest not in ([], [f"microbench: interrupted: {wanted}"]):
            sys.exit(f"{where}: it says '{said}', the record is {'as it was' if now == before else 'new'}")
    elif run.returncode not in (0, 1):
        sys.exit(f"{where}: status {run.returncode}: {said}")
    if not now.splitlines()[-1].startswith("end "):
        sys.exit(f"{where}: the record is torn")
    if names() != there_before:
        sys.exit(f"{where}: left behind: {set(names()) - set(there_before)}")
if interrupted < POINTS / 2:
    sys.exit(f"only {interrupted} of {POINTS} runs were interrupted")
PYTHON
expect 0 0 show timer.overhead_ns
nothing_left "an interrupted run"
"$BIN/microbench" run --anew --dir . >"$OUT" 2>"$ERR" </dev/null &
pid=$!
sleep 1
kill -TERM "$pid"
status=0
wait "$pid" || status=$?
[[ $status -eq 143 ]] || fail "status $status after SIGTERM: $(cat "$ERR")"
grep -q 'interrupted: nothing was recorded' "$ERR" || fail "an interrupted run says: $(cat "$ERR")"

# Two runs at the same time: the second run ends with a message.
"$BIN/microbench" run --anew --dir . >/dev/null 2>&1 </dev/null &
first=$!
sleep 0.5
expect 1 1 run timer
grep -q 'another microbench' "$ERR" || fail "two at once: $(cat "$ERR")"
kill -TERM "$first"
wait "$first" || true

# When a run is killed by SIGKILL, the next run does not wait. At most an empty folder remains, which the next run there removes. The first test kills at any
# moment. The second test kills right after the folder was made.
only_an_empty_folder() { # WHEN
  local left
  left=$(find "$SCRATCH/place" -mindepth 1 ! \( -type d -name '.microbench.??????' \))
  [[ -z $left ]] || fail "$1 left behind: $left"
}
"$BIN/microbench" run --anew --dir . >/dev/null 2>&1 </dev/null &
first=$!
sleep 1
kill -KILL "$first"
wait "$first" 2>/dev/null || true
only_an_empty_folder "a killed run"
expect 0 0 run timer
"$TOOLS/kill_at" --hook "test -z \"\$(ls -A '$SCRATCH/place')\"" "$BIN/microbench" run --anew --quick --dir . layout >"$OUT" 2>"$ERR" </dev/null || true
grep -q '^the hook failed' "$OUT" || fail "no run could be killed right after its folder was made: $(cat "$OUT" "$ERR")"
flock .microbench.?????? true # until the dying run has released it
only_an_empty_folder "a run killed in the worst moment"
# Folders that others use or have filled stay. Folders of dead runs are removed, also those of old versions.
mkdir .microbench.living .microbench.filled .microbench.oldone .microbench.longname
touch .microbench.oldone/0{00..39} .microbench.afile0 .microbench.living/000
echo kept | tee .microbench.filled/000 >.microbench.mytext
ln -s "$SCRATCH" .microbench.mylink
exec {lock}<.microbench.living
flock -n "$lock"
expect 0 0 run --anew --quick --dir . disk_random
left=$(find . -mindepth 1 -maxdepth 1 -printf '%f\n' | sort | tr '\n' ' ')
wanted='.microbench.filled .microbench.living .microbench.longname .microbench.mylink .microbench.mytext '
[[ $left == "$wanted" && -e .microbench.living/000 && -e .microbench.filled/000 ]] || fail "a run made of what lay there: $left"
exec {lock}<&-
rm -r .microbench.filled .microbench.longname .microbench.mylink .microbench.mytext
expect 0 0 run --anew --quick --dir . disk_random
nothing_left "a run after killed ones"
