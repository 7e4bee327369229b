#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# discnice_net_test: --net is read like every other limit. If --net would have no effect, it is refused in one line. It does not change how a job begins
# and ends.
#
# How: the test needs no network. The limits of connections are tested by system/discnice_net.
source "$(dirname "$0")/../support/discnice.bash"
need python3 timeout
export XDG_CONFIG_HOME=$SCRATCH/config
cd "$SCRATCH"

refuses() { # STATUS PATTERN COMMAND...
  local want=$1 pattern=$2 status=0
  shift 2
  timeout 300 "$@" >out 2>err </dev/null || status=$?
  [[ $status -eq $want && ! -s out && $(wc -l <err) -eq 1 ]] || complain "status $status instead of $want, or not one line: $*: $(cat out err)"
  grep -Eq -- "$pattern" err || complain "does not say '$pattern': $*: $(<err)"
  [[ ! -e was_run ]] || complain "the command was run: $*"
  rm -f was_run
}

# --- A text that is no limit is named, before anything is run.
for wrong in fast 5 0 -1M nice,nice 1M,2M up= left=1M off,nice none; do
  refuses 2 "--net: '$wrong' is no limit of the network: write nice, off, a rate" "$DISCNICE" --net "$wrong" -- touch was_run
done
refuses 2 'net' "$DISCNICE" --net '' -- touch was_run
refuses 2 "behind 'net' stands nice" "$DISCNICE" --schedule 'Mon 2M net fast, else nice' -- touch was_run
refuses 2 '--net never holds: --schedule says' "$DISCNICE" --net 1M --schedule 'Mon 2M net off, else nice net nice' -- touch was_run
refuses 2 "there is no option '--nett'; perhaps --net" "$DISCNICE" --nett nice -- touch was_run
refuses 2 "'fast' is no limit" "$DISCNICE" adopt $$ --net fast
mkdir -p config/discnice
printf 'rate = 5M\nnet = fast\n' >config/discnice/config
refuses 2 "config/discnice/config:2: net: 'fast' is no limit" "$DISCNICE" -- touch was_run

# --- The network limit is given in addition to the disk's limits and replaces none of them, on the command line and in a
# person's defaults.
asked() { # KEY WANT OPTION...: what the report says was asked for
  local key=$1 want=$2 got
  shift 2
  timeout 300 "$DISCNICE" --json "$@" -- true 2>report || complain "status $?: $*"
  got=$(python3 -c 'import json, sys; print(eval("d" + sys.argv[2], {"d": json.load(open(sys.argv[1]))}))' report "$key")
  [[ $got == "$want" ]] || complain "$key is $got instead of $want: $*: $(<report)"
}
rm config/discnice/config
asked '["net"]' None
asked '["net"]' None --net off --rate 5M
asked '["net"]["gives_way"]' True --net nice
asked '["policy"]' nice --net nice
asked '["net"]["up_bytes_per_s"]' 1000000 --net 1MB --rate 5M
asked '["rate_bytes_per_s"]' 5242880 --net 1MB --rate 5M
asked '["policy"]' unlimited --net 1MB --policy unlimited
asked '["net"]["down_bytes_per_s"]' 2000000 --net up=1MB,down=2MB
asked '["net"]["down_bytes_per_s"]' None --net nice,up=1MB
asked '["net"]["sent_bytes"]' 0 --net nice
asked '["net"]["down_bytes_per_s"]' 3000 --schedule '00:00-24:00 5M net 3KB'
asked '["net"]["gives_way"]' True --schedule '00:00-24:00 5M' --net nice
asked '["net"]["gives_way"]' True --schedule 'Mon 2M net nice, else 5M' --net nice
printf 'rate = 5M\nnet = 1MB\n[true]\nnet = nice\n' >config/discnice/config
asked '["net"]["gives_way"]' True
asked '["rate_bytes_per_s"]' 5242880 --net 2MB
asked '["net"]["up_bytes_per_s"]' 2000000 --net 2MB
asked '["net"]["gives_way"]' True --rate 4M
asked '["net"]' None --net off
rm config/discnice/config

