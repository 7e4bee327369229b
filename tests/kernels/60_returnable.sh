#!/bin/sh
# SPDX-License-Identifier: MIT
# clock: counted
# returnable: checks that a process that needs 40 % of a group at once gets it from processes that hold returnable memory, and that no process is killed. It
# runs with and without swap, and together with sorts.
#
# In a group of 96 MiB three workers hold all of the memory, and then a server starts; 250 times with swap and 250 times without. Then three sorts run, and a server starts
# once a second. The figure is the longest wait. The kernel's own count of kills must stay 0. A short run leaves this out.
if [ "$IS_SHORT" = true ]; then
  echo 'LEFT OUT returnable: a short run'
  exit 0
fi
# shellcheck source=tests/kernels/group.sh
. /tests/group.sh
LIMIT_MIB=96 MIN_MIB=4 ROUNDS=250 RECORDS=300000 TURNS_OF_SORTS=5
SERVER_BYTES=$((LIMIT_MIB * MIB * 2 / 5 / 4096 * 4096))

# Prints the milliseconds until the server has its memory. Prints 5000 if the server has no memory after 5000
# milliseconds, and nothing if the server is killed.
serve() {
  (inside admission alloc $SERVER_BYTES $SERVER_BYTES 4096 5000) </dev/null | awk '{ print ($2 > 0 ? $3 : 5000) }'
}

found_wait() { # NAME FILE
  echo "WAITS $1 $(sort -n "$2" | tr '\n' ' ')"
  echo "FOUND returnable/$1 $(sort -n "$2" | tail -n 1) 1000 ms"
}

make_swap 128
for swap in with without; do
  name=${swap}_swap
  begin_group $((LIMIT_MIB * MIB)) $swap
  (inside admission returns $ROUNDS $((MIN_MIB * MIB)) $SERVER_BYTES) >said || sed -n 's/^returns/WRONG returns/p' said
  sed -n 's/^wait //p' said >waits
  found_wait "$name/wait" waits
  tail -n 1 said
  echo "FOUND returnable/$name/kills $(of_group memory.events oom_kill) 0 kills"
  end_group $swap
done
rm -f said $swap_file

# shellcheck disable=SC2086 # each word is a number
are_sorting() { kill -0 $sorts 2>/dev/null; }
for i in 1 2 3; do gb-fastsort --generate $RECORDS --seed $i in.$i; done
begin_group $((LIMIT_MIB * MIB)) without
failed=0
for turn in $(seq $TURNS_OF_SORTS); do
  : >waits
  sorts=
  for i in 1 2 3; do
    inside gb-fastsort --runs-only --stats --max $((LIMIT_MIB * MIB)) -o out.$i in.$i 2>stats.$i &
    sorts="$sorts $!"
  done
  sleep 1
  while are_sorting; do
    serve >>waits
    sleep 1
  done
  for sort in $sorts; do wait "$sort" || failed=$((failed + 1)); done
  cat stats.*
  if [ -s waits ]; then found_wait "beside_sorts/wait_$turn" waits; fi
done
echo "FOUND returnable/beside_sorts/kills $((failed + $(of_group memory.events oom_kill))) 0 kills"
end_group without
rm -f in.* out.* stats.* waits
