# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# discnice.bash: what the system tests of discnice share: the program under test, its judge, and files in a known cache state.
#
#   source "$(dirname "$0")/../support/discnice.bash"        (brings system.bash along)
#
#   DISCNICE, LIBRARY         the launcher and the preload library
#   make_file FILE BYTES      fills FILE with bytes that neither compress nor repeat, and brings them to disk
#   make_cold FILE...         drops the files from the page cache; fails unless all of them are out
#   make_warm FILE...         reads them in; fails unless all of them are in
#   hold FILE...              keeps the files in memory, whole, until `release` or the test's end, on machines that take idle pages back, too
#   hold_programs NAME...     the same with programs and their libraries, discnice and its library among them
#   release                   lets go of what was held last
#   resident_pages FILE...    how many of their pages are in memory
#   field FILE KEY            the number under KEY of a flat JSON object
#   calculate EXPRESSION      arithmetic with fractions
#   holds CONDITION           true when the comparison of numbers does
#   judged ACCOUNT CMD...     runs CMD under io_account, which writes what the kernel counted to the file ACCOUNT
#   moved ACCOUNT             bytes that the command moved: read, plus written, less what was taken back in time
#   segments                  the names of all jobs' segments; the board of all of a user's jobs, which stays, is none
#   complain MESSAGE          notes a failure and carries on; conclude fails if there was one
source "$(dirname "${BASH_SOURCE[0]}")/system.bash"
need_built discnice
need_preload
DISCNICE=$(program discnice)
LIBRARY=$(require_library libdiscnice.so)
# shellcheck disable=SC2034 # for the scripts that source this file
readonly DISCNICE LIBRARY
unset LD_PRELOAD "${!DISCNICE_@}"

make_file() {
  mkdir -p -- "${1%/*}"
  head -c "$2" /dev/urandom >"$1"
}

resident_pages() {
  "$TOOLS/pagecache" count "$@" | awk '{ sum += $1 } END { print sum + 0 }'
}

pages_of() {
  stat -c %s -- "$@" | awk '{ sum += int(($1 + 4095) / 4096) } END { print sum + 0 }'
}

# Dirty pages, and pages that somebody has just touched, survive the first try.
make_cold() {
  local try left
  for try in 1 2 3 4 5; do
    evict "$@"
    left=$(resident_pages "$@")
    ((left == 0)) && return
    sleep "0.$try"
  done
  fail "$left pages of $1 ... are still in memory"
}

make_warm() {
  local try left
  for try in 1 2 3 4 5; do
    "$TOOLS/pagecache" warm "$@"
    left=$(($(pages_of "$@") - $(resident_pages "$@")))
    ((left == 0)) && return
  done
  fail "$left pages of $1 ... did not stay in memory after $try tries"
}

# This process is not our child, so that a bare `wait` does not wait for it.
_holders=()
hold() {
  local said=$SCRATCH/.held-${#_holders[@]} holder
  holder=$("$TOOLS/pagecache" hold "$@" >"$said" 2>&1 & echo $!)
  _holders+=("$holder")
  until [[ -s $said ]] || ! kill -0 "$holder" 2>/dev/null; do sleep 0.01; done
  [[ $(<"$said") == held ]] || fail "cannot hold $1 ... in memory: $(<"$said")"
}
release() {
  local holder=${_holders[-1]}
  unset '_holders[-1]'
  kill "$holder" 2>/dev/null || true
  while kill -0 "$holder" 2>/dev/null; do sleep 0.01; done
}
_release_all() { while ((${#_holders[@]})); do release; done; }
at_exit _release_all

# The interpreter itself tells its files, because the program on the path may be a script that starts the interpreter.
hold_programs() {
  local name held=("$DISCNICE" "$LIBRARY")
  for name in "$@"; do held+=("$(type -P "$name")"); done
  if [[ " $* " == *' python3 '* ]]; then
    mapfile -t -O ${#held[@]} held < <(python3 -c "$PYTHON_FILES")
  fi
  mapfile -t -O ${#held[@]} held < <(ldd "${held[@]}" 2>/dev/null | sed -n 's,.*[[:space:]]\(/[^ ]*\) (0x.*,\1,p' | sort -u)
  hold "${held[@]}"
}
readonly PYTHON_FILES='
import os, shutil, subprocess, sys
print(sys.executable)
for module in list(sys.modules.values()):
    for name in (getattr(module, "__file__", None), getattr(module, "__cached__", None)):
        if name and os.path.isfile(name): print(name)'

# io_account counts the start of a command, too. In a warm run the files of the programs must not be read from the disk.
hold_programs sh true

field() {
  local value
  value=$(sed -n "s/.*\"$2\": *\\([-+.0-9e]*\\).*/\\1/p" "$1")
  [[ -n $value ]] || fail "no $2 in $1: $(cat "$1")"
  printf '%s\n' "$value"
}

calculate() { awk "BEGIN { printf \"%.6g\", $1 }"; }
holds() { awk "BEGIN { exit !($1) }"; }

judged() {
  local account=$1
  shift
  "$TOOLS/io_account" "$account" "$@"
}

moved() { echo $(($(field "$1" read_bytes) + $(field "$1" write_bytes) - $(field "$1" cancelled_bytes))); }

segments() { find /dev/shm -maxdepth 1 -name 'discnice-*' ! -name '*.disks*' -printf '%f\n' 2>/dev/null | sort; }

# Failures are noted in a file, because background jobs complain, too.
complain() {
  printf 'WRONG: %s\n' "$*" | tee -a "$SCRATCH/complaints" >&2
}

conclude() {
  [[ ! -s $SCRATCH/complaints ]] || fail "$(wc -l <"$SCRATCH/complaints") of the things above are wrong"
}
