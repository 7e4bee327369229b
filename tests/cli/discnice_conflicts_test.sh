#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# discnice_conflicts_test: when an option, a variable or a file cannot have its effect, discnice does not start the program and names it in one line.
#
# How: every option that says how a job is held back is combined with every policy. Each pair either starts the program or is refused. Then the test tries the
# other reasons for which an option may have no effect: a schedule, another option, a missing limit. The user's own defaults are spoiled line by line, and made
# unreadable. The library without the launcher cannot refuse to start a program: it prints one line and does nothing more. A refused command must not have
# started the program.
# Left out: what a policy does with an option that it accepts (discnice_rate, discnice_faults).
source "$(dirname "$0")/../support/discnice.bash"
cd "$SCRATCH"
export XDG_CONFIG_HOME=$SCRATCH/config
printf '#!/bin/sh\ntouch "%s/ran"\n' "$SCRATCH" >program
chmod 755 program

refused() { # STATUS PATTERN COMMAND...
  local want=$1 pattern=$2 status=0
  shift 2
  rm -f ran
  "$@" >out 2>err </dev/null || status=$?
  [[ $status -eq $want && ! -s out && $(wc -l <err) -eq 1 && ! -e ran ]] ||
    complain "status $status instead of $want, or not one line, or it ran: $*: $(cat out err)"
  grep -Eq -- "$pattern" err || complain "does not say '$pattern': $*: $(<err)"
  printf '%3d  %s\n' "$status" "$(<err)"
}

starts() { # COMMAND...
  local status=0
  rm -f ran
  "$@" >out 2>err </dev/null || status=$?
  [[ $status -eq 0 && -e ran && ! -s err ]] || complain "status $status, or not a silent start: $*: $(<err)"
}

# Which policies use an option. A policy that needs a rate gets one.
readonly -A USERS=(
  ['--rate 5M']='rate share idle manners nice'
  ['--read-rate 5M']='rate share idle manners nice'
  ['--write-rate 5M']='rate share idle manners nice'
  ['--iops 100']='rate share idle manners nice'
  ['--burst 50ms']='rate share'
  ['--min-rate 1M']='idle manners nice'
  ['--preemption 20ms']='idle'
  ['--weight 3']='share'
  ['--smooth-writes on']='rate share idle manners nice unlimited'
  ['--cache own=5M']='rate share idle manners nice unlimited'
)
matrix() {
  local option policy given
  for option in "${!USERS[@]}"; do
    for policy in rate share idle manners nice unlimited; do
      given=(--policy "$policy")
      [[ $policy == rate || $policy == share ]] && [[ $option != '--rate '* ]] && given+=(--rate 5M)
      # shellcheck disable=SC2206 # an option and its value
      given+=($option)
      if [[ " ${USERS[$option]} " == *" $policy "* ]]; then
        starts "$DISCNICE" -q "${given[@]}" -- ./program
      else
        refused 2 "${option%% *}|no rate" "$DISCNICE" -q "${given[@]}" -- ./program
      fi
    done
  done
  starts "$DISCNICE" -q --policy nice --rate 5M --burst 50ms -- ./program
  refused 2 "min-rate.*policy 'rate'.*idle, nice" "$DISCNICE" -q --rate 5M --min-rate 1M -- ./program
}

schedules() {
  local day=''
  day=$(LC_ALL=C date -d '2 days ago' +%a)
  refused 2 'rate never holds.*schedule' "$DISCNICE" --rate 5M --schedule "$day 2M, else nice" -- ./program
  refused 2 'policy never holds' "$DISCNICE" --policy idle --schedule '00:00-24:00 2M' -- ./program
  refused 2 'min-rate' "$DISCNICE" --min-rate 1M --schedule "$day 2M, else 3M" -- ./program
  starts "$DISCNICE" -q --min-rate 1M --schedule "$day nice, else 3M" -- ./program
  starts "$DISCNICE" -q --read-rate 5M --schedule "$day 2M, else 3M" -- ./program
  refused 2 'schedule.*rate and its unit' "$DISCNICE" --schedule "$day 5" -- ./program
  # A limit of the command line also holds at times that the schedule does not mention.
  "$DISCNICE" --json --report report --rate 5M --schedule "$day 2M" -- ./program
  [[ $(field report rate_bytes_per_s) -eq $((5 * 1024 * 1024)) ]] || complain "outside the schedule's times the rate is gone: $(<report)"
  "$DISCNICE" --json --report report --schedule "$day 2M" -- ./program
  grep -q '"policy": *"nice"' report || complain "outside the schedule's times it is not as without it: $(<report)"
}

