#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# discnice_pid_namespace_test: members in PID namespaces of their own, as in containers, are limited, counted and cleared away like any other.
#
# How: four readers, each in a new namespace (all have the same few numbers), share a rate; the job's bytes over its time must be that rate. Namespaces are killed as
# a whole, once with the launcher: the killed members must soon be gone from `discnice status`, and nothing may be left in /dev/shm. `discnice status` inside a
# namespace, where the job's creator has no number, must not clear the job away. Left out: container programs themselves; their other work (mounts, users) does not
# concern the library.
source "$(dirname "$0")/../support/discnice.bash"
need_root
need unshare
unshare -pf true 2>/dev/null || skip 'no PID namespace can be made here'
cd "$SCRATCH"
readonly READERS=4 BYTES=20000000 RATE=20000000
for ((i = 1; i <= READERS; ++i)); do make_file "here/$i" "$BYTES"; done

processes_of_job() { "$DISCNICE" status --json | sed -n 's/.*"processes": *\([0-9]*\).*/\1/p'; }

readers_share_a_rate() {
  local try rate
  for try in 1 2 3; do
    make_cold here/*
    "$DISCNICE" --rate 20MB --json --report report -- \
      sh -c 'for i in 1 2 3 4; do unshare -pf sh -c "cat here/$i; :" >/dev/null & done; wait' || fail 'the readers did not end well'
    rate=$(calculate "$READERS * $BYTES / $(field report elapsed_seconds)")
    printf 'readers in namespaces: %s of the rate\n' "$(calculate "$rate / $RATE")"
    # A slower run is the fault of the machine and is repeated. A faster run is a fault of discnice.
    holds "$rate > 0.97 * $RATE" && break
  done
  holds "$rate > 0.97 * $RATE && $rate < 1.03 * $RATE" || complain "four readers in namespaces: $rate bytes/s of $RATE"
}

# When the first process of a namespace dies, all other processes of the namespace die, too.
killed_namespaces() {
  local job before after try
  make_cold here/*
  "$DISCNICE" --rate 2MB -q -- sh -c 'for i in 1 2 3 4; do unshare -pf --kill-child sh -c "cat here/$i; :" >/dev/null & echo $! >>killers; done
    until [ -e go ]; do sleep 0.1; done' &
  job=$!
  until [[ -e killers && $(wc -l <killers) -ge $READERS && $(processes_of_job) -ge $((2 * READERS)) ]]; do sleep 0.1; done
  before=$(processes_of_job)
  # shellcheck disable=SC2046 # numbers
  kill -9 $(<killers)
  for try in 1 2 3 4 5 6; do
    after=$(processes_of_job)
    ((after <= 2)) && break
    sleep 0.5
  done
  printf 'members: %d, %d after their namespaces were killed (look %d)\n' "$before" "$after" "$try"
  ((after <= 2)) || complain "$after members where one is alive"
  [[ -n $(segments) ]] || complain 'the job is gone'
  unshare -pf --mount-proc "$DISCNICE" status >/dev/null || complain 'no status inside a namespace'
  [[ -n $(segments) ]] || complain 'the job was cleared away from inside a namespace'
  touch go
  wait "$job" || complain "the job ended with $?"
  [[ -z $(segments) ]] || complain "left behind: $(segments)"
}

# The last member to leave is in a namespace, and the process that started the job lives on.
bare_jobs() {
  rm -f go
  LD_PRELOAD=$LIBRARY DISCNICE_RATE=20M sh -c 'unshare -pf sh -c "cat here/1; :" >/dev/null; touch ended; until [ -e go ]; do sleep 0.1; done' &
  until [[ -e ended ]]; do sleep 0.1; done
  [[ -n $(segments) ]] || complain 'a bare job was cleared away by a member in a namespace'
  touch go
  wait
  [[ -z $(segments) ]] || complain "left behind by a bare job: $(segments)"
}

# A launcher that ends with its namespace leaves the files of its job behind. A process in the first namespace sees that no member
# of it is left.
killed_launchers() {
  local killer
  rm -f go
  unshare -pf --mount-proc --kill-child sh -c "'$DISCNICE' -q --rate 2MB -- sh -c 'touch began; until [ -e go ]; do sleep 0.1; done'; :" &
  killer=$!
  until [[ -e began ]]; do sleep 0.1; done
  "$DISCNICE" status --json >said || complain 'no status from outside'
  [[ -n $(segments) ]] || complain 'a job in a namespace was cleared away from outside'
  kill -9 "$killer"
  wait "$killer" 2>/dev/null || true
  unshare -pf --mount-proc "$DISCNICE" status >/dev/null || complain 'no status inside another namespace'
  [[ -n $(segments) ]] || complain 'the job was cleared away from another namespace, from where nobody can tell'
  if [[ $(stat -L -c %i /proc/self/ns/pid) -ne $((0xEFFFFFFC)) ]]; then
    echo 'not shown: that the job is cleared away (we are in a namespace ourselves)'
    rm -f /dev/shm/discnice-*
    return
  fi
  for _ in $(seq 50); do # its end takes some time
    "$DISCNICE" status >/dev/null || complain 'no status after all'
    [[ -n $(segments) ]] || break
    sleep 0.1
  done
  [[ -z $(segments) ]] || complain "left behind when a namespace died: $(segments)"
}

readers_share_a_rate
killed_namespaces
bare_jobs
killed_launchers
conclude
