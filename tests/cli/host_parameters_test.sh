#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# host_parameters: libgray, gbp and discnice use the recorded parameters of the host, and say that they use them.
#
# The values come from variables and from a record that microbench has made and the test has changed. Left out: the effect of the changed values on a
# measurement (tests/unit/gbp, tests/unit/libgray).
source "$(dirname "$0")/../support/system.bash"
need_built gbp discnice microbench
[[ -x $TOOLS/cache_settings ]] || skip "the tests' tool cache_settings was not built"
export XDG_DATA_HOME=$SCRATCH/data
mkdir "$XDG_DATA_HOME" "$SCRATCH/place"
cd "$SCRATCH/place"
SETTINGS=$TOOLS/cache_settings
head -c 100000 /dev/zero >file

says() { # WORDS PROGRAM ARGUMENT...
  local words=$1
  shift
  "$@" >"$SCRATCH/out" 2>&1 || fail "$* ends with status $?: $(cat "$SCRATCH/out")"
  grep -q -e "$words" "$SCRATCH/out" || fail "no '$words' from $*: $(cat "$SCRATCH/out")"
}

# Nothing is recorded: the paper's unit is used, and the time of a cached read is measured immediately.
says 'answers for 5.00 MiB: the default' "$BIN/gbp" --explain file
says 'cache.threshold_ns is not measured, a cached read took .* just now (measured in ' "$BIN/gbp" --explain file
says 'a cached read took .* just now (measured in .*); neither cache.threshold_ns nor' "$BIN/discnice" explain
printf 'foo\n' >text
says 'answers for 5242880 bytes (the library.s own' "$SETTINGS" text
says 'missed (not recorded: a cached read was timed just now)' "$SETTINGS" text

# Another access unit, another window, another threshold.
GRAY_PARAM_DISK_ACCESS_UNIT_BYTES=$((3 << 20)) says 'answers for 3.00 MiB: the larger of' "$BIN/gbp" --explain file
GRAY_PARAM_DISK_ACCESS_UNIT_BYTES=$((3 << 20)) GRAY_PARAM_DISK_READAHEAD_MAX_BYTES=$((8 << 20)) \
  says 'answers for 8.00 MiB' "$BIN/gbp" --explain file
GRAY_PARAM_FILECACHE_PREDICTION_UNIT_BYTES=$((2 << 20)) GRAY_PARAM_DISK_ACCESS_UNIT_BYTES=$((3 << 20)) \
  says 'answers for 2.00 MiB: as filecache' "$BIN/gbp" --explain file
GRAY_PARAM_CACHE_THRESHOLD_NS=12345 says 'above 12.3 us missed' "$BIN/gbp" --explain file
GRAY_PARAM_CACHE_THRESHOLD_NS=12345 says 'above 12.3 us was not cached' "$BIN/discnice" explain
GRAY_PARAM_CACHE_HIT_NS=1000 GRAY_PARAM_DISK_MISS_NS=100000 says 'above 10.0 us was not cached' "$BIN/discnice" explain

says 'learned from the job.s own: disk.random_read_ns is not measured' "$BIN/discnice" explain
GRAY_PARAM_DISK_RANDOM_READ_NS=4000000 says 'a random read takes 4.00 ms: disk.random_read_ns was measured' "$BIN/discnice" explain

