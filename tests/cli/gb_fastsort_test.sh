#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# gb_fastsort: the output is in order and has exactly the given records, with passes of any size.
#
# The data has a few megabytes. Some more data is only partly in memory. Left out: passes that a lack of memory forces (system/mac_room_test.sh), and a full
# page cache (bench/gbp).
source "$(dirname "$0")/../support/system.bash"
need sort cmp
need_built gb-fastsort
SORT=$BIN/gb-fastsort
cd "$SCRATCH"

"$SORT" --generate 20000 a
"$SORT" --generate 5000 --seed 2 b
"$SORT" --generate 0 none
"$SORT" --generate 1 one
for way in "" "--pass 1" "--pass 300000" "--pass 99999999" "--min 1" "--max 1" "--max 300000" "--max 99999999"; do
  read -ra words <<<"$way"
  inputs=(a b none)
  [[ $way != *" 1" || $way == --min* ]] || inputs=(one none) # a run for each record
  timeout 300 "$SORT" "${words[@]}" -o sorted "${inputs[@]}"
  "$SORT" --check sorted "${inputs[@]}" >said || fail "with '$way': $(cat said)"
done
[[ -z $(find . -name '*.run*') ]] || fail "runs are left: $(find . -name '*.run*')"
timeout 300 "$SORT" -o empty none
[[ ! -s empty ]] || fail "out of nothing came something"

# The requested amounts of memory. There are 25,000 records of 116 bytes each, including the memory for sorting. With memory for a third of the
# records the program makes three passes, and with memory for all records one pass.
for case in "967000 3" "2900000 1" "99999999999 1"; do
  read -r most passes <<<"$case"
  "$SORT" --max "$most" --min 1 --runs-only --stats -o sorted a b 2>said
  [[ $(cat said) == "passes $passes "* ]] || fail "with --max $most: $(cat said)"
done

# An input of which every third part is cached. The cached parts are read first, so the records are read in another order than the order
# of the file.
"$SORT" --generate 150000 --seed 3 holes
sync holes
evict holes
for ((i = 11; i > 0; i -= 3)); do dd if=holes of=/dev/null bs=1M count=1 skip=$i status=none; done
"$SORT" --pass 3000000 -o sorted holes
"$SORT" --check sorted holes >said || fail "with parts cached: $(cat said)"

# Tests --check itself.
expect_status 1 "$SORT" --check a a >said
timeout 300 "$SORT" -o sorted a
expect_status 1 "$SORT" --check sorted a one >said

# More runs than descriptors: some are merged before the others are made.
(
  ulimit -n 64
  timeout 300 "$SORT" --pass 11600 --stats -o sorted a b 2>said # of 100 records each
  [[ $(cat said) == "passes 250 "* ]] || fail "with 64 descriptors: $(cat said)"
  timeout 300 "$SORT" --min 1 --max 11600 -o sorted2 a b
)
(
  ulimit -n 12
  expect_status 1 "$SORT" --pass 11600 -o few a 2>said
  grep -q 'the limit of open files: is 12, and [0-9]* would do' said || fail "with 12 descriptors: $(cat said)"
)
"$SORT" --check sorted a b >said || fail "with 64 descriptors: $(cat said)"
"$SORT" --check sorted2 a b >said || fail "with 64 descriptors and memory that is granted: $(cat said)"

