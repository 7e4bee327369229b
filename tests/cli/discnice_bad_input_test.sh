#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# discnice_bad_input_test: discnice reports every mistake in one line, and leaves nothing half done.
#
# How: each command would make a file. After a refusal the file must not exist, stdout must be empty, and stderr must have one line that names the mistake (and what
# would be right). The status must be a launcher's: 2 for a wrong command line, 125 for a failure of its own, 126 and 127 for a program that cannot be run or does
# not exist. The library without the launcher reports one line for a whole tree of processes and then does nothing more. Left out: programs that lose the library
# while they run (discnice warns about such programs; tests of the launcher check the warning).
source "$(dirname "$0")/../support/discnice.bash"
cd "$SCRATCH"
printf '#!/bin/sh\ntouch "%s/ran"\n' "$SCRATCH" >program
chmod 755 program
RUNNER=()

# refused STATUS PATTERN COMMAND...: fails unless COMMAND is refused with that status and a line that matches PATTERN. RUNNER stands before COMMAND.
refused() {
  local want=$1 pattern=$2 status=0
  shift 2
  rm -f ran
  "${RUNNER[@]}" "$@" >out 2>err </dev/null || status=$?
  ((status == want)) || complain "status $status instead of $want: $*"
  [[ ! -s out ]] || complain "something on stdout: $*"
  [[ $(wc -l <err) -eq 1 && -s err ]] || complain "not one line: $*: $(cat err)"
  grep -Eq -- "$pattern" err || complain "does not say '$pattern': $*: $(cat err)"
  [[ ! -e ran ]] || complain "the command ran all the same: $*"
  printf '%3d  %s\n' "$status" "$(cat err)"
}

rates() {
  local rate
  for rate in '' abc 5X -1 0 5 1023 1e9 99999999999999999999G ' 5M' 5M/min 5MM +5M .M; do
    refused 2 'rate' "$DISCNICE" --rate "$rate" -- ./program
  done
  refused 2 'rate' "$DISCNICE" --rate
  refused 2 "policy 'nosuch'.*rate.*unlimited|nosuch.*choose" "$DISCNICE" --policy nosuch -- ./program
  refused 2 "policy 'rate' needs a rate" "$DISCNICE" --policy rate -- ./program
  refused 2 'takes no rate' "$DISCNICE" --policy unlimited --rate 5M -- ./program
  refused 2 'ledger' "$DISCNICE" --ledger maybe -- ./program
  refused 2 "model 'nonsense'.*readahead" "$DISCNICE" verify --disable cache,nonsense -- ./program
  refused 2 "model 'nonsense'.*readahead" "$DISCNICE" --rate 1M --disable cache,nonsense -- ./program
  refused 2 'rate' "$DISCNICE" verify --rate 5M -- ./program
  refused 2 'no command' "$DISCNICE" verify
  refused 127 'no-such-program' "$DISCNICE" verify -- no-such-program
  refused 125 '/no/such/folder/record' "$DISCNICE" --record /no/such/folder/record -- ./program
  refused 2 'record' "$DISCNICE" --record
  refused 2 'FILE' "$DISCNICE" replay
  refused 1 'no-such-file' "$DISCNICE" replay no-such-file
  refused 1 'not a recording' "$DISCNICE" replay program
  refused 2 'backend' "$DISCNICE" --backend none-such -- ./program
  refused 2 'no-such-option' "$DISCNICE" --no-such-option -- ./program
  refused 2 'no command' "$DISCNICE" --rate 5M --
  refused 2 'no command' "$DISCNICE" --rate 5M
}

# Makes a file that looks like a 32-bit program: only its header.
make_32_bit() {
  printf '\x7fELF\x01\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\x03\0\x01\0\0\0\0\0\0\0\x34\0\0\0\0\0\0\0\0\0\0\0\x34\0\x20\0\0\0\0\0\0\0\0\0' >"$1"
  chmod 755 "$1"
}

