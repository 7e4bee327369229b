#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# mac_pressure: real pressure fires the descriptor of gb_pressure_fd(), and a process that waits for memory is woken when memory becomes free.
#
# Everything happens in a memory control group of 64 MiB; making it needs root. A writer of files in a group that is nearly full causes the pressure. The test
# uses the events of the group, and once more hides the group's files, so that the host's stall information is used. A second before each case, the test checks
# that nothing is reported without pressure. When the host reports pressure even then, another program causes it, and that half is left out. Left out: the
# amount of pressure at which memory is given back, because the kernel decides this.
# Runs alone on a quiet host: it uses the host's stall information, which other programs would change.
source "$(dirname "$0")/../support/system.bash"
need_root
need timeout dd
ADMISSION=$TOOLS/admission
[[ -x $ADMISSION ]] || skip "the tests' tool $ADMISSION was not built"
readonly MIB=$((1 << 20)) LIMIT_MIB=64
left_out=()

if grep -qsw memory /sys/fs/cgroup/cgroup.controllers; then
  is_v2=true folder=/sys/fs/cgroup limit=memory.max
else
  is_v2=false folder=/sys/fs/cgroup/memory limit=memory.limit_in_bytes
fi
group=$folder/gray-test-$$
mkdir "$group" 2>/dev/null || skip "no memory control group can be made here"
at_exit rmdir "$group"
echo $((LIMIT_MIB * MIB)) >"$group/$limit" 2>/dev/null || skip "the memory controller is not for new groups here"
if $is_v2; then
  echo 0 >"$group/memory.swap.max" 2>/dev/null || true
else
  echo $((LIMIT_MIB * MIB)) >"$group/memory.memsw.limit_in_bytes" 2>/dev/null || true
fi

# Replaces the shell, so that killing the job kills the program.
inside() { # shellcheck disable=SC2016 # for the inner shell to expand
  exec timeout 300 sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group" "$@"
}

# await FILE LINES: waits until the file has so many lines, 20 s at most.
await() {
  for _ in {1..400}; do
    if [[ -e $1 && $(wc -l <"$1") -ge $2 ]]; then return; fi
    sleep 0.05
  done
  fail "$1 has only: $(cat "$1")"
}

# press: fills the group and goes on writing files. The kernel must write these back and drop them before there is free memory.
press() {
  inside "$ADMISSION" hold $((LIMIT_MIB - 12)) >"$SCRATCH/hold" &
  pressing+=($!)
  await "$SCRATCH/hold" 1
  for i in 1 2; do
    inside sh -c "while :; do dd if=/dev/zero of='$SCRATCH/big$i' bs=1M count=64 2>/dev/null; done" &
    pressing+=($!)
  done
}

calm() {
  kill "${pressing[@]}" 2>/dev/null || true
  wait "${pressing[@]}" 2>/dev/null || true
  pressing=()
  rm -f "$SCRATCH"/big*
}
pressing=()
at_exit calm

# tells SAID COMMAND...: prints "watching ..." and "calm", and under pressure "pressed".
tells() {
  local said=$1
  shift
  : >"$said"
  "$@" >"$said" &
  local listener=$! status=0
  await "$said" 2
  press
  wait "$listener" || status=$?
  calm
  ((status == 0)) || fail "the listener ended with status $status"
}

status=0
(inside "$ADMISSION" pressure 0 0) >"$SCRATCH/can" || status=$?
if ((status == 77)); then skip "neither the group nor the host tells of pressure"; fi
expected=in
if $is_v2; then expected=pri; fi
tells "$SCRATCH/group" inside "$ADMISSION" pressure 1000 30000
if [[ $(head -n 1 "$SCRATCH/group") != "watching $expected" ]]; then
  left_out+=("the group's own file, which is not to be had here")
elif [[ $(tr '\n' ' ' <"$SCRATCH/group") != "watching $expected calm pressed " ]]; then
  fail "the group told: $(tr '\n' ' ' <"$SCRATCH/group")"
fi

# The host's information, when the group's files are hidden.
if unshare -m true 2>/dev/null && [[ -e /proc/pressure/memory ]]; then
  for _ in 1 2 3; do # while others cause pressure: such work ends
    # shellcheck disable=SC2016 # for the inner shell to expand
    tells "$SCRATCH/host" timeout 300 unshare -m sh -c 'mount -t tmpfs none /sys/fs/cgroup && exec "$@"' sh "$ADMISSION" pressure 1000 30000
    if grep -q calm "$SCRATCH/host"; then break; fi
    sleep 2
  done
  case $(tr '\n' ' ' <"$SCRATCH/host") in
    "watching pri calm pressed ") ;;
    "watching pri pressed "*) left_out+=("the host's stall information: somebody else presses it") ;;
    *) fail "the host told: $(tr '\n' ' ' <"$SCRATCH/host")" ;;
  esac
else
  left_out+=("the host's stall information: no mount namespace, or none is kept")
fi

# A process waits for memory that another process holds. The other process has no claim. The waiting process gets the memory when the other process ends, and
# has hardly woken up meanwhile.
switches() { awk '$1 == "voluntary_ctxt_switches:" { print $2 }' "/proc/$1/status"; }
inside "$ADMISSION" hold 40 >"$SCRATCH/hold" &
pressing+=($!)
await "$SCRATCH/hold" 1
inside "$ADMISSION" alloc $((40 * MIB)) $((44 * MIB)) 4096 30000 </dev/null >"$SCRATCH/waited" &
sleep 1
waiter=
while read -r pid; do
  if tr '\0' ' ' <"/proc/$pid/cmdline" | grep -q "^$ADMISSION alloc "; then waiter=$pid; fi
done <"$group/cgroup.procs"
[[ -n $waiter ]] || fail "nobody waits: $(cat "$SCRATCH/waited")"
before=$(switches "$waiter")
sleep 2
looks=$(($(switches "$waiter") - before))
[[ ! -s $SCRATCH/waited ]] || fail "it was served while there was no room: $(cat "$SCRATCH/waited")"
calm
await "$SCRATCH/waited" 1
wait
read -r _ got _ error <"$SCRATCH/waited"
((got >= 40 * MIB)) || fail "the waiter got $got bytes, errno $error"
echo "the waiter slept $looks times in 2 s"
if $is_v2; then
  left_out+=("a waiter that does not look: a group of version 2 does not tell when memory comes free")
elif ((looks > 6)); then
  fail "the waiter woke $looks times in 2 s: it looks by the clock where the group would tell it"
fi
((${#left_out[@]} == 0)) || skip "not shown: $(printf '%s; ' "${left_out[@]}")"
