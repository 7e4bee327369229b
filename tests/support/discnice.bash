# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# discnice.bash: functions for the system tests of discnice: the program under test, its judge, and files in a known cache state.
#
#   source "$(dirname "$0")/../support/discnice.bash"        (includes system.bash)
#
#   DISCNICE, LIBRARY         the launcher and the preload library
#   make_file FILE BYTES      fills FILE with bytes that neither compress nor repeat, and brings them to the disk
#   make_cold FILE...         drops the files from the page cache; fails unless all of them are out
#   make_warm FILE...         reads the files in; fails unless all of them are in
#   hold FILE...              keeps the whole files in memory until `release` or the test's end, also on machines that take idle pages back
#   hold_programs NAME...     the same for programs and their libraries, with discnice and its library among them
#   release                   ends the last `hold`
#   resident_pages FILE...    the number of the files' pages that are in memory
#   field FILE KEY            the number under KEY of a flat JSON object
#   calculate EXPRESSION      arithmetic with fractions
#   holds CONDITION           true when the comparison of numbers is true
#   judged ACCOUNT CMD...     runs CMD under io_account, which writes the kernel's counts to the file ACCOUNT
#   moved ACCOUNT             the bytes that the command moved: read, plus written, less what was removed before it was written
#   segments                  the names of all jobs' segments; without the board of a user's jobs, which stays
#   complain MESSAGE          notes a failure and goes on; conclude fails if there was one
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

# Dirty pages, and pages that were used just now, survive the first try.
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

# The holders are no children of this shell, because a bare `wait` must not wait for them.
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

# An interpreter names its own files, because the file on the path may be a script that starts it.
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

# io_account adds the start of a command to its account. The programs are held in memory, so that a run does not include the bytes of reading
# them.
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

# The complaints are in a file, because background jobs complain, too.
complain() {
  printf 'WRONG: %s\n' "$*" | tee -a "$SCRATCH/complaints" >&2
}

conclude() {
  [[ ! -s $SCRATCH/complaints ]] || fail "$(wc -l <"$SCRATCH/complaints") of the things above are wrong"
}