others() {
  refused 2 'burst' "$DISCNICE" --burst 50ms -- ./program
  refused 2 'quiet.*json' "$DISCNICE" -q --json -- ./program
  refused 2 'quiet.*report' "$DISCNICE" -q --report report -- ./program
  refused 2 'backend.*disable' "$DISCNICE" --rate 5M --backend mincore --disable cache -- ./program
  refused 2 'engine pace.*cache' "$DISCNICE" --rate 5M --engine pace --cache neutral -- ./program
  refused 2 'engine pace.*backend' "$DISCNICE" --rate 5M --engine pace --backend mincore -- ./program
  refused 2 'engine cgroup.*idle' "$DISCNICE" --engine cgroup --policy idle -- ./program
  refused 2 'engine cgroup.*iops' "$DISCNICE" --rate 5M --engine cgroup --iops 5 -- ./program
  refused 2 'engine cgroup.*burst' "$DISCNICE" --rate 5M --engine cgroup --burst 1s -- ./program
  refused 2 'engine cgroup.*smooth-writes' "$DISCNICE" --rate 5M --engine cgroup --smooth-writes on -- ./program
  refused 2 'engine cgroup.*exclude' "$DISCNICE" --rate 5M --engine cgroup --exclude tar -- ./program
  refused 2 "engine cgroup.*'nice'" "$DISCNICE" --rate 5M --engine cgroup --schedule 'Mon 09:00-10:00 nice' -- ./program
  refused 2 'engine pace.*record' "$DISCNICE" --rate 5M --engine pace --record both -- ./program
  refused 2 'cache.*from outside' "$DISCNICE" adopt $$ --rate 5M --cache neutral
  refused 2 'same file' "$DISCNICE" --rate 5M --report both --record both -- ./program
  ln -s both link
  refused 2 'same file' "$DISCNICE" --rate 5M --report ./both --record both -- ./program
  refused 2 '5 bytes a second: write 5M.*5B' "$DISCNICE" --rate 5 -- ./program
  refused 2 '5 bytes a second' "$DISCNICE" --read-rate 5/s -- ./program
  starts "$DISCNICE" -q --rate 500B -- ./program
  refused 2 'nothing to set' "$DISCNICE" set 1
  refused 2 '5 bytes a second' "$DISCNICE" replay --rate 5 nosuch
}

control() {
  local job
  "$DISCNICE" -q --rate 5M -- sleep 30 &
  job=$!
  until "$DISCNICE" status --json 2>/dev/null | grep -q "\"job\": *$job\b"; do sleep 0.01; done
  refused 2 'nothing to set' "$DISCNICE" set "$job"
  refused 2 "weight.*policy 'rate'.*share" "$DISCNICE" set "$job" --weight 3
  refused 2 'min-rate' "$DISCNICE" set "$job" --min-rate 1M
  refused 2 'unlimited.*' "$DISCNICE" set "$job" --policy unlimited --rate 5M
  "$DISCNICE" set "$job" --min-rate none || complain 'to take away what is not there is refused'
  "$DISCNICE" set "$job" --policy nice --min-rate 1M || complain 'a policy and its own option are refused'
  pkill -P "$job" -x sleep
  wait "$job" || true
}

# spoiled LINE TEXT PATTERN: the defaults are TEXT, whose line LINE is wrong.
spoiled() {
  printf '%b' "$2" >config/discnice/config
  refused 2 "config/discnice/config:$1: .*$3" "$DISCNICE" -q -- ./program
}

