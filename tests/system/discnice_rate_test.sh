#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# discnice_rate_test: a job's disk traffic over its whole run keeps to its rate, whichever calls move the data.
#
# How: real programs move uncached files of a known size at 2, 10 and 50 MB/s. Two sums are checked, and neither of them is the prediction: the kernel's account
# in the report, and io_account from outside, which includes the launcher. Both must be within 5 %. It is checked before each run (no page in memory) and after
# it (the account has all bytes) that the files were uncached. Only slow runs run at the same time, and each has its own files. Left out: rates near the disk's
# own speed, where the disk and not the limit decides.
# Runs alone: rates must be exact to 5 %, and files are moved at half the speed of a slow disk.
# Slow: each program moves its file for eight seconds or more, for a window of 16 MB to weigh less than 5 %.
source "$(dirname "$0")/../support/discnice.bash"
need rsync tar python3

readonly TOLERANCE_PERCENT=5
RUN_SECONDS=8
# The program's windows have 16 MB, and it still works on two windows when the last wait is over.
# shellcheck disable=SC2034 # for `together`
readonly SHA256SUM_SECONDS=16
declare -A BYTES=([2MB]=2000000 [10MB]=10000000 [50MB]=50000000)
cd "$SCRATCH"

# judge NAME RATE EXPECTED ACCOUNT [REPORT]: prints the figures; complains when they are wrong.
judge() {
  local name=$1 rate=$2 expected=$3 account=$4 report=${5:-}
  local total outside inside=- off
  total=$(moved "$account")
  outside=$(calculate "$total / $(field "$account" elapsed_seconds) / ${BYTES[$rate]}")
  if [[ -n $report ]]; then
    inside=$(calculate "($(field "$report" kernel_read_bytes) + $(field "$report" kernel_write_bytes)) / \
                        $(field "$report" elapsed_seconds) / ${BYTES[$rate]}")
  fi
  printf '%-24s %5s/s  of the rate: outside %s, report %s; moved %s of %s bytes\n' \
    "$name" "$rate" "$outside" "$inside" "$total" "$expected"
  holds "$total >= 0.98 * $expected" || complain "$name at $rate moved $total bytes: its files were not cold"
  for off in "$outside" "$inside"; do
    [[ $off == - ]] || holds "$off > 1 - $TOLERANCE_PERCENT / 100 && $off < 1 + $TOLERANCE_PERCENT / 100" ||
      complain "$name at $rate ran at $off of its rate"
  done
}

# launched NAME RATE EXPECTED CMD... and bare NAME RATE EXPECTED CMD...: run the command and judge it.
launched() {
  local name=$1 rate=$2 expected=$3 files=$1-$2
  shift 3
  judged "$files.account" "$DISCNICE" --rate "$rate" --json --report "$files.report" -- "$@" >/dev/null ||
    complain "$name at $rate ended with status $?"
  judge "$name" "$rate" "$expected" "$files.account" "$files.report"
}

bare() {
  local name=$1 rate=$2 expected=$3 files=$1-$2
  shift 3
  judged "$files.account" env "LD_PRELOAD=$LIBRARY" "DISCNICE_RATE=$rate" "$@" >/dev/null ||
    complain "$name at $rate ended with status $?"
  judge "$name" "$rate" "$expected" "$files.account"
}

# make_tree FOLDER BYTES: half of the bytes in large files, a quarter in medium files, a quarter in small files.
make_tree() {
  local i
  for i in 1 2; do make_file "$1/large/$i" $(($2 / 4)); done
  for i in {1..8}; do make_file "$1/middle/$i" $(($2 / 32)); done
  mkdir -p "$1/small"
  make_file "$1/small/all" $(($2 / 4))
  split -a 4 -b $(($2 / 4 / 50)) "$1/small/all" "$1/small/part-"
  rm "$1/small/all"
}

cold_tree() {
  local files
  mapfile -d '' -t files < <(find "$1" -type f -print0)
  make_cold "${files[@]}"
}

run_rsync() { # WAY RATE
  local half=$((${BYTES[$2]} * RUN_SECONDS / 2)) folder=$1-rsync-$2
  make_tree "$folder" $half
  cold_tree "$folder"
  "$1" "rsync-$1" "$2" $((2 * half)) rsync -a "$folder/" "$folder.copy/"
  diff -r "$folder" "$folder.copy" || complain "rsync $1 at $2 did not copy what was there"
  rm -rf "$folder" "$folder.copy"
}

# run_one WAY NAME RATE SIDES CMD...: runs CMD with IN as its uncached source and OUT as its target. SIDES (1 or 2) says whether one or both of them
# are moved.
run_one() {
  local way=$1 name=$2 rate=$3 bytes=$((${BYTES[$3]} * RUN_SECONDS / $4))
  local in=$way-$name-$rate.in out=$way-$name-$rate.to
  shift 4
  make_file "./$in" $bytes
  make_cold "$in"
  local command=("${@//IN/$in}")
  "$way" "$name-$way" "$rate" $((${BYTES[$rate]} * RUN_SECONDS)) "${command[@]//OUT/$out}"
  [[ ! -e $out || $name == tar ]] || cmp "$in" "$out" || complain "$name $way at $rate did not copy what was there"
  rm -f "$in" "$out"
}

run_dd_write() { # RATE
  launched dd-fsync "$1" $((${BYTES[$1]} * RUN_SECONDS)) \
    dd if=/dev/zero of="dd-$1.to" bs=1M count=$((${BYTES[$1]} * RUN_SECONDS / 1048576)) conv=fsync status=none
  rm -f "dd-$1.to"
}

# shellcheck disable=SC2034 # for `together`
readonly SHUTIL='import shutil, sys; shutil.copyfile(sys.argv[1], sys.argv[2])'
together() {
  local command
  for command in "$@"; do eval "$command" & done
  wait
}

# Some machines take back pages which were read ahead. Then bytes that were waited for are not read, and bytes that were read are read again.
run_nibbled() { # RATE
  local in=nibbled-$1.in nibbler
  make_file "./$in" $((${BYTES[$1]} * RUN_SECONDS))
  make_cold "$in"
  "$TOOLS/pagecache" nibble "$in" &
  nibbler=$!
  launched cat-nibbled "$1" $((${BYTES[$1]} * RUN_SECONDS)) cat "$in"
  kill "$nibbler"
  rm -f "$in"
}

# The programs' own pages must not be part of the measurement.
hold_programs rsync dd cat sha256sum cp tar python3 env

together 'run_rsync launched 2MB' 'run_rsync launched 10MB' 'run_nibbled 2MB' 'run_nibbled 10MB'
together 'run_rsync launched 50MB' 'run_one launched dd-read 2MB 1 dd if=IN of=/dev/null bs=64k status=none'
together 'run_one launched cat 10MB 1 cat IN' 'RUN_SECONDS=$SHA256SUM_SECONDS run_one launched sha256sum 10MB 1 sha256sum IN' \
  'run_one launched cp 2MB 2 cp IN OUT' 'run_rsync bare 10MB' 'run_one bare cp 10MB 2 cp IN OUT' \
  'RUN_SECONDS=$SHA256SUM_SECONDS run_one bare sha256sum 10MB 1 sha256sum IN'
run_one launched cat 50MB 1 cat IN
together 'run_dd_write 10MB' 'run_one launched shutil 10MB 2 python3 -c "$SHUTIL" IN OUT' \
  'run_one launched tar 10MB 2 tar cf OUT IN' 'run_one bare cat 2MB 1 cat IN'
run_one launched cp 50MB 2 cp IN OUT
run_dd_write 50MB

conclude
