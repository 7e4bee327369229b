#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# gb_fastsort: what it writes is in order and has just the records it was given, in passes of any size.
#
# Data of a few megabytes, and some more of which only a part is in memory. Leaves out passes that memory forces (system/mac_room_test.sh), and
# a page cache that is full (bench/gbp).
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

# Checks how much memory is asked for. A third of 25,000 records, 116 bytes each with the memory for sorting, gives three passes. The memory for all of them gives one pass.
for case in "967000 3" "2900000 1" "99999999999 1"; do
  read -r most passes <<<"$case"
  "$SORT" --max "$most" --min 1 --runs-only --stats -o sorted a b 2>said
  [[ $(cat said) == "passes $passes "* ]] || fail "with --max $most: $(cat said)"
done

# An input of which every third part is cached. Its parts come in another order than in the file.
"$SORT" --generate 150000 --seed 3 holes
sync holes
evict holes
for ((i = 11; i > 0; i -= 3)); do dd if=holes of=/dev/null bs=1M count=1 skip=$i status=none; done
"$SORT" --pass 3000000 -o sorted holes
"$SORT" --check sorted holes >said || fail "with parts cached: $(cat said)"

# The check itself.
expect_status 1 "$SORT" --check a a >said
timeout 300 "$SORT" -o sorted a
expect_status 1 "$SORT" --check sorted a one >said

# Mistakes.
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
