#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# mac_neighbours: four real programs at a time, each told by gb-run how much memory it may use, share 600 MB without swap. No program is killed, no waiting
# program is refused, and most of the memory is used.
#
# Four Pythons, and then Python, GNU sort, Java and a C program (GRAY_PROGRAMS="python all"), start at the same time in a memory control group, again and again, with
# --min 30M --wait 60s and no maximum. So each program is granted all free memory, or shares it with the programs that ask in the same moment, and the other
# programs wait. Python, Java and the C program touch all of their memory. At first nothing is known of their needs. The kernel's own counter tells which
# programs were killed. GRAY_ROUNDS is the number of rounds (default 12; a round takes about a second); GRAY_OPTIONS replaces gb-run's options. Room is the
# memory that the group could have granted at a moment: its limit less the memory that the running programs need to start. That need is measured without
# gb-run. For a program that gb-run does not know yet, the test uses the memory that gb-run leaves free for the program, if that is more
# (support/neighbour_rounds.py). In each round the grants that exist at the same time must reach four fifths of the room at some moment. Needs root. Leaves
# out version 2 of control groups where it is not mounted.
# Runs alone on a quiet host: it fills memory and compares starts of programs.
source "$(dirname "$0")/../support/system.bash"
need_root
need timeout python3 sort
need_built gb-run
ADMISSION=$TOOLS/admission
[[ -x $ADMISSION ]] || skip "the tests' tool $ADMISSION was not built"
readonly LIMIT_BYTES=600000000 ROUNDS=${GRAY_ROUNDS:-12}
read -ra options <<<"${GRAY_OPTIONS:---min 30M --wait 60s}"

if grep -qsw memory /sys/fs/cgroup/cgroup.controllers; then
  group=/sys/fs/cgroup/gray-test-$$ limit=memory.max swap=memory.swap.max swap_bytes=0
else
  group=/sys/fs/cgroup/memory/gray-test-$$ limit=memory.limit_in_bytes swap=memory.memsw.limit_in_bytes swap_bytes=$LIMIT_BYTES
fi
mkdir "$group" 2>/dev/null || skip "no memory control group can be made here"
at_exit rmdir "$group"
echo "$LIMIT_BYTES" >"$group/$limit" 2>/dev/null || skip "the memory controller is not for new groups here"
if [[ $(awk '$1 == "SwapTotal:" { print $2 }' /proc/meminfo) -gt 0 ]]; then
  echo "$swap_bytes" >"$group/$swap" 2>/dev/null || skip "there is swap, and the group cannot be kept from it"
fi

# A table and learned needs of the test's own.
[[ -d /dev/shm ]] || skip "no /dev/shm"
export XDG_CACHE_HOME=$SCRATCH/cache
# shellcheck disable=SC2016 # for the inner shell to expand
own_shm='mount -t tmpfs tmpfs /dev/shm && exec "$@"'
unshare -m --propagation private true 2>/dev/null || own_shm="exec \"\$@\""
run=(unshare -m --propagation private sh -c "$own_shm" sh)

# rounds WHICH: of all four programs, or of four of that name.
rounds() {
  local status=0 least
  rm -rf "$XDG_CACHE_HOME"
  "${run[@]}" timeout $((60 + 20 * ROUNDS)) python3 "$SOURCE/tests/support/neighbour_rounds.py" "$BIN/gb-run" "$ADMISSION" "$group" \
    "$LIMIT_BYTES" "$SCRATCH" "$ROUNDS" "$1" "${options[@]}" >"$SCRATCH/said" || status=$?
  cat "$SCRATCH/said"
  ((status == 0)) || fail "status $status of the rounds of $1"
  if [[ -e $XDG_CACHE_HOME/gray/gb-run.needs ]]; then echo "needs learned: $(tr '\n' ' ' <"$XDG_CACHE_HOME/gray/gb-run.needs")"; fi
  least=$(sed -n 's/.* granted_of_room least \([0-9.]*\) .*/\1/p' "$SCRATCH/said")
  awk -v least="$least" 'BEGIN { exit !(least >= 0.8) }' || fail "in one round of $1 no more than $least of the room was granted at a time"
}
for which in ${GRAY_PROGRAMS:-python all}; do rounds "$which"; done
command -v java >/dev/null || skip "no java: shown with three programs"
