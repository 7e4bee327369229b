#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# discnice_doctor_test: `discnice doctor` tells which parts work on this host. When the test takes a part of the host away, it tells
# what does not work.
#
# How: the same program runs as root and as an ordinary user. It runs in a folder in memory, in a folder that is not writable, and on a file system in user
# space. It runs with a /dev/shm that is missing or full, and in sandboxes that refuse calls. Left out: delegated control groups, and file systems that charge
# no reads but are not in user space.
# Slow: a diagnosis runs small jobs at a rate, which takes a second or more, and there are twenty.
source "$(dirname "$0")/../support/discnice.bash"
need python3
export XDG_CONFIG_HOME=$SCRATCH/config XDG_DATA_HOME=$SCRATCH/data HOME=$SCRATCH
cd "$SCRATCH"
WITHOUT=$SOURCE/tests/support/without_calls.py

# diagnose STATUS COMMAND...: the JSON goes to the file `said`, and stderr to `err`.
diagnose() {
  local want=$1 status=0
  shift
  timeout 300 "$@" >said 2>err || status=$?
  [[ $status -eq $want ]] || complain "status $status instead of $want: $*: $(cat said err)"
}

# is CHECK STATE [PATTERN [PLACE]]: compares the state of that check in the last diagnosis, for the host or for the place with that
# number.
is() {
  python3 - "$@" <<'PY' || complain "$1 is not $2 (${3:-}): $(cat said)"
import json, re, sys
key, state, pattern, place = (sys.argv[1:] + ["", ""])[:4]
said = json.load(open("said"))
checks = said["places"][int(place)]["checks"] if place else said["checks"]
found = [one for one in checks if one["check"] == key]
assert len(found) == 1 and found[0]["state"] in state.split("|"), found
assert re.search(pattern, found[0]["why"]), found
assert (found[0]["remedy"] is None) == (found[0]["state"] == "works"), found
PY
}

on_a_disk() {
  diagnose 0 "$DISCNICE" doctor --json .
  grep -q '"is_rate_kept":true' said || complain "a rate is not said to be kept: $(<said)"
  is shared_memory works
  is library works
  is kernel_account works
  is engine_pace works tracing
  is net works sockets
  is jobs works 'none'
  is rate works 'held for 0\.[0-9]+ s$' 0
  is host_record partly 'not yet' 0
  is cached_pages works 'of your files by (cachestat|mincore)' 0
  [[ ! -s err ]] || complain "something on stderr: $(<err)"
  [[ -z $(find . -name '.discnice*') ]] || complain 'it leaves a file behind'
  [[ -z $(segments) ]] || complain "it leaves a job behind: $(segments)"
}

in_one_screen() {
  "$DISCNICE" doctor . >said 2>err || complain "status $?: $(cat said err)"
  awk 'length > 80 { exit 1 }' said || complain "a line is longer than 80 columns: $(<said)"
  ! grep -q $'\033' said || complain 'colours in a file'
  script -qec "TERM=xterm NO_COLOR= '$DISCNICE' doctor ." /dev/null >terminal </dev/null || true
  grep -q $'\033\[32mworks' terminal || complain "no colours at a terminal: $(<terminal)"
  script -qec "TERM=xterm NO_COLOR=1 '$DISCNICE' doctor ." /dev/null >terminal </dev/null || true
  ! grep -q $'\033' terminal || complain 'colours at a terminal in spite of NO_COLOR'
}

several_places() {
  mkdir -p /dev/shm/gray-doctor && at_exit rmdir /dev/shm/gray-doctor
  diagnose 0 "$DISCNICE" doctor --json . /dev/shm/gray-doctor "$SCRATCH/said"
  is rate works 'in memory' 1
  [[ $(python3 -c 'import json; print(len(json.load(open("said"))["places"]))') == 2 ]] || complain "two folders on one disk are told of apart: $(<said)"
  diagnose 1 "$DISCNICE" doctor --json . nowhere
  [[ $(wc -l <err) -eq 1 && $(<err) == *"'nowhere'"* ]] || complain "what is not there is not named in one line: $(<err)"
  is rate works held 0
  diagnose 2 "$DISCNICE" doctor --jsn
}

running_jobs() {
  "$DISCNICE" -q --rate 1M -- sleep 60 &
  local job=$!
  until "$DISCNICE" status 2>/dev/null | grep -q "^$job"; do sleep 0.05; done
  diagnose 0 "$DISCNICE" doctor --json .
  is jobs works "sleep \($job\)"
  kill "$job"
  wait "$job" || true
}

