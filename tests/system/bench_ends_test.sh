#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# bench_ends: a benchmark leaves nothing behind, no matter how it ends, and its figures reach docs/results.md unchanged.
#
# How: script/bench runs contention, which has a disk, a mount, a loop device, processes in sessions of their own and files in /dev/shm. The benchmark is
# interrupted, terminated and killed at various moments, and the kernel is asked what is left. Rows and their document are made from recorded lines. Left
# out: the measurements themselves.
# Slow: a benchmark is interrupted at moments that lie seconds apart.
source "$(dirname "$0")/../support/system.bash"
need python3
cd "$SOURCE"
export GRAY_BUILD_DIR=$BUILD
readonly KIT=$SOURCE/bench/kit
complain() { printf 'WRONG: %s\n' "$*" | tee -a "$SCRATCH/complaints" >&2; }

# The median, interval and verdict of a row; a goal without a measurement; a missed goal; no rows from a smoke run.
rows() {
  local rows=$SCRATCH/rows.jsonl
  export GRAY_BENCH_RESULTS=$rows
  "$KIT/rows.py" row overhead/tar 0.5 0.7 0.6 3 0.4 >/dev/null
  "$KIT/rows.py" row overhead/make 7 >/dev/null
  "$KIT/rows.py" row mac/kills 0 0 1 >/dev/null
  GRAY_BENCH_SMOKE=1 "$KIT/rows.py" row overhead/grep 0.1 >/dev/null
  "$KIT/rows.py" row new/claim 2 --what 'something new' --unit x --part tables >/dev/null
  expect_status 1 "$KIT/rows.py" row no/such-goal 1 2>/dev/null
  printf '0 1\n1 2\n' | "$KIT/rows.py" curve figure0 one /dev/stdin --x s --y MB/s
  "$KIT/write_results.py" "$rows" "$SCRATCH/results.md"
  grep -q '| tar, unthrottled.*| \*\*0.60\*\* | 0.40 to 3, n=5 | pass |' "$SCRATCH/results.md" || complain 'the median of five is not there'
  grep -q '| make, unthrottled.*| \*\*7\*\* | one run, n=1 | \*\*short\*\* |' "$SCRATCH/results.md" || complain 'a missed goal is not told'
  grep -q '| grep -r, unthrottled.*| not measured |' "$SCRATCH/results.md" || complain 'a smoke run was taken for a figure'
  grep -q 'killed | number .*\*\*short\*\*' "$SCRATCH/results.md" || complain 'what must never happen passes by its median'
  grep -q 'something new' "$SCRATCH/results.md" || complain 'a row without a goal is lost'
  [[ ! -e $(command -v gnuplot) || -s $SCRATCH/results/figure0.svg ]] || complain 'there is no plot'
  printf '%s\n' '{"kind": "row", "bench": "b", "id": "old", "variant": ""}' '{"kind": "row", "bench": "b", "id": "both", "variant": "", "value": 1}' >"$SCRATCH/record"
  printf '%s\n' '{"kind": "row", "bench": "b", "id": "both", "variant": "", "value": 2}' >"$SCRATCH/newer"
  "$KIT/rows.py" merge "$SCRATCH/record" "$SCRATCH/newer"
  [[ $(grep -c . "$SCRATCH/record") == 2 ]] || complain "merging lost a figure, or kept two of one thing"
  grep -q "\"value\": 2" "$SCRATCH/record" || complain "a newer figure does not take the place of the older one"
  "$KIT/write_results.py" --check "$SOURCE/docs/results.jsonl" "$SOURCE/docs/results.md" || complain 'docs/results.md is not what was recorded'
  unset GRAY_BENCH_RESULTS
}

front() {
  local name
  expect_status 2 script/bench no-such-benchmark 2>/dev/null
  expect_status 2 script/bench --no-such-option 2>/dev/null
  expect_status 2 script/bench --smoke contention 2>/dev/null
  expect_status 2 script/bench --smoke --part 3/2 2>/dev/null
  expect_status 2 script/bench --full --part 1/2 2>/dev/null
  script/bench list >"$SCRATCH/list"
  grep -q '^contention .*rsync' "$SCRATCH/list" || complain 'list does not say what contention is'
  for name in beside gbp mac manners throttle; do
    expect_status 0 "bench/$name/run" --help >"$SCRATCH/help"
    grep -q "^$name: " "$SCRATCH/help" || complain "$name --help does not say what it is"
    expect_status 2 "bench/$name/run" --smoke no-such-part 2>"$SCRATCH/refusal"
    [[ $(wc -l <"$SCRATCH/refusal") == 1 ]] || complain "$name does not refuse an unknown part in a line: $(<"$SCRATCH/refusal")"
  done
}

