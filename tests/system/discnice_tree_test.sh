#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# discnice_tree_test: a tree of processes shares one rate, no process in it starves, and nothing is left behind in /dev/shm.
#
# How: eight programs of one shell read and write uncached files of their own, under the launcher and with the library alone. The kernel's account from outside must
# be within 5 % of the common rate, and half-way through the run each program must have moved its part. Then members, the first process and the launcher are
# killed at work, and the test checks that no segment is left. Left out: more members than the segment has places (a unit test of protocol/), fairness among
# jobs (the daemon's task).
# Runs alone: each of eight programs must get its part within five seconds, which a disk that others use does not allow.
source "$(dirname "$0")/../support/discnice.bash"

readonly PROGRAMS=8
readonly RATE=40MB RATE_BYTES=40000000 RUN_SECONDS=9 HALF_WAY_SECONDS=5
readonly SHARE_PERCENT_MIN=25 # of an equal share, half-way; read-ahead brings a fifth of a share at once
cd "$SCRATCH"
readonly FILE_BYTES=$((RATE_BYTES * RUN_SECONDS * 2 / PROGRAMS / 3))

# Half of the programs only read. The other half read and write. dd's block size is small so that the progress can be seen.
cat >tree.sh <<'TEXT'
for i in 1 2 3 4; do dd if=in-$i of=/dev/null bs=64k status=none & echo $! >>pids; done
for i in 5 6 7 8; do dd if=in-$i of=out-$i bs=64k status=none & echo $! >>pids; done
wait
TEXT

make_inputs() {
  local i
  for ((i = 1; i <= PROGRAMS; ++i)); do [[ -e in-$i ]] || make_file "./in-$i" "$FILE_BYTES"; done
  rm -f out-* pids
  make_cold in-*
}

# The bytes that each program has read and written so far by its file calls.
progress() {
  local pid
  while read -r pid; do
    awk '/^[rw]char/ { sum += $2 } END { print sum + 0 }' "/proc/$pid/io" 2>/dev/null || echo "$FILE_BYTES" # it has ended, so it has had everything
  done <pids
}

judge_shares() { # NAME
  sort -n shares | awk -v name="$1" -v min="$SHARE_PERCENT_MIN" '
    { value[NR] = $1; sum += $1 }
    END {
      equal = NR ? sum / NR : 1
      printf "%-9s half-way the %d programs have had %.0f to %.0f %% of an equal share\n", name, NR,
        100 * value[1] / equal, 100 * value[NR] / equal
      exit !(NR > 0 && value[1] >= min / 100 * equal)
    }' || complain "$1: a program of the tree starved: $(tr '\n' ' ' <shares)"
}

run_tree() { # NAME CMD...
  local name=$1 before total ratio
  shift
  make_inputs
  before=$(segments)
  judged account "$@" sh tree.sh &
  sleep "$HALF_WAY_SECONDS"
  progress >shares
  wait $! || complain "$name: the tree ended with status $?"
  judge_shares "$name"
  total=$(moved account)
  ratio=$(calculate "$total / $(field account elapsed_seconds) / $RATE_BYTES")
  printf '%-9s %s of the rate of %s/s, %s bytes, %s s\n' "$name" "$ratio" "$RATE" "$total" "$(field account elapsed_seconds)"
  holds "$total >= 0.98 * 1.5 * $PROGRAMS * $FILE_BYTES" || complain "$name: only $total bytes: the files were not cold"
  holds "$ratio > 0.95 && $ratio < 1.05" || complain "$name: the tree ran at $ratio of its rate"
  [[ $(segments) == "$before" ]] || complain "$name: left in /dev/shm: $(segments)"
}

# Waits for the first signs of a running job.
wait_for() { # FILE LINES
  local try
  for try in {1..100}; do
    [[ -e $1 && $(wc -l <"$1") -ge $2 ]] && return
    sleep 0.05
  done
  fail "nothing came in $1 after $try looks"
}

kill_member() { # NAME CMD...
  local name=$1 victim before
  shift
  make_inputs
  before=$(segments)
  "$@" sh tree.sh 2>messages &
  wait_for pids "$PROGRAMS"
  sleep 0.3
  victim=$(sed -n 3p pids)
  kill -KILL "$victim"
  sleep 0.2
  # The others go on. The test ends them as their user would.
  xargs kill -TERM <pids 2>/dev/null || true
  wait $! 2>/dev/null || true
  # Only the shell has left the job by itself. All other processes were killed.
  [[ $(segments) == "$before" ]] || complain "$name: left in /dev/shm after kill -9 of a member: $(segments)"
}

kill_launcher() {
  local before launcher
  make_inputs
  before=$(segments)
  "$DISCNICE" -q --rate "$RATE" -- sh tree.sh &
  launcher=$!
  wait_for pids "$PROGRAMS"
  kill -KILL "$launcher"
  wait "$launcher" 2>/dev/null || true
  sleep 0.3
  xargs kill -0 <pids || complain "kill -9 of the launcher took the job with it"
  [[ $(segments) != "$before" ]] || complain "kill -9 of the launcher took the job's account away while it ran"
  xargs kill -TERM <pids
  sleep 0.5
  "$DISCNICE" -q -- true
  [[ $(segments) == "$before" ]] || complain "left in /dev/shm after kill -9 of the launcher: $(segments)"
}

dd if=/dev/zero of=/dev/null count=1 status=none # its own file is cached now
run_tree launcher "$DISCNICE" -q --rate "$RATE" --
run_tree bare env "LD_PRELOAD=$LIBRARY" "DISCNICE_RATE=$RATE"
kill_member launcher "$DISCNICE" -q --rate 4MB --
kill_member bare env "LD_PRELOAD=$LIBRARY" DISCNICE_RATE=4MB
kill_launcher
conclude