defaults() {
  local line
  mkdir -p config/discnice
  for line in 'weight = abc:weight' 'weight = 0:weight' 'iops = -3:iops' 'burst = 10:burst' 'preemption = 5:preemption' \
    'rate = 5:5 bytes a second' 'rate = fast:not a rate' 'min-rate = x:min-rate' 'policy = nosuch:no policy' \
    'smooth-writes = maybe:on, off, auto' 'cache = mine:neutral, own=SIZE' 'cache = own=x:x' 'schedule = Mo 3M:begins with days' 'speed = 5:no option' 'nonsense:option = value' 'rate =:missing' '[:brackets'; do
    spoiled 2 "# mine\n${line%%:*}\n" "${line#*:}"
    spoiled 4 "policy = nice\n\n[other]\n${line%%:*}\n" "${line#*:}"
  done
  spoiled 2 'rate = 5M\nrate = 6M\n' 'line 1'
  spoiled 1 'weight = abc\nspeed = 5\n' 'and 1 more'
  printf '[program]\npolicy = share\n' >config/discnice/config
  refused 2 "share.*needs a rate.*config/discnice/config:2" "$DISCNICE" -q -- ./program
  # A setting that does not fit the policy of this run is meant for another policy.
  printf 'min-rate = 1M\nweight = 3\n' >config/discnice/config
  starts "$DISCNICE" -q --rate 5M -- ./program
  rm config/discnice/config
  mkdir config/discnice/config
  refused 125 'cannot read.*config/discnice/config' "$DISCNICE" -q -- ./program
  rmdir config/discnice/config
  unreadable
  mkfifo config/discnice/config
  starts timeout 5 "$DISCNICE" -q -- ./program
  rm -r config/discnice
}

unreadable() {
  if ((EUID != 0)) || ! command -v setpriv >/dev/null; then
    echo 'not shown: unreadable defaults (needs root and setpriv)'
    return
  fi
  printf 'rate = 5M\n' >config/discnice/config
  chmod 600 config/discnice/config
  mkdir -p other/bin other/lib
  chmod 755 other other/bin other/lib
  cp "$DISCNICE" other/bin/ && cp "$LIBRARY" other/lib/
  chmod 777 "$SCRATCH"
  refused 125 'cannot read.*config/discnice/config.*denied' \
    setpriv --reuid 65534 --regid 65534 --clear-groups -- other/bin/discnice -q -- ./program
  rm config/discnice/config
}

# bare PATTERN VARIABLE...: one line is reported, and a tree of programs runs as if nothing had been asked.
bare() {
  local pattern=$1
  shift
  rm -f ran
  env "LD_PRELOAD=$LIBRARY" "$@" sh -c './program; cat program >out' 2>err || complain "bare $*: status $?"
  [[ -e ran && $(wc -l <err) -eq 1 ]] || complain "bare $*: it did not run, or not one line: $(<err)"
  grep -Eq -- "$pattern" err || complain "bare $*: does not say '$pattern': $(<err)"
  printf '     %s\n' "$(<err)"
}

variables() {
  local name
  bare 'POLICY=rate needs a rate.*DISCNICE_RATE.*without a limit' DISCNICE_POLICY=rate
  bare 'POLICY=share needs a rate' DISCNICE_POLICY=share
  bare 'RATE=5M .*unlimited' DISCNICE_POLICY=unlimited DISCNICE_RATE=5M
  bare 'RATE=5 is some bytes.*5M.*5B' DISCNICE_RATE=5
  bare 'LEDGER=off has no effect alone' DISCNICE_LEDGER=off
  bare 'BACKEND=timed has no effect alone' DISCNICE_BACKEND=timed
  bare 'CACHE=neutral has no effect alone' DISCNICE_CACHE=neutral
  # A terminal must not obey the text of a variable.
  bare 'RATE=\?\[2J.*not a rate' "DISCNICE_RATE=$(printf '\033[2J')"
  # The launcher uses none of these variables. It refuses each variable, unless the command line has the
  # option that belongs to the variable.
  for name in DISCNICE_RATE=5M DISCNICE_POLICY=idle DISCNICE_LEDGER=off DISCNICE_BACKEND=timed DISCNICE_CACHE=shared; do
    refused 2 "${name%=*}.*--" env "$name" "$DISCNICE" -q -- ./program
  done
  starts env DISCNICE_RATE=5M "$DISCNICE" -q --rate 6M -- ./program
  refused 125 'DISCNICE_DISABLE' env DISCNICE_DISABLE=1 "$DISCNICE" -q --rate 6M -- ./program
  # In a job of the launcher, these variables take no program out of the job.
  "$DISCNICE" --json --report report --rate 5M -- env DISCNICE_RATE=abc cat program >out 2>err
  [[ ! -s err && $(field report processes) -ge 1 && $(field report file_read_bytes) -gt 0 ]] || complain "a variable takes a program out of its job: $(cat err report)"
}

matrix
schedules
others
control
defaults
variables
conclude
