#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# microbench_swap: where there is swap, microbench measures the time to read a page from swap and the time to write a page to swap.
# Without swap it says that there is none.
#
# The test has a small swap file of its own while it runs. The times are judged only by their order: a page from a disk takes longer than a fresh page.
# Runs alone on a quiet host: for a moment the whole host has swap.
source "$(dirname "$0")/../support/system.bash"
need_root
need mkswap swapon fallocate python3
need_built microbench
export XDG_DATA_HOME=$SCRATCH/data
mkdir "$XDG_DATA_HOME"

if [[ $(wc -l </proc/swaps) -le 1 ]]; then
  "$BIN/microbench" run memory_swap >"$SCRATCH/out" 2>"$SCRATCH/err" || fail "$(cat "$SCRATCH/err")"
  grep -q 'not available: memory_swap: this host has no swap' "$SCRATCH/out" || fail "without swap: $(cat "$SCRATCH/out")"
fi

fallocate -l 64M "$SCRATCH/swap"
chmod 600 "$SCRATCH/swap"
mkswap -q "$SCRATCH/swap"
swapon "$SCRATCH/swap" 2>/dev/null || skip "what holds without swap was checked; no swap file can be used in $SCRATCH"
at_exit swapoff "$SCRATCH/swap"
"$BIN/microbench" run memory_swap memory_touch >"$SCRATCH/out" 2>"$SCRATCH/err" || fail "$(cat "$SCRATCH/err")"
cat "$SCRATCH/out"
value() {
  "$BIN/microbench" show --json "$1" |
    python3 -c 'import json,sys; print(int([r["value"] for r in json.load(sys.stdin) if r["source"] == "user"][0]))'
}
swap_in=$(value memory.swap_in_ns) swap_out=$(value memory.swap_out_page_ns) touch=$(value memory.touch_4k_ns)
((swap_in > touch && swap_out > 0)) || fail "from swap $swap_in ns, fresh $touch ns, to swap $swap_out ns"
