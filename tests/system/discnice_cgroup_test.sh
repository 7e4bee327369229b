#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# discnice_cgroup_test: with --engine cgroup the kernel holds a job to its rate, cached data is free, and no group is left, however discnice ends.
#
# How: the test uses the disk of the scratch folder and the host's version of control groups. It judges by the time of the reading compared with a limit set by
# hand, by the kernel's account, and by the tree of groups. Left out: version 2 on hosts of version 1 (tests/kernels/40_cgroup.sh), delegated groups of other
# users.
source "$(dirname "$0")/../support/discnice.bash"
need_root
need python3 findmnt
readonly MB=1000000
cd "$SCRATCH"
OUT=$(mktemp -d /dev/shm/gray-cgroup.XXXXXX) # output to memory is no traffic of the disk
readonly OUT
at_exit rm -rf -- "$OUT"
make_file "$PWD/big" $((30 * MB))
make_file "$PWD/small" $((8 * MB))
sync -f .
where=$("$DISCNICE" explain -- cat big | sed -n 's/^--engine cgroup: //p')
[[ $where == possible* ]] || skip "no control group can be made here: $where"
tree=$(sed -n 's/.* in \([^ ,]*\),.*/\1/p' <<<"$where")
disk=$(sed -n 's/.* on disk \([0-9:]*\).*/\1/p' <<<"$where")
groups() { find "$tree" -maxdepth 1 -name 'discnice-*' -printf '%f\n'; }
held() { "$DISCNICE" --engine cgroup --rate 10MB "$@"; }
no_group_left() { # WHEN
  local try
  for try in {1..30}; do
    [[ -n $(groups) ]] || return 0
    sleep 0.1
  done
  complain "$1: a group is left after $((try / 10)) s: $(groups)"
}
lasted() { # COMMAND...: seconds
  local from till
  from=$EPOCHREALTIME
  "$@" >"$OUT/out" 2>err || complain "status $? of $*: $(<err)"
  till=$EPOCHREALTIME
  calculate "$till - $from"
}

# The time is compared with the time under the same limit set by hand.
by_hand=$(python3 "$SOURCE/bench/kit/control_groups.py" cap "gray-by-hand-$$" "$(findmnt -no SOURCE -T .)" $((10 * MB)) 0) || skip 'no group by hand'
at_exit rmdir "$by_hand"
make_cold big
wanted=$(lasted sh -c "echo \$\$ >'$by_hand/cgroup.procs' && exec cat big")
make_cold big
lasted held --json --report report -- cat big >/dev/null
took=$(field report elapsed_seconds) # of the program: the start of discnice does not count for the rate
holds "$took <= 1.10 * $wanted && $took >= 0.95 * $wanted" || complain "30 MB at 10 MB/s took $took s, and $wanted s under a limit by hand"
cmp -s "$OUT/out" big || complain 'other bytes come out'
holds "$(field report uncovered) <= 1500000" || complain "not accounted for: $(<report)"
[[ -z $(groups) ]] || complain "the group is still there when discnice has ended: $(groups)"
printf 'reads: %s s, by hand %s s\n' "$took" "$wanted"

# Cached data is free, and the exit status is the program's status.
make_warm small
took=$(lasted held -q -- cat small)
holds "$took <= 1.5" || complain "8 MB in memory took $took s"
expect_status 7 held -q -- sh -c 'exit 7'
expect_status 127 held -q -- ./nosuch 2>err

# A limit is changed, and the job stops while it is paused.
make_cold big
"$DISCNICE" -q --engine cgroup --rate 1MB -- cat big >"$OUT/out" &
job=$!
sleep 1
limits() { cat "$tree"/discnice-*/io.max "$tree"/discnice-*/blkio.throttle.read_bps_device 2>/dev/null || true; }
limits | grep -q "^$disk .*1000000" || complain "the limit is not set: $(limits)"
"$DISCNICE" set "$job" --rate 40MB
sleep 0.4
limits | grep -q "^$disk .*40000000" || complain "the limit has not moved: $(limits)"
program=$(pgrep -P "$job" -x cat)
reads() { awk '/^read_bytes/ { print $2 }' "/proc/$program/io"; }
"$DISCNICE" set "$job" --rate 1MB
"$DISCNICE" set "$job" --pause
sleep 0.5 # data that was already requested still comes
before=$(reads)
sleep 1
(($(reads) == before)) || complain "paused, the job has read $(($(reads) - before)) bytes"
"$DISCNICE" set "$job" --resume
"$DISCNICE" set "$job" --rate 40MB
"$DISCNICE" set "$job" --policy idle 2>err && complain 'a job in a group takes --policy idle'
grep -q 'holds a rate' err || complain "says: $(<err)"
wait "$job"
no_group_left 'after set'

# When discnice is killed, it leaves no limit and no group.
make_cold small
"$DISCNICE" -q --engine cgroup --rate 500kB -- cat small >"$OUT/out" 2>err &
job=$!
sleep 1
kill -9 "$job"
wait "$job" 2>/dev/null || true
sleep 1
if limits | grep -q "^$disk .*500000"; then complain "a second after the end the limit holds still: $(limits)"; fi
no_group_left 'after kill -9'
grep -q 'WITHOUT A LIMIT' err || complain "the guard says: $(<err)"

# First discnice's guard is killed, and then discnice itself.
make_cold small
"$DISCNICE" -q --engine cgroup --rate 500kB -- cat small >"$OUT/out" 2>err &
job=$!
sleep 0.5
guard=$(pgrep -P "$job" -x discnice-guard) || complain 'there is no guard'
kill -9 "$guard"
sleep 0.5
kill -9 "$job"
wait "$job" 2>/dev/null || true
sleep 1
if limits | grep -q "^$disk .*500000"; then complain 'the guard was killed first: a second after the end the limit holds still'; fi
no_group_left 'after the guard and kill -9'

# When discnice and its guard were both killed, the next start cleans up.
mkdir "$tree/discnice-999999999-1"
held -q -- true
[[ ! -d $tree/discnice-999999999-1 ]] || complain 'a group whose maker is no more is left'

# A process that goes on when the command has ended is still held, and then the group is removed.
make_cold big
held --report report -- sh -c 'cat big >/dev/null & exit 0' 2>err
[[ -n $(groups) ]] || complain 'the group of who goes on is gone'
grep -q 'goes on: process' err || complain "says of who goes on: $(<err)"
for _ in {1..80}; do
  [[ -n $(groups) ]] || break
  sleep 0.1
done
no_group_left 'after who went on'

conclude
