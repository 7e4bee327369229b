#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# discnice_outputs_test: discnice writes every output, or its status reports a failure. A start that fails removes no file.
#
# How: each file that discnice writes (report, recording, profile) is set to /dev/full, and so are the standard output of every sub-command and standard error.
# Some starts fail because of a full /dev/shm or a missing program. Before such a start the files have old content. This content must still be there afterwards,
# and missing files must still be missing. /dev/shm is in a mount namespace of its own. Left out: disks that become full in the middle of a recording
# (discnice_record).
source "$(dirname "$0")/../support/discnice.bash"
cd "$SCRATCH"

OUT=/dev/null
fails() { # STATUS PATTERN COMMAND...: one line, that status. Its standard output is OUT.
  local want=$1 pattern=$2 status=0
  shift 2
  "$@" >"$OUT" 2>err || status=$?
  ((status == want)) || complain "status $status instead of $want: $*: $(<err)"
  [[ $(grep -c "$pattern" err) -eq 1 ]] || complain "no one line of '$pattern': $*: $(<err)"
  printf '%3d  %s\n' "$status" "$(grep "$pattern" err)"
}

full_files() {
  fails 125 "cannot write the report to '/dev/full': No space" "$DISCNICE" --rate 5M --report /dev/full -- true
  fails 125 "cannot write the report to '/dev/full': No space" "$DISCNICE" --rate 5M --json --report /dev/full -- true
  fails 125 "cannot write the report to '/dev/full': No space" "$DISCNICE" verify --report /dev/full -- true
  fails 125 "cannot write the recording to '/dev/full': No space" "$DISCNICE" -q --rate 5M --record /dev/full -- true
  if [[ -e ${LIBRARY%.so}-profile.so ]]; then
    make_file "$SCRATCH/source" 100000
    make_cold source
    fails 125 "cannot write the profile to '/dev/full': No space" "$DISCNICE" -q --rate 5M --profile /dev/full -- cat source
  else
    echo 'not shown: a profile (built without libunwind)'
  fi
  # A failure of the program itself is more important than this failure.
  fails 3 "cannot write the report to '/dev/full': No space" "$DISCNICE" --rate 5M --report /dev/full -- sh -c 'exit 3'
  local status=0
  "$DISCNICE" --rate 5M -- true 2>/dev/full || status=$?
  ((status == 125)) || complain "a report that standard error does not take: status $status"
  "$DISCNICE" --rate 5M -- true 2>&- || complain "a closed standard error: status $?"
}

full_stdout() {
  local command job
  "$DISCNICE" -q --rate 5M -- sleep 60 &
  job=$!
  until "$DISCNICE" status --json 2>/dev/null | grep -q "\"job\": *$job\b"; do sleep 0.01; done
  "$DISCNICE" verify --record recorded -- true 2>/dev/null
  for command in status 'status --json' top 'top --json' "report $job" "report $job --json" policies explain 'explain -- cat' \
    'replay recorded' 'report --html - recorded' --help --version 'set --help' 'run --help'; do
    # shellcheck disable=SC2086 # words of a command
    OUT=/dev/full fails 1 'No space' "$DISCNICE" $command
  done
  pkill -P "$job" -x sleep
  wait "$job" || true
}

# untouched WHAT COMMAND...: the command must fail, leave old files as they were, and make no new files.
untouched() {
  local what=$1 file status=0
  shift
  for file in rep rec prof; do echo "old $file" >"$file"; done
  "$@" --report rep --record rec -- "$PROGRAM" 2>err || status=$?
  ((status == 125 || status == 126 || status == 127)) || complain "$what: status $status"
  for file in rep rec; do [[ $(<"$file") == "old $file" ]] || complain "$what: $file is changed"; done
  rm -f rep rec
  "$@" --report rep --record rec -- "$PROGRAM" 2>err && complain "$what: it succeeds without files"
  [[ ! -e rep && ! -e rec ]] || complain "$what: it leaves new files behind"
}

