# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# system.bash: the common start of every test script: one way to fail, one way to skip visibly, and a place to work in.
#
#   source "$(dirname "$0")/../support/system.bash"
#
#   BUILD, SOURCE          absolute folders of the build and the sources; BIN has the programs, TOOLS the tests' own tools
#   SCRATCH                a fresh empty folder on a disk file system, removed at exit; GRAY_SCRATCH names the disk
#   skip REASON            ends the test as skipped: the reason on stdout, status 77
#   fail MESSAGE           ends the test as failed: the place and the reason on stderr, status 1
#   need PROGRAM...        skips unless all are installed
#   need_root              skips unless root
#   need_built NAME...     skips unless these programs were built, each a name in BIN
#   program NAME           prints the path of a built program; fails if there is none
#   require_library NAME   prints the path of build/lib/NAME; skips if it was not built
#   need_preload           skips in a build with sanitizers or coverage, whose preload library fits no other program
#   evict FILE...          drops the files' pages from the page cache
#   at_exit COMMAND...     runs COMMAND when the test ends; the last given command runs first
#   expect_status N CMD... runs CMD, fails unless it ends with status N
#
# It sets `set -euo pipefail`. It needs no root unless a test asks for root. Included a second time it does nothing.
#
# As root, and if the system allows it, a test has a /dev/shm and mounts of its own. Then GRAY_OWN_SHM is in its environment. So the test does not take other
# programs' shared memory for its own leftovers, and shares no board of the disks with other jobs. Several tests can run at the same time.
if declare -F at_exit >/dev/null; then return 0; fi
set -euo pipefail
export LC_ALL=C

# Unmounts outside take effect here, too ("slave"). Otherwise disks of others would stay in use as long as the test runs.
if [[ $0 == *_test.sh && $EUID -eq 0 && -z ${GRAY_OWN_SHM:-} ]] && unshare -m true 2>/dev/null; then
  GRAY_OWN_SHM=1 exec unshare -m --propagation slave sh -c 'mount -t tmpfs tmpfs /dev/shm && exec bash "$@"' sh "$0" "$@"
fi

SOURCE=${GRAY_SOURCE_DIR:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}
BUILD=${GRAY_BUILD_DIR:-$SOURCE/build/release}
BIN=$BUILD/bin
LIB=$BUILD/lib
TOOLS=$BUILD/tests/bin
SCRATCH=
readonly SOURCE BUILD BIN LIB TOOLS
# shellcheck disable=SC2034 # for the scripts that source this file
readonly TEST_NAME=${0##*/}

_at_exit=()
at_exit() {
  local quoted
  printf -v quoted '%q ' "$@"
  _at_exit+=("$quoted")
}
_clean_up() {
  local i
  for ((i = ${#_at_exit[@]} - 1; i >= 0; i--)); do eval "${_at_exit[i]}"; done
  _at_exit=()
}
_run_at_exit() {
  local status=$?
  set +e
  _clean_up
  exit "$status"
}
trap _run_at_exit EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# Inside $(...) the reason goes to stderr, so that it is printed and not captured. `x=$(...)` passes the status on.
skip() {
  if ((BASH_SUBSHELL)); then exec >&2; fi
  printf 'SKIP: %s\n' "$*"
  exit 77
}

fail() {
  printf 'FAIL: %s:%s: %s\n' "${BASH_SOURCE[1]##*/}" "${BASH_LINENO[0]}" "$*" >&2
  exit 1
}

need() {
  local program missing=()
  for program in "$@"; do command -v "$program" >/dev/null || missing+=("$program"); done
  ((${#missing[@]} == 0)) || skip "not installed here: ${missing[*]}"
}

need_root() { [[ $EUID -eq 0 ]] || skip "needs root"; }

need_built() {
  local name missing=()
  for name in "$@"; do [[ -x $BIN/$name ]] || missing+=("$name"); done
  ((${#missing[@]} == 0)) || skip "not built in $BIN: ${missing[*]}"
}

program() {
  [[ -x $BIN/$1 ]] || fail "no program $BIN/$1"
  printf '%s\n' "$BIN/$1"
}

require_library() {
  [[ -e $LIB/$1 ]] || skip "not built: $LIB/$1"
  printf '%s\n' "$LIB/$1"
}

need_preload() {
  [[ ${GRAY_PRELOAD_WORKS:-ON} == ON ]] || skip "the preload library of this build is instrumented and cannot enter other programs"
}

_is_memory_file_system() {
  case $(stat -f -c %T -- "$1") in tmpfs | ramfs) return 0 ;; *) return 1 ;; esac
}

# Makes SCRATCH. It is on a disk file system, because tests with a file system in memory prove nothing about a disk.
scratch() {
  local base=${GRAY_SCRATCH:-/var/tmp}
  [[ -d $base && -w $base ]] || skip "no writable folder $base; name one on a disk in GRAY_SCRATCH"
  if _is_memory_file_system "$base"; then
    skip "$base lies in memory, not on a disk; name a folder on a disk in GRAY_SCRATCH"
  fi
  SCRATCH=$(mktemp -d "$base/gray-test.XXXXXXXX")
  at_exit remove_folder "$SCRATCH"
}

# A removal of the folder would also empty anything that is mounted below it, even a folder of this machine. So these mounts are unmounted first. If that fails,
# everything stays.
remove_folder() {
  local mounted
  while mounted=$(awk -v below="$1/" 'index($5, below) == 1 { last = $5 } END { print last }' /proc/self/mountinfo) && [[ -n $mounted ]]; do
    umount -l -- "$mounted" || { printf 'left behind, for it is mounted: %s\n' "$mounted" >&2 && return 1; }
  done
  rm -rf --one-file-system -- "$1"
}

evict() {
  [[ -x $TOOLS/pagecache ]] || fail "the tests' tool $TOOLS/pagecache was not built"
  "$TOOLS/pagecache" evict "$@"
}

expect_status() {
  local want=$1 got=0
  shift
  "$@" || got=$?
  [[ $got -eq $want ]] || fail "status $got instead of $want from: $*"
}

scratch
