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
#   resident_pages FILE...    how many of their pages are in memory
#   field FILE KEY            the number under KEY of a flat JSON object
#   calculate EXPRESSION      arithmetic with fractions
#   holds CONDITION           true when the comparison of numbers does
#   judged ACCOUNT CMD...     runs CMD under io_account, which writes what the kernel counted to the file ACCOUNT
#   moved ACCOUNT             bytes that the command moved: read, plus written, less what was taken back in time
#   alone_in_shm "$0" "$@"    starts the script again with a /dev/shm of its own, where that is allowed; before anything else
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

# io_account adds a command's own start to its account: the programs have to be in memory before.
"$DISCNICE" --rate 1G -q -- true

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

# Dirty pages and pages that somebody just touched survive the first try.
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

# Jobs of others on this machine must not be taken for what a test left behind: where we may, /dev/shm becomes our own.
# What is unmounted meanwhile goes here too ("slave"), or others' disks would stay in use as long as this runs.
alone_in_shm() { # SCRIPT ARGUMENT...
  if ((EUID == 0)) && [[ -z ${GRAY_OWN_SHM:-} ]] && unshare -m true 2>/dev/null; then
    GRAY_OWN_SHM=1 exec unshare -m --propagation slave sh -c 'mount -t tmpfs tmpfs /dev/shm && exec bash "$@"' sh "$@"
  fi
}

segments() { find /dev/shm -maxdepth 1 -name 'discnice-*' ! -name '*.disks*' -printf '%f\n' 2>/dev/null | sort; }

# In a file, because background jobs complain, too.
complain() {
  printf 'WRONG: %s\n' "$*" | tee -a "$SCRATCH/complaints" >&2
}

conclude() {
  [[ ! -s $SCRATCH/complaints ]] || fail "$(wc -l <"$SCRATCH/complaints") of the things above are wrong"
}