# A running job gets the time: the first page of its segment has it, in microseconds, as a word of its own.
told() { # SECONDS-AT-MOST
  python3 - "$1" "$JOB" <<'PYTHON'
import glob, os, struct, sys, time
end = time.monotonic() + float(sys.argv[1])
while time.monotonic() < end:
    for path in glob.glob(f"/dev/shm/discnice-{os.getuid()}-{sys.argv[2]}-*"):
        with open(path, "rb") as segment:
            page = segment.read(4096)
        if 471100 in struct.unpack(f"<{len(page) // 8}Q", page[: len(page) // 8 * 8]):
            sys.exit(0)
    time.sleep(0.05)
sys.exit(1)
PYTHON
}
GRAY_PARAM_DISK_RANDOM_READ_NS=471100000 "$BIN/discnice" -q --policy idle -- sleep 30 &
JOB=$!
told 10 || fail "a job is not told how long a random read takes"
kill "$JOB"
"$BIN/discnice" -q --policy idle -- sleep 30 &
JOB=$!
if told 1; then fail "a job is told of a random read that nobody has measured"; fi
kill "$JOB"

GRAY_PARAM_DISK_ACCESS_UNIT_BYTES=$((3 << 20)) says 'answers for 3145728 bytes (from the record' "$SETTINGS" text
GRAY_PARAM_CACHE_THRESHOLD_NS=12345 says 'above 12345 ns missed (from the record' "$SETTINGS" text

# A threshold decides: when every read counts as slow, nothing is cached; when no read does, everything is.
cat file >/dev/null
fraction() { "$BIN/gbp" --json --backend timed file | sed 's/.*"cached_fraction":\([^,]*\).*/\1/'; }
[[ $(GRAY_PARAM_CACHE_THRESHOLD_NS=1000000000000 fraction) == 1.0 ]] || fail "a threshold of 1000 s finds a miss"

# A record that microbench has made.
says 'cache.threshold_ns@' "$BIN/microbench" run --quick cache_roc
says 'missed: cache.threshold_ns (user, ' "$BIN/gbp" --explain file
says 'cache.threshold_ns was measured on this host' "$BIN/discnice" explain
says 'missed (from the record of this host)' "$SETTINGS" text

# The record of microbench with other figures: each of the three programs prints the new figure.
explained() {
  "$BIN/gbp" --explain file 2>&1 >/dev/null | grep -v 'random' >"$1.gbp"
  "$BIN/discnice" explain >"$1.discnice"
  "$SETTINGS" text >"$1.libgray"
}
edit_record() { # THRESHOLD-NS UNIT-BYTES
  local file
  file=$(find "$XDG_DATA_HOME" -name 'host-*.params')
  python3 - "$file" "$@" <<'PYTHON'
import re, sys
path, threshold, unit = sys.argv[1:]
text = open(path).read()
text, changed = re.subn(r"(?m)^(cache\.threshold_ns@\S+\s+)\S+", r"\g<1>" + threshold, text)
text, units = re.subn(r"(?m)^(disk\.access_unit_bytes@\S+\s+)\S+", r"\g<1>" + unit, text)
assert changed == 1 and units == 1, text
# The last line has the count and a checksum of everything before it (docs/repository-format.md).
body, end = text[: text.rindex("\nend ") + 1], text[text.rindex("\nend ") + 1 :].split()
hashed = 0xCBF29CE484222325
for byte in body.encode():
    hashed = (hashed ^ byte) * 0x100000001B3 % 2**64
open(path, "w").write(f"{body}end {end[1]} {hashed:016x}\n")
PYTHON
}
"$BIN/microbench" run --quick disk_unit >/dev/null 2>&1 || fail "no access unit can be measured"
edit_record 33000 4194304
explained "$SCRATCH/one"
edit_record 44000 7340032
explained "$SCRATCH/other"
for program in gbp discnice libgray; do
  if cmp -s "$SCRATCH/one.$program" "$SCRATCH/other.$program"; then fail "$program explains two records alike: $(cat "$SCRATCH/one.$program")"; fi
done
grep -q 'answers for 7.00 MiB' "$SCRATCH/other.gbp" || fail "gbp does not use the access unit: $(cat "$SCRATCH/other.gbp")"
grep -q 'above 44.0 us missed' "$SCRATCH/other.gbp" || fail "gbp does not use the threshold: $(cat "$SCRATCH/other.gbp")"
grep -q 'above 44.0 us' "$SCRATCH/other.discnice" || fail "discnice does not use the threshold: $(cat "$SCRATCH/other.discnice")"
grep -q 'answers for 7340032 bytes' "$SCRATCH/other.libgray" || fail "libgray does not use the access unit: $(cat "$SCRATCH/other.libgray")"
grep -q 'above 44000 ns missed' "$SCRATCH/other.libgray" || fail "libgray does not use the threshold: $(cat "$SCRATCH/other.libgray")"