failed_starts() {
  PROGRAM=true
  if ((EUID == 0)) && unshare -m true 2>/dev/null; then
    # /dev/shm is too full for the segment, and then only for the ring.
    untouched 'a full /dev/shm' unshare -m --propagation slave sh -c 'mount -t tmpfs -o size=4k tmpfs /dev/shm && dd if=/dev/zero of=/dev/shm/full bs=4k count=1 status=none && exec "$@"' sh "$DISCNICE" --rate 5M
    untouched 'no room for the ring' unshare -m --propagation slave sh -c 'mount -t tmpfs -o size=1m tmpfs /dev/shm && exec "$@"' sh "$DISCNICE" --rate 5M
  else
    echo 'not shown: a full /dev/shm (needs the right to unshare mounts)'
  fi
  PROGRAM=./torn
  printf '\177ELF' >torn
  chmod 755 torn
  untouched 'a torn program' "$DISCNICE" --rate 5M
  PROGRAM=./no-such-program
  untouched 'no program' "$DISCNICE" --rate 5M
  PROGRAM=true
  untouched 'an unwritable profile' "$DISCNICE" --rate 5M --profile /no/such/folder/profile
  # The kernel refuses this program at the last moment: its interpreter is itself, without end.
  printf '#!%s/loop\n' "$SCRATCH" >loop
  chmod 755 loop
  PROGRAM=./loop
  untouched 'a program that exec refuses' "$DISCNICE" --rate 5M
}

replaced() {
  local file
  for file in rep rec; do head -c 100000 /dev/zero >"$file"; done
  "$DISCNICE" --json --rate 5M --report rep --record rec -- true || complain "status $?"
  [[ $(head -c 1 rep) == '{' && $(wc -l <rep) -eq 1 ]] || complain "the old report is not replaced: $(head -c 100 rep)"
  "$DISCNICE" replay rec >/dev/null || complain 'the old recording is not replaced'
  # The program's output and the report go to one file. Neither may overwrite the other.
  "$DISCNICE" --report /dev/stdout --rate 5M -- echo said >both
  [[ $(grep -cE '^said$|discnice: echo: ' both) -eq 2 ]] || complain "the program's output and the report: $(<both)"
}

# No text that discnice was given reaches a terminal unchanged.
escapes() {
  local name
  name=$(printf 'a\033[31mb')
  cp "$(type -P true)" "$name"
  printf '#!/bin/sh\n' >"script$name"
  printf '#!/no\033[31m\n' >bad
  chmod 755 "script$name" bad
  mkdir "folder$name"
  cp "$LIBRARY" "lib$name.so"
  {
    "$DISCNICE" explain -- "./$name" "folder$name" || true
    "$DISCNICE" explain -- "./script$name" || true
    "$DISCNICE" explain -- ./bad || true
    "$DISCNICE" explain -- "./none$name" || true
    DISCNICE_LIBRARY=$SCRATCH/lib$name.so "$DISCNICE" explain -- true || true
    "$DISCNICE" --rate 5M -- "./$name" || true
    "$DISCNICE" --json --rate 5M -- "./$name" || true
    "$DISCNICE" verify --record "rec$name" -- "./$name" || true
    "$DISCNICE" replay "rec$name" || true
    "$DISCNICE" --report "/no$name" -- true || true
    "$DISCNICE" "--no$name" || true
    "$DISCNICE" --rate "$name" -- true || true
    "$DISCNICE" set "$name" --rate 5M || true
    "$DISCNICE" replay "no$name" || true
    DISCNICE_RATE=$name "$DISCNICE" -q -- true || true
    LD_PRELOAD=$LIBRARY DISCNICE_RATE=$name true || true
  } >said 2>&1
  ! grep -q "$(printf '\033')" said || complain "escapes reach the terminal: $(grep "$(printf '\033')" said | cat -v)"
  [[ $(grep -c '\[31m' said) -gt 12 ]] || complain "the names are not shown at all: $(<said)"
}

full_files
full_stdout
failed_starts
replaced
escapes
conclude