# --- The command's output, arguments and status are unchanged, and so is the signal that ends it, although two processes of
# discnice are above it.
expect_status 7 timeout 300 "$DISCNICE" -q --net nice -- sh -c 'echo out; exit 7' >out 2>err
[[ $(<out) == out && ! -s err ]] || complain "the command's output: $(cat out err)"
expect_status 127 timeout 300 "$DISCNICE" --net nice -- "$SCRATCH/none" >out 2>err
[[ $(wc -l <err) -eq 1 ]] || complain "of a program that is not there: $(<err)"
python3 - "$DISCNICE" <<'PY' || complain 'it does not end by the signal that ended its program'
import signal, subprocess, sys
for number in (signal.SIGTERM, signal.SIGUSR1, signal.SIGKILL, signal.SIGINT):
    ended = subprocess.run([sys.argv[1], "-q", "--net", "nice", "--", "sh", "-c", f"kill -{int(number)} $$"])
    assert ended.returncode == -number, (number, ended)
PY
printf '#!/bin/sh\ntrap "exit 5" TERM\ntrap "echo one >>%s" USR1\necho on >%s\nwhile :; do sleep 0.1; done\n' "$SCRATCH/usr1" "$SCRATCH/on" >script
chmod +x script
"$DISCNICE" -q --net nice -- ./script & job=$!
for _ in {1..600}; do if [[ -s on ]]; then break; fi; sleep 0.1; done
"$DISCNICE" status --json >said
python3 -c 'import json, sys; [job] = [j for j in json.load(open("said")) if j["job"] == int(sys.argv[1])]; assert job["net"] == "nice" and job["sent_bytes"] == 0, job' "$job" || complain "status: $(<said)"
"$DISCNICE" set "$job" --net up=1M || complain "set --net: status $?"
"$DISCNICE" status --json >said
grep -q '"net": "up 1.00 MiB/s"' said || complain "after set: $(<said)"
"$DISCNICE" top --json >said
python3 -c 'import json, sys; [job] = [j for j in json.load(open("said")) if j["job"] == int(sys.argv[1])]; assert job["uncovered"] == 0 and job["limits"]["net_up_bytes_per_s"] == 1 << 20 and job["sent_bytes_per_s"] == 0, job' "$job" || complain "top: $(<said)"
kill -USR1 "$job"
for _ in {1..600}; do if [[ -s usr1 ]]; then break; fi; sleep 0.1; done
[[ -s usr1 ]] || complain 'SIGUSR1 does not reach the program'
kill -TERM "$job"
expect_status 5 wait "$job"
for _ in {1..600}; do if [[ -z $(segments) ]]; then break; fi; sleep 0.1; done
[[ -z $(segments) ]] || complain "left in /dev/shm: $(segments)"

# --- A job that was started without --net cannot get a network limit later. A job that was started with --net
# can lose its network limit.
"$DISCNICE" -q -- sleep 600 & job=$!
for _ in {1..600}; do if "$DISCNICE" status --json 2>/dev/null | grep -q '"command": "sleep"'; then break; fi; sleep 0.1; done
refuses 2 "'fast' is no limit" "$DISCNICE" set "$job" --net fast
refuses 1 "the network of job $job is not held, which --net has to ask for at its start" "$DISCNICE" set "$job" --net 1M
kill "$job"
wait "$job" || true

# --- When sockets of other processes cannot be reached, nothing is run. Without --net this is not checked.
WITHOUT=$SOURCE/tests/support/without_calls.py
refuses 125 'sockets of other processes cannot be reached here \(pidfd_getfd\): .*leave out --net' \
  python3 "$WITHOUT" EPERM pidfd_getfd -- "$DISCNICE" --net nice -- touch was_run
timeout 300 python3 "$WITHOUT" EPERM pidfd_getfd -- "$DISCNICE" -q -- true || complain "without pidfd_getfd and --net: status $?"
conclude