# Each benchmark has a share of --full. When the share is used up, fewer turns are taken, but never fewer than the smallest
# allowed number.
shares() {
  local name turns
  while read -r name _; do
    grep -q "^$name [1-9][0-9]*$" "$KIT/full_shares.txt" || complain "$name has no share in bench/kit/full_shares.txt"
  done <"$SCRATCH/list"
  cat >"$SCRATCH/turns" <<BENCHMARK
source "$SOURCE/bench/kit.bash"
begin --turns 9
share_time short=1 long=3
slow() { sleep 1; echo 1; }
in_turns "\$SCRATCH/short" slow way
in_turns "\$SCRATCH/long" slow way
echo "took \$(wc -l <"\$SCRATCH/short/way") \$(wc -l <"\$SCRATCH/long/way")"
BENCHMARK
  turns=$(GRAY_BENCH_BUDGET_S=8 bash "$SCRATCH/turns" | grep took)
  [[ $turns =~ ^took\ 3\ [345]$ ]] || complain "a budget of 8 s gave turns of a second: $turns; wanted 3 and about 5"
  turns=$(cd "$KIT" && python3 -c 'import time, time_share
shares = time_share.TimeShares({"short": 1, "long": 3}, budget_s=1)
print(*(sum(1 for _ in map(lambda _: time.sleep(0.1), shares.turns(part, 50))) for part in ("short", "long")))' | tail -n 1)
  [[ $turns =~ ^3\ [567]$ ]] || complain "a budget of 1 s gave turns of a tenth: $turns; wanted 3 and about 7"
  turns=$(cd "$KIT" && python3 -c 'import time_share; print(len(list(time_share.TimeShares({}).turns("any", 50))))')
  [[ $turns == 50 ]] || complain "without a budget there were $turns turns of 50"
}

# ends SIGNAL DELAY: nothing is left of a benchmark that gets this signal after DELAY.
ends() {
  local pid left='' try
  env --default-signal=INT script/bench contention --smoke sequential >"$SCRATCH/said" 2>&1 &
  pid=$!
  sleep "$2"
  kill "-$1" "$pid" 2>/dev/null || true
  wait "$pid" 2>/dev/null || true
  for try in {1..5}; do # a guard cleans up after a killed benchmark; the listing itself waits three seconds for that
    left=$("$KIT/leftovers.py" list "$pid"; grep -e "bench-$pid" /proc/self/mountinfo || true; losetup -l -n -O BACK-FILE | grep "bench-$pid" || true)
    [[ -n $left ]] || return 0
    ((try < 5)) || break
  done
  complain "$1 after $2 s leaves: $left; it said: $(tail -n 3 "$SCRATCH/said")"
  "$KIT/leftovers.py" sweep "$pid" >/dev/null || true
}

# A signal stops a benchmark that takes longer than allowed, while writers in sessions of their own use its disk.
times_out() {
  local left
  export GRAY_BENCH_RUN=$$
  expect_status 124 timeout -k 30 7 bench/throttle/run --smoke fsync >"$SCRATCH/said" 2>&1
  left=$("$KIT/leftovers.py" list $$)
  if [[ -n $left ]]; then complain "a benchmark that took too long leaves: $left; it said: $(tail -n 3 "$SCRATCH/said")"; fi
  "$KIT/leftovers.py" sweep $$ >/dev/null || true
  unset GRAY_BENCH_RUN
}

rows
front
shares
if ((EUID != 0)) || [[ ! -x $BIN/hddsim || ! -c /dev/fuse || ! -e /dev/loop-control ]]; then
  [[ ! -s $SCRATCH/complaints ]] || fail "$(wc -l <"$SCRATCH/complaints") of the things above are wrong"
  skip "that nothing stays behind needs root, hddsim, FUSE and loop devices; rows and options are checked"
fi
for signal in INT TERM KILL; do
  for delay in 0.3 1.2 3.1; do ends "$signal" "$delay"; done
done
times_out
[[ ! -s $SCRATCH/complaints ]] || fail "$(wc -l <"$SCRATCH/complaints") of the things above are wrong"
