#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# discnice_control_test: a running job can be listed, watched, changed, paused and reported on, and a wrong command changes
# nothing.
#
# How: a reader that would take minutes at its rate is set free, and the time of its end is measured. Programs that cannot be held are made from programs of this
# host. Left out: figures (bench throttle), the picture on a terminal.
source "$(dirname "$0")/../support/discnice.bash"
need python3
export XDG_CONFIG_HOME=$SCRATCH/config
cd "$SCRATCH"
make_file ./source 6000000

says() { # PATTERN COMMAND...
  local pattern=$1
  shift
  "$@" >said 2>&1 || complain "status $?: $*: $(<said)"
  [[ -z $pattern ]] || grep -Eq -- "$pattern" said || complain "does not say '$pattern': $*: $(<said)"
}

refuses() { # STATUS PATTERN COMMAND...
  local want=$1 pattern=$2 status=0
  shift 2
  "$@" >out 2>err || status=$?
  [[ $status -eq $want && ! -s out && $(wc -l <err) -eq 1 ]] || complain "status $status instead of $want, or not one line: $*: $(cat out err)"
  grep -Eq -- "$pattern" err || complain "does not say '$pattern': $*: $(<err)"
}

# start OPTION...: starts a job that reads the uncached source. JOB is its number.
start() {
  local look
  make_cold source
  "$DISCNICE" --json --report report "$@" -- dd if=source of=/dev/null bs=64k status=none &
  JOB=$!
  for ((look = 0; look < 200; ++look)); do
    "$DISCNICE" status --json 2>/dev/null | grep -q "\"job\": *$JOB\b" && pgrep -P "$JOB" -x dd >/dev/null && break
    sleep 0.01
  done
}

ends_within() { # SECONDS WHAT
  local left=$(($1 * 100))
  while kill -0 "$JOB" 2>/dev/null && ((left-- > 0)); do sleep 0.01; done
  if kill -0 "$JOB" 2>/dev/null; then
    complain "$2: the job is still running"
    kill "$JOB"
  fi
  wait "$JOB" || complain "$2: status $?"
}

start --rate 20K
says '"policy": *"rate"' "$DISCNICE" status --json
says "^$JOB .*dd .*rate" "$DISCNICE" status
says 'limit 20.0 KiB/s' "$DISCNICE" top
says '"limits"' "$DISCNICE" top --json
says '"pid": *[0-9]' "$DISCNICE" top --json -P
says 'dd: .*limit 20.0 KiB/s' "$DISCNICE" report "$JOB"
says '"file_read_bytes"' "$DISCNICE" report dd --json
refuses 2 "no policy 'nosuch'" "$DISCNICE" set "$JOB" --policy nosuch
refuses 2 'rate' "$DISCNICE" set "$JOB" --rate fast
refuses 2 'burst' "$DISCNICE" set "$JOB" --burst 10
refuses 2 'iops' "$DISCNICE" set "$JOB" --iops -3
refuses 2 'needs a rate' "$DISCNICE" set "$JOB" --policy share --rate none
refuses 1 "no job '1'" "$DISCNICE" set 1 --rate 5M
refuses 1 "no job 'nosuch'" "$DISCNICE" report nosuch
refuses 1 "'dd' is a job that runs" "$DISCNICE" report --html page dd
refuses 1 "cannot read 'nosuch'" "$DISCNICE" report --html page nosuch
refuses 1 'not a recording' "$DISCNICE" report --html page source
refuses 2 'exclude one another' "$DISCNICE" report --html page --json dd
refuses 2 'goes with --html' "$DISCNICE" report --profile folded dd
says 'limit 20.0 KiB/s' "$DISCNICE" report "$JOB"
says '' "$DISCNICE" set "$(pgrep -P "$JOB" -x dd)" --rate 200MB
ends_within 3 'set free by the pid of a member'

start --rate 20K
says '' "$DISCNICE" set dd --pause
says 'paused' "$DISCNICE" report dd
says '' "$DISCNICE" set dd --policy unlimited
sleep 0.3
kill -0 "$JOB" 2>/dev/null || complain 'a paused job that is set otherwise goes on'
says '' "$DISCNICE" set dd --resume
ends_within 3 'resumed'

start --schedule '00:00-24:00 pause'
sleep 0.2
says 'paused' "$DISCNICE" report dd
says '' "$DISCNICE" set dd --resume --rate none --policy nice
ends_within 3 'taken off its schedule'
refuses 2 "schedule.*at ' Foo" "$DISCNICE" --schedule 'Mon 2M, Foo 3M' -- true

says 'idle' "$DISCNICE" policies
says '"needs_rate": *true' "$DISCNICE" policies --json