programs() {
  refused 127 'no-such-program' "$DISCNICE" --rate 5M -- no-such-program
  refused 127 'no-such-program' "$DISCNICE" --rate 5M -- ./no-such-program
  refused 127 'empty' "$DISCNICE" --rate 5M -- ''
  refused 126 'executable' "$DISCNICE" --rate 5M -- "$SCRATCH"
  touch not-executable
  refused 126 'executable' "$DISCNICE" --rate 5M -- ./not-executable
  printf '#!/no/such/interpreter\n' >script
  chmod 755 script
  refused 126 '/no/such/interpreter' "$DISCNICE" --rate 5M -- ./script
  make_32_bit program-32
  refused 125 '32-bit' "$DISCNICE" --rate 5M --engine preload -- ./program-32
  printf '#!%s/program-32\n' "$SCRATCH" >script-32
  chmod 755 script-32
  refused 125 '32-bit' "$DISCNICE" --rate 5M --engine preload -- ./script-32
  printf '\x7fELF' >torn
  chmod 755 torn
  refused 126 'torn.*cut short' "$DISCNICE" --rate 5M -- ./torn
  static_program
}

static_program() {
  printf '#include <fcntl.h>\nint main(void) { return creat("%s/ran", 0600) < 0; }\n' "$SCRATCH" >static.c
  if ! "${GRAY_PRESET_CC:-cc}" -static -o static static.c 2>/dev/null; then
    echo 'not shown: a static program (none can be linked here)'
    return
  fi
  refused 125 'static.*leave out --engine' "$DISCNICE" --rate 5M --engine preload -- ./static
  refused 125 'static.*leave out --record' "$DISCNICE" --rate 5M --record recording -- ./static
  refused 125 'static.*leave out --profile' "$DISCNICE" --rate 5M --profile profile -- ./static
  refused 125 'static.*nothing to verify' "$DISCNICE" verify -- ./static
  refused 2 '--engine.*nosuch' "$DISCNICE" --rate 5M --engine nosuch -- ./program
  refused 2 'engine cgroup holds a rate.*--rate' "$DISCNICE" --engine cgroup -- ./program
  refused 2 'leave out --record' "$DISCNICE" --rate 5M --engine pace --record recording -- ./program
  printf '#!%s/static\n' "$SCRATCH" >static-script
  chmod 755 static-script
  refused 125 'static' "$DISCNICE" --rate 5M --engine preload -- ./static-script
}

set_user_id() {
  if ((EUID != 0)) || ! command -v setpriv >/dev/null; then
    echo 'not shown: a set-user-ID program (needs root and setpriv)'
    return
  fi
  mkdir -m 755 bin lib
  cp "$DISCNICE" bin/ && cp "$LIBRARY" lib/
  cp /bin/touch set-user-id && chmod 4755 set-user-id
  chmod 777 "$SCRATCH"
  RUNNER=(setpriv --reuid 65534 --regid 65534 --clear-groups --)
  refused 125 'set-user-ID' bin/discnice --rate 5M -- ./set-user-id "$SCRATCH/ran"
  RUNNER=()
}

surroundings() {
  local option
  for option in --report --record --profile; do refused 2 'the value is empty' "$DISCNICE" --rate 5M "$option" '' -- ./program; done
  refused 125 '/no/such/folder/report' "$DISCNICE" --rate 5M --report /no/such/folder/report -- ./program
  refused 125 "$SCRATCH" "$DISCNICE" --rate 5M --report "$SCRATCH" -- ./program
  refused 125 'DISCNICE_LIBRARY' env DISCNICE_LIBRARY=/nonexistent "$DISCNICE" --rate 5M -- ./program
  mkdir -p alone/bin 'blank lib'
  cp "$DISCNICE" alone/bin/
  [[ -e /usr/local/lib/discnice/libdiscnice.so ]] || refused 125 'libdiscnice.so' alone/bin/discnice --rate 5M -- ./program
  cp "$LIBRARY" 'blank lib/'
  refused 125 'blank' env DISCNICE_LIBRARY="$SCRATCH/blank lib/libdiscnice.so" "$DISCNICE" --rate 5M -- ./program
}