# The diagnosis reports the results of its trials. Each of these cases takes away one part of the host.
in_sandboxes() {
  if ! python3 "$WITHOUT" EPERM seccomp -- true; then
    echo 'not shown: sandboxes (no filter can be set here)'
    return
  fi
  diagnose 0 python3 "$WITHOUT" EPERM seccomp -- "$DISCNICE" doctor --json .
  is engine_notify not 'shows no calls here \(Operation not permitted\)'
  diagnose 0 python3 "$WITHOUT" EPERM pidfd_getfd -- "$DISCNICE" doctor --json .
  is engine_notify partly 'in steps: Operation not permitted'
  is net not 'cannot be reached: Operation not permitted'
  diagnose 0 python3 "$WITHOUT" EPERM ptrace -- "$DISCNICE" doctor --json .
  is engine_pace partly SIGSTOP
  diagnose 0 python3 "$WITHOUT" ENOSYS cachestat -- "$DISCNICE" doctor --json .
  is cached_pages works 'your files by mincore' 0
  diagnose 0 python3 "$WITHOUT" ENOSYS cachestat,mincore -- "$DISCNICE" doctor --json .
  is cached_pages partly 'your files by timed' 0
  is cache_neutral not 'no count of pages' 0
}

without_library() {
  diagnose 1 env DISCNICE_LIBRARY=/nowhere/libdiscnice.so "$DISCNICE" doctor --json .
  is library not "/nowhere/libdiscnice.so"
  is rate not "/nowhere/libdiscnice.so" 0
  mkdir -p config/discnice
  echo 'rate = fast' >config/discnice/config
  diagnose 1 "$DISCNICE" doctor --json .
  is rate not 'config:1' 0
  rm config/discnice/config
}

as_a_user() {
  local -r AS=(setpriv --reuid 65534 --regid 65534 --clear-groups env HOME=/nonexistent)
  if ((EUID != 0)) || ! "${AS[@]}" test -x "$DISCNICE" 2>/dev/null; then
    echo 'not shown: what root sees as another user (needs root, and a build that others may enter)'
    return
  fi
  is set_user_id works
  mkdir own && chown 65534:65534 own
  chmod 755 .
  diagnose 0 "${AS[@]}" "$DISCNICE" doctor --json own
  is set_user_id not
  is rate works held 0
  is engine_cgroup not
  diagnose 0 "${AS[@]}" "$DISCNICE" doctor --json /usr
  is rate partly 'Permission denied' 0
  is engine_notify works
  (cd own && "${AS[@]}" "$DISCNICE" doctor) >said 2>err || complain "where there is no home folder: $(cat said err)"
}

with_bad_shared_memory() {
  if ((EUID != 0)) || ! unshare -m true 2>/dev/null; then
    echo 'not shown: a /dev/shm that cannot be used (needs root and mount namespaces)'
    return
  fi
  diagnose 1 unshare -m sh -c 'mount -t tmpfs -o ro tmpfs /dev/shm && exec "$@"' sh "$DISCNICE" doctor --json .
  is shared_memory not 'Read-only'
  is rate not '/dev/shm' 0
  diagnose 1 unshare -m sh -c 'mount -t tmpfs -o size=4k tmpfs /dev/shm && head -c 4096 /dev/zero >/dev/shm/full && exec "$@"' sh "$DISCNICE" doctor --json .
  is shared_memory not 'No space'
}

in_user_space() {
  if ((EUID != 0)) || ! type -P bindfs fusermount >/dev/null; then
    echo 'not shown: a file system in user space (needs root, bindfs and fusermount)'
    return
  fi
  mkdir below served
  if ! bindfs below served; then
    echo 'not shown: a file system in user space (bindfs mounts nothing here)'
    return
  fi
  at_exit fusermount -u "$SCRATCH/served"
  diagnose 0 "$DISCNICE" doctor --json served
  is others partly 'no counters' 0
  is rate 'works|partly' held 0
  grep -q '"file_system":"fuse' said || complain "the file system is not named: $(<said)"
}

on_a_disk
in_one_screen
several_places
running_jobs
without_library
in_sandboxes
as_a_user
with_bad_shared_memory
in_user_space
conclude