# The user's own defaults. Mistakes in them are tested in discnice_conflicts.
mkdir -p config/discnice
printf 'policy = idle\n[dd]\nrate = 123MB\n' >config/discnice/config
"$DISCNICE" --json --report report -- dd if=/dev/null of=/dev/null status=none
grep -q '"rate_bytes_per_s": *123000000' report || complain "the file's rate for dd is not used: $(<report)"
"$DISCNICE" --policy unlimited --json --report report -- dd if=/dev/null of=/dev/null status=none
grep -q '"policy": *"unlimited"' report || complain "the command line does not win: $(<report)"
"$DISCNICE" --json --report report -- true
grep -q '"policy": *"idle"' report || complain "the file's policy is not used: $(<report)"
rm -r config/discnice

# Programs of the job that the library cannot reach are named at once.
"$DISCNICE" --engine preload --json --report report -- sh -c 'env -i sleep 0.5' 2>err
grep -Eq "'sleep' .*scrubbed environment.*WITHOUT A LIMIT" err || complain "a scrubbed environment is not told: $(<err)"
grep -q 'sleep was started with a scrubbed' report || complain "nor in the report: $(<report)"
"$DISCNICE" -q --engine preload -- sh -c 'sleep 0.3; exec env -i sleep 1' 2>err # the library reached it at the first look
grep -Eq "'sleep' .*scrubbed environment.*WITHOUT A LIMIT" err || complain "a program in a covered one's place is not told: $(<err)"
expect_status 125 "$DISCNICE" -q --engine preload --require -- sh -c 'env -i sleep 5' 2>err
# When the library alone was not requested, such programs are held from outside.
"$DISCNICE" --require --report report -- sh -c 'env -i sleep 0.5' 2>err || complain "what is held from outside is no covered program: $(<err)"
grep -Eq "'sleep' .*scrubbed environment: it is held from outside" err || complain "it is not told who is held from outside: $(<err)"
"$DISCNICE" -q --exclude sleep -- sh -c 'sleep 0.3; env -i sleep 0.3' 2>err
[[ ! -s err ]] || complain "a program that was to be left alone is complained about: $(<err)"

# The options of a command are in groups. Options that every program has belong to no group. All other options belong to a group.
for command in run set adopt; do
  "$DISCNICE" "$command" --help >help
  grep -q '^How fast:$' help || complain "the help of $command has no groups"
  awk '/^Options:/ { at = 1; next } /^[^ ]/ { at = 0 } at && / --/ && !/--help|--version/ { exit 1 }' help || complain "an option of $command is in no group"
done

# `explain` tells without running a command how it will be held.
says 'engine: .*libdiscnice.so preloaded' "$DISCNICE" explain -- cp source target
[[ ! -e target ]] || complain 'explain has run the command'
says 'charged|in memory, free' "$DISCNICE" explain -- cp source target
says '/dev/shm .*in memory, free' "$DISCNICE" explain -- cp source /dev/shm
printf '#!/bin/sh\n' >script
chmod +x script
says 'script, a script for /bin/sh' "$DISCNICE" explain ./script
printf '\177ELF\2\1\1' >torn
chmod +x torn
"$DISCNICE" explain ./torn >out && complain 'explain succeeds for a program that discnice run refuses'
grep -q 'engine: none; ' out || complain "explain finds an engine for it: $(<out)"
head -c 200 /dev/zero >>torn
says 'engine: pace, from outside, because the program is' "$DISCNICE" explain ./torn
expect_status 127 "$DISCNICE" explain nosuchprogram >out
refuses 2 "no option '--nosuch'" "$DISCNICE" explain --nosuch

# Without the launcher, by a policy alone: one job for the whole tree of processes.
LD_PRELOAD=$LIBRARY DISCNICE_POLICY=nice bash -c "env -u LD_PRELOAD '$DISCNICE' status --json; cat source >/dev/null" >out
[[ $(grep -c '"command": *"bash"' out) -eq 1 ]] || complain "a policy alone makes no job called by its program: $(<out)"

# The program that starts discnice may ignore SIGCHLD. Then the kernel discards the program's exit status. The program itself must start as it would
# without discnice.
careless() { # STATUS COMMAND...
  local wanted=$1
  shift
  expect_status "$wanted" python3 -c 'import os, signal, sys
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
os.execv(sys.argv[1], sys.argv[1:])' "$DISCNICE" -q --rate 5M -- "$@"
}
careless 3 sh -c 'exit 3'
careless 0 grep -Eq '^SigIgn:.*[13579bdf].{4}$' /proc/self/status

conclude