# No run is left behind. The folder of the runs is empty after the sort was killed at any moment, and after the disk was full.
mkdir runs
for number in TERM HUP KILL; do
  "$SORT" --pass 1160 -o runs/out a &
  sorting=$!
  for _ in {1..100}; do
    [[ -z $(ls runs) ]] || break
    sleep 0.002
  done
  kill -"$number" "$sorting" 2>/dev/null || true
  wait "$sorting" 2>/dev/null || true
  rm -f runs/out
  [[ -z $(ls runs) ]] || fail "after SIG$number these are left: $(ls runs)"
  rm -f runs/*
done
if [[ $EUID -eq 0 ]] && unshare -m true 2>/dev/null; then
  # shellcheck disable=SC2016 # for the inner shell
  expect_status 1 unshare -m sh -c 'mount -t tmpfs -o size=1m tmpfs runs && { "$0" -o runs/out a 2>err; status=$?; ls runs >left; exit $status; }' "$SORT"
  grep -q 'a run in runs: No space left' err || fail "a full disk is told so: $(cat err)"
  [[ ! -s left ]] || fail "on a full disk these are left: $(cat left)"
fi

# An output that is no regular file is written as a stream, and its runs lie in another folder.
TMPDIR=$SCRATCH "$SORT" -o /dev/stdout a | cat >streamed
"$SORT" --check streamed a >said || fail "through a pipe: $(cat said)"
"$SORT" -o /dev/stdout a >streamed
"$SORT" --check streamed a >said || fail "as the shell's output: $(cat said)"
expect_status 1 "$SORT" -o /dev/full a 2>err
grep -q '/dev/full: No space left' err || fail "a full device is told so: $(cat err)"
expect_status 1 env TMPDIR="$SCRATCH/no-folder" "$SORT" -o /dev/null a 2>err
grep -q "$SCRATCH/no-folder: No such file" err || fail "where the runs would lie is told so: $(cat err)"
expect_status 1 "$SORT" -o . a 2>err
grep -q '\.: Is a directory' err || fail "a folder as output: $(cat err)"
[[ -z $(find /dev . -maxdepth 1 -name '*.run*') ]] || fail "runs are left: $(find /dev . -maxdepth 1 -name '*.run*')"

# An output that is also an input is replaced when all records are sorted. Another name of that file keeps the old content. A symbolic
# link to the output stays a link.
cp a in
ln in hard
ln -s in soft
chmod 640 in
if "$SORT" -o soft in b 2>err; then
  "$SORT" --check in a b >said || fail "the output is an input: $(cat said)"
  [[ -L soft && $(stat -c %a in) == 640 ]] || fail "replaced: $(ls -l soft in)"
  cmp -s hard a || fail "the other name of an input that was replaced has changed"
  # shellcheck disable=SC2094 # that is what is tried
  timeout 300 "$SORT" --pass 300000 -o hard - <hard
  "$SORT" --check hard a >said || fail "the output is the input's file, as a stream: $(cat said)"
  [[ -z $(find . -name '*.new*') ]] || fail "left behind: $(find . -name '*.new*')"
  if [[ $EUID -eq 0 ]] && unshare -m true 2>/dev/null; then
    # The disk has room for the runs, and no room for the output in addition.
    # shellcheck disable=SC2016 # for the inner shell
    expect_status 1 unshare -m sh -c 'mount -t tmpfs -o size=5m tmpfs runs && cp a runs && { "$0" -o runs/a runs/a 2>err; status=$?; cmp -s a runs/a || exit 9; exit $status; }' "$SORT"
    grep -q 'runs/a: No space left' err || fail "a full disk when the output is an input: $(cat err)"
  fi
else
  grep -q 'is an input, too, and cannot be replaced' err || fail "the output is an input: $(cat err)"
  cmp -s in a || fail "an input that could not be replaced has changed"
fi

# When other users may not read an input, they may not read the output either.
cp a private
chmod 600 private
(umask 022 && "$SORT" -o private.sorted private && "$SORT" -o both.sorted b private && "$SORT" -o open.sorted b && "$SORT" --pass 300000 -o stream.sorted - <private)
[[ $(stat -c %a private.sorted both.sorted open.sorted stream.sorted | tr '\n' ' ') == '600 600 644 600 ' ]] ||
  fail "of inputs with the modes 600, 644 and 600, 644, and 600 the outputs have $(stat -c %a private.sorted both.sorted open.sorted stream.sorted | tr '\n' ' ')"

# Each mistake is reported in one line, and the line contains no command for the terminal.
head -c 150 a >odd
expect_status 1 "$SORT" -o x odd 2>err
grep -q 'odd: its 150 bytes are no whole records of 100' err || fail "150 bytes: $(cat err)"
expect_status 1 "$SORT" --pass 300000 -o x - <odd 2>err
grep -q 'standard input: ends within a record' err || fail "150 bytes as a stream: $(cat err)"
expect_status 1 "$SORT" -o x /dev/null 2>err
grep -q '/dev/null: is no regular file' err || fail "a device as input: $(cat err)"
expect_status 1 "$SORT" -o x . 2>err
grep -q 'Is a directory' err || fail "a folder as input: $(cat err)"
expect_status 1 "$SORT" -o x $'no\033[31m\xc2\x9b' 2>err
expect_status 2 "$SORT" -o x --pass $'\033[31m' a 2>>err
if grep -q $'\033\|\xc2\x9b' err; then fail "control characters are not escaped: $(cat -v err)"; fi
printf 'short' >odd
expect_status 1 "$SORT" -o x odd 2>err
expect_status 1 "$SORT" -o x nothing-there 2>err
expect_status 1 "$SORT" -o nowhere/x a 2>err
for wrong in "a" "-o x" "-o x --pass 0 a" "-o x --pass -5 a" "-o x --pass 1k a" "-o x --max 0 a" "-o x --max 1G a" \
  "-o x --min 200 --max 199 a" "-o x --pass 200 --max 200 a" "--check"; do
  read -ra words <<<"$wrong"
  expect_status 2 "$SORT" "${words[@]}" 2>err
  [[ $(wc -l <err) -eq 1 ]] || fail "$(cat err)"
done
