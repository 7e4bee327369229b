#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# working_set: gb-wss reports the right figures for programs that touch memory in a known pattern, and says when it cannot
# know them.
#
# The right figure of each pattern is computed, and each reported figure must be within 10 % of it. bench/working_set tests real programs, and the cost of
# gb-wss for them. Left out: virtual machines.
# Slow: it looks at each pattern for some seconds.
source "$(dirname "$0")/../support/system.bash"
need python3
need_built gb-wss
[[ -x $TOOLS/touches ]] || skip "the tests' tool touches was not built"
readonly HELD=256

begin() { # NAME PATTERN...: its process is in $process
  "$TOOLS/touches" "${@:2}" >"$SCRATCH/ready.$1" &
  process=$!
  at_exit kill "$process"
  until grep -q ready "$SCRATCH/ready.$1"; do sleep 0.05; done
}

begin loop loop "$HELD" 20000 96
loop=$process
begin random random "$HELD" 20000 128
random=$process
begin hot hot "$HELD" 10000 "$HELD" 32
hot=$process
"$BIN/gb-wss" --json --span 4s --looks 6 "$loop" "$random" "$hot" >"$SCRATCH/seen" 2>"$SCRATCH/err" || {
  grep -Eq 'no clear_refs|memory is short' "$SCRATCH/err" && skip "$(cat "$SCRATCH/err")"
  fail "$(cat "$SCRATCH/err")"
}
python3 - "$SCRATCH/seen" "$loop" "$random" "$hot" <<'PYTHON' || fail "not true, see above"
import json, math, sys

PAGES = 256  # in a MiB
TRUTHS = {  # pages after that many seconds
    "loop": lambda t: min(96 * PAGES, 20000 * t),
    "random": lambda t: 128 * PAGES * (1 - math.exp(-20000 * t / (128 * PAGES))),
    "hot": lambda t: min(32 * PAGES, 5000 * t) + min(224 * PAGES, 5000 * t),
}
REST_BYTES = 3 << 20  # its code, libraries and stack
seen = {process["pid"]: process for process in json.load(open(sys.argv[1]))["processes"]}
wrong = 0
for name, pid in zip(TRUTHS, map(int, sys.argv[2:])):
    process = seen[pid]
    if "reclaim" in process["doubts"]:
        print(f"{name}: memory was taken away meanwhile, nothing is known")
        continue
    for point in process["curve"]:
        truth = TRUTHS[name](point["since_ns"] / 1e9) * 4096
        off = 100 * (point["touched_bytes"] - truth) / truth
        is_wrong = not truth * 0.9 <= point["touched_bytes"] <= truth * 1.1 + REST_BYTES
        wrong += is_wrong
        print(f"{name:7} {point['since_ns'] / 1e9:6.3f} s  seen {point['touched_bytes'] / 2**20:6.1f} MiB  true {truth / 2**20:6.1f}  {off:+5.1f} % {'WRONG' if is_wrong else ''}")
# When a part of the memory is used again and again, the curve bends at the time at which all of this part was used once. 96 MiB take 1.2 s. The times of
# the looks limit the exactness.
knee = seen[int(sys.argv[2])]["knee"]
assert knee and 78 << 20 <= knee["touched_bytes"] <= 100 << 20, knee
sys.exit(wrong != 0)
PYTHON

# Two observers clear the marks of one process: the observer that began earlier reports this.
"$BIN/gb-wss" --anyway --json --span 3s --looks 4 "$loop" >"$SCRATCH/first" 2>"$SCRATCH/err" &
first=$!
sleep 2.7
"$BIN/gb-wss" --anyway --span 20ms --looks 3 "$loop" >"$SCRATCH/second" 2>&1 || fail "$(cat "$SCRATCH/second")"
wait "$first" || fail "$(cat "$SCRATCH/err")"
grep -q 'somebody else took the marks away' "$SCRATCH/err" || fail "two at one process, and nothing was said: $(cat "$SCRATCH/first")"

# If the kernel gives huge pages, gb-wss says how much of the memory consists of huge pages.
if [[ $(</sys/kernel/mm/transparent_hugepage/enabled) != *'[never]'* ]]; then
  python3 -c '
import ctypes, mmap, sys, time
held = mmap.mmap(-1, 64 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
held.madvise(14)  # MADV_HUGEPAGE
for i in range(0, len(held), 4096): held[i] = 1
print("ready", flush=True)
while True:
    for i in range(0, len(held), 2 << 20): held[i]
    time.sleep(0.01)' >"$SCRATCH/ready.huge" &
  huge=$!
  at_exit kill "$huge"
  until grep -q ready "$SCRATCH/ready.huge"; do sleep 0.05; done
  if [[ $(awk '$1 == "AnonHugePages:" { print $2 }' "/proc/$huge/smaps_rollup") -gt 32768 ]]; then
    "$BIN/gb-wss" --anyway --span 200ms --looks 3 "$huge" >"$SCRATCH/out" 2>"$SCRATCH/err" || fail "$(cat "$SCRATCH/err")"
    grep -q 'too high by .* MiB at most: a touch of a huge page' "$SCRATCH/err" || fail "huge pages, and nothing was said: $(cat "$SCRATCH/out")"
  else
    echo "no huge pages were to be had: that part is left out"
  fi
fi
