#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# mac_room: in a control group with a limit, gb_alloc and gb-run find the available memory, and no process is killed or paged.
#
# Everything happens in a memory control group of 128 MiB without swap; making it needs root. Leaves out the figures (bench/mac).
source "$(dirname "$0")/../support/system.bash"
need_root
need timeout
need_built gb-run gb-fastsort
ADMISSION=$TOOLS/admission
[[ -x $ADMISSION ]] || skip "the tests' tool $ADMISSION was not built"
readonly MIB=$((1 << 20)) LIMIT_MIB=128 MARGIN_MIB=8
export XDG_CACHE_HOME=$SCRATCH/cache # where gb-run keeps what it learns

if grep -qsw memory /sys/fs/cgroup/cgroup.controllers; then
  group=/sys/fs/cgroup/gray-test-$$
  mkdir "$group" 2>/dev/null || skip "no control group can be made here"
  at_exit rmdir "$group"
  echo $((LIMIT_MIB * MIB)) >"$group/memory.max" 2>/dev/null || skip "the memory controller is not for new groups here"
  echo 0 >"$group/memory.swap.max" 2>/dev/null || true
  kills() { awk '$1 == "oom_kill" { print $2 }' "$group/memory.events"; }
else
  group=/sys/fs/cgroup/memory/gray-test-$$
  mkdir "$group" 2>/dev/null || skip "no memory control group can be made here"
  at_exit rmdir "$group"
  echo $((LIMIT_MIB * MIB)) >"$group/memory.limit_in_bytes"
  echo $((LIMIT_MIB * MIB)) >"$group/memory.memsw.limit_in_bytes" 2>/dev/null || true
  kills() { awk '$1 == "oom_kill" { print $2 }' "$group/memory.oom_control"; }
fi

inside() { # shellcheck disable=SC2016 # for the inner shell to expand
  timeout 300 sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group" "$@"
}

# is_near BYTES WHAT [LESS]: BYTES is at most 5 % below the limit less the margin. Another 3 MiB are allowed for the memory of the asking
# process itself.
is_near() {
  local due=$(((LIMIT_MIB - MARGIN_MIB) * MIB - ${3:-0}))
  (($1 <= due && $1 >= due * 95 / 100 - 3 * MIB)) || fail "$2 gave $1 bytes, not nearly $due"
}

# Alone in the group: the process gets all memory below the limit, and gb-run prints this amount without taking it. The output is captured, so that the asking
# process has ended and uses nothing when the next one asks.
read -r _ got _ error <<<"$(inside "$ADMISSION" alloc 4096 $((1 << 40)) 4096 0 </dev/null)"
is_near "$got" "gb_alloc (errno $error)"
# An eighth is left for the start of a program of which nothing is known.
is_near "$(inside "$BIN/gb-run" --print)" "gb-run --print" $(((LIMIT_MIB - MARGIN_MIB) * MIB / 8))
expect_status 1 inside "$BIN/gb-run" --min "${LIMIT_MIB}M" --print 2>"$SCRATCH/err"

# A process without any rights cannot even read the group's use. It still finds the free memory below the limit, and no process is killed. When the limit is
# hidden, too, the process gets the requested memory as far as the host has it.
if command -v setpriv >/dev/null; then
  chmod 755 "$SCRATCH" && cp "$ADMISSION" "$SCRATCH/admission"
  as_nobody() {
    # shellcheck disable=SC2016 # for the inner shell to expand
    timeout 300 sh -c 'echo $$ >"$0/cgroup.procs" && exec setpriv --reuid=65534 --regid=65534 --clear-groups "$@"' "$group" \
      env LD_LIBRARY_PATH="$SCRATCH" "$SCRATCH/admission" alloc 4096 "$1" 4096 0 </dev/null
  }
  cp -L "$LIB"/libgray.so* "$SCRATCH" 2>/dev/null || true
  for file in "$group"/memory.{usage_in_bytes,current,stat,oom_control,events}; do
    if [[ -e $file ]]; then chmod 000 "$file"; fi
  done
  read -r _ got _ error <<<"$(as_nobody $((1 << 40)))"
  is_near "$got" "gb_alloc without leave to read the group's use (errno $error)"
  for file in "$group"/memory.{limit_in_bytes,max}; do
    if [[ -e $file ]]; then chmod 000 "$file"; fi
  done
  read -r _ got _ error <<<"$(as_nobody $((32 * MIB)))"
  ((got == 32 * MIB)) || fail "gb_alloc without leave to read the limit gave $got bytes, errno $error"
  chmod 644 "$group"/memory.*
  [[ $(kills) -eq 0 ]] || fail "$(kills) processes were killed"
else
  echo "SKIPPED here: no setpriv to become nobody with"
fi

# The memory that gb-run has promised to a command is not promised again while that command runs.
second=$(inside "$BIN/gb-run" --max 80M -- "$BIN/gb-run" --print)
((second <= 40 * MIB)) || fail "80 MiB are promised, and $second bytes are still there"

# The shared table of claims is truncated while a process holds memory, in a /dev/shm of the test's own. The process frees its memory and ends without a fault.
mkfifo "$SCRATCH/cut"
if unshare -m true 2>/dev/null; then
  # shellcheck disable=SC2016 # for the inner shell to expand
  timeout 300 unshare -m sh -c 'mount -t tmpfs none /dev/shm && { "$1" alloc 4096 8388608 4096 0 <"$2" >"$2.said" & } &&
    exec 9>"$2" && while ! [ -s "$2.said" ]; do sleep 0.1; done && : >/dev/shm/gray-mac4.0 && exec 9>&- && wait "$!"' \
    sh "$ADMISSION" "$SCRATCH/cut" || fail "the holder ended with status $? when the shared notes were cut short"
else
  echo "SKIPPED here: no mount namespace for a /dev/shm of its own"
fi

# Many processes ask at the same time: no process is killed, and every process is served.
inside "$ADMISSION" rounds 20 $((4 * MIB)) $((1 << 40)) >"$SCRATCH/rounds" || fail "rounds: $(cat "$SCRATCH/rounds")"
cat "$SCRATCH/rounds"
granted=$(sed 's/.*granted_max \([0-9]*\).*/\1/' "$SCRATCH/rounds")
((granted <= (LIMIT_MIB - MARGIN_MIB) * MIB)) || fail "$granted bytes were granted at once"

# A program that does not use the library grows meanwhile.
mkfifo "$SCRATCH/held"
inside "$ADMISSION" grow 64 500 <"$SCRATCH/held" >"$SCRATCH/hog" &
hog=$!
exec 9>"$SCRATCH/held"
inside "$ADMISSION" alloc 4096 $((1 << 40)) 4096 0 </dev/null >"$SCRATCH/beside"
for _ in {1..100}; do if [[ -s $SCRATCH/hog ]]; then break; fi; sleep 0.1; done
[[ -s $SCRATCH/hog ]] || fail "the hog did not live to its size"
exec 9>&-
wait "$hog" || fail "the hog ended with status $?"
[[ $(kills) -eq 0 ]] || fail "$(kills) processes were killed"

# A sort in several passes still sorts.
"$BIN/gb-fastsort" --generate 500000 "$SCRATCH/a"
"$BIN/gb-fastsort" --generate 300000 --seed 9 "$SCRATCH/b"
inside "$BIN/gb-fastsort" --min 10000000 -o "$SCRATCH/sorted" "$SCRATCH/a" "$SCRATCH/b"
"$BIN/gb-fastsort" --check "$SCRATCH/sorted" "$SCRATCH/a" "$SCRATCH/b"
[[ $(kills) -eq 0 ]] || fail "$(kills) processes were killed"