# These cases have a /dev/shm that is full, missing, or not writable. The mounts are in a mount namespace of their own.
readonly FULL='mount -t tmpfs -o size=4k tmpfs /dev/shm && dd if=/dev/zero of=/dev/shm/full bs=4k count=1 status=none && exec "$@"'
readonly MISSING='mount -t tmpfs tmpfs /dev && mknod -m 666 /dev/null c 1 3 && exec "$@"'
readonly READ_ONLY='mount -t tmpfs -o ro tmpfs /dev/shm && exec "$@"'
shared_memory() {
  local state
  if ((EUID != 0)) || ! unshare -m true 2>/dev/null; then
    echo 'not shown: a full or missing /dev/shm (needs the right to unshare mounts)'
    return
  fi
  RUNNER=(unshare -m --propagation slave sh -c "$FULL" sh)
  refused 125 '/dev/shm is full' "$DISCNICE" --rate 5M -- ./program
  RUNNER=(unshare -m --propagation slave sh -c "$MISSING" sh)
  refused 125 'there is no /dev/shm' "$DISCNICE" --rate 5M -- ./program
  RUNNER=(unshare -m --propagation slave sh -c "$READ_ONLY" sh)
  refused 125 '/dev/shm' "$DISCNICE" --rate 5M -- ./program
  for state in "$FULL" "$MISSING" "$READ_ONLY"; do
    RUNNER=(unshare -m --propagation slave sh -c "$state" sh)
    bare 'libdiscnice: .*/dev/shm' DISCNICE_RATE=5M
  done
  RUNNER=()
}

# bare PATTERN VARIABLE...: runs a tree of processes under the library with these variables. It must print one line, and keep its own output and status.
bare() {
  local pattern=$1 status=0
  shift
  rm -f ran
  "${RUNNER[@]}" env "LD_PRELOAD=$LIBRARY" "$@" sh -c './program; sh -c "cat program | wc -l; ls ran" & wait; sh -c "exit 3"' \
    >out 2>err </dev/null || status=$?
  ((status == 3)) || complain "bare $*: status $status instead of 3"
  [[ $(tr '\n' ' ' <out) == '2 ran ' ]] || complain "bare $*: the program's own output was $(cat out)"
  [[ $(wc -l <err) -eq 1 ]] || complain "bare $*: not one line but $(wc -l <err): $(head -3 err)"
  grep -Eq -- "$pattern" err || complain "bare $*: does not say '$pattern': $(cat err)"
  printf '     %s\n' "$(head -1 err)"
}

bare_variables() {
  local rate variable status=0
  for rate in abc 5X -1 0 5 1e9 99999999999999999999G; do
    bare "DISCNICE_RATE=$rate is (not a rate|some bytes).*5M" "DISCNICE_RATE=$rate"
  done
  bare 'DISCNICE_POLICY=nosuch is not a policy.*rate' DISCNICE_RATE=5M DISCNICE_POLICY=nosuch
  bare 'DISCNICE_LEDGER=maybe .*on.*off' DISCNICE_RATE=5M DISCNICE_LEDGER=maybe
  bare 'DISCNICE_BACKEND=oracle .*cachestat' DISCNICE_RATE=5M DISCNICE_BACKEND=oracle
  bare 'DISCNICE_CACHE=mine .*neutral' DISCNICE_RATE=5M DISCNICE_CACHE=mine
  bare 'DISCNICE_CACHE=own=much .*own=200M' DISCNICE_RATE=5M DISCNICE_CACHE=own=much
  bare 'DISCNICE_(RATE|POLICY)' DISCNICE_RATE=abc DISCNICE_POLICY=nosuch
  # The program and its children also run without a limit: a megabyte at a kilobyte a second would take a quarter of an hour.
  for variable in DISCNICE_POLICY=nosuch DISCNICE_LEDGER=maybe DISCNICE_BACKEND=oracle DISCNICE_CACHE=mine; do
    timeout 120 env "LD_PRELOAD=$LIBRARY" DISCNICE_RATE=1K "$variable" \
      sh -c 'dd if=/dev/zero of=big bs=1M count=1 status=none; exit 4' 2>err || status=$?
    ((status == 4)) || complain "with $variable the program's children are held back"
  done
  # In a job of the launcher, the variables for use without the launcher are ignored.
  rm -f ran
  DISCNICE_POLICY=nosuch DISCNICE_LEDGER=maybe DISCNICE_RATE=abc "$DISCNICE" -q --rate 5M --ledger on -- ./program 2>err
  [[ -e ran && ! -s err ]] || complain "under the launcher bad variables are heard: $(cat err)"
}

rates
programs
set_user_id
surroundings
shared_memory
bare_variables
conclude
