#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# host_parameters: gbp and discnice change with what is recorded of the host, and say so.
#
# Values are given by variables and, once, by a record that microbench made. Leaves out what the changed values do to a
# measurement (tests/unit/gbp, tests/unit/libgray).
source "$(dirname "$0")/../support/system.bash"
need_built gbp discnice microbench
export XDG_DATA_HOME=$SCRATCH/data
mkdir "$XDG_DATA_HOME" "$SCRATCH/place"
cd "$SCRATCH/place"
head -c 100000 /dev/zero >file

says() { # WORDS PROGRAM ARGUMENT...
  local words=$1
  shift
  "$@" >"$SCRATCH/out" 2>&1 || fail "$* ends with status $?: $(cat "$SCRATCH/out")"
  grep -q -e "$words" "$SCRATCH/out" || fail "no '$words' from $*: $(cat "$SCRATCH/out")"
}

# Nothing recorded: the paper's unit, and each probe against a second one.
says 'answers for 5.00 MiB: the default' "$BIN/gbp" --explain file
says 'cache.threshold_ns is not measured' "$BIN/gbp" --explain file
says 'much slower than a second one' "$BIN/discnice" explain

# Another access unit, another window, another threshold.
GRAY_PARAM_DISK_ACCESS_UNIT_BYTES=$((3 << 20)) says 'answers for 3.00 MiB: the larger of' "$BIN/gbp" --explain file
GRAY_PARAM_DISK_ACCESS_UNIT_BYTES=$((3 << 20)) GRAY_PARAM_DISK_READAHEAD_MAX_BYTES=$((8 << 20)) \
  says 'answers for 8.00 MiB' "$BIN/gbp" --explain file
GRAY_PARAM_FILECACHE_PREDICTION_UNIT_BYTES=$((2 << 20)) GRAY_PARAM_DISK_ACCESS_UNIT_BYTES=$((3 << 20)) \
  says 'answers for 2.00 MiB: as filecache' "$BIN/gbp" --explain file
GRAY_PARAM_CACHE_THRESHOLD_NS=12345 says 'above 12.3 us missed' "$BIN/gbp" --explain file
GRAY_PARAM_CACHE_THRESHOLD_NS=12345 says 'above 12.3 us was not cached' "$BIN/discnice" explain
GRAY_PARAM_CACHE_HIT_NS=1000 GRAY_PARAM_DISK_MISS_NS=100000 says 'above 10.0 us was not cached' "$BIN/discnice" explain

# A threshold decides: where every read is called slow nothing is cached, where none is all of it.
cat file >/dev/null
fraction() { "$BIN/gbp" --json --backend timed file | sed 's/.*"cached_fraction":\([^,]*\).*/\1/'; }
[[ $(GRAY_PARAM_CACHE_THRESHOLD_NS=1000000000000 fraction) == 1.0 ]] || fail "a threshold of 1000 s finds a miss"

# A record of microbench's own.
says 'cache.threshold_ns@' "$BIN/microbench" run --quick cache_roc
says 'missed: cache.threshold_ns (user, ' "$BIN/gbp" --explain file
says 'cache.threshold_ns was measured on this host' "$BIN/discnice" explain
