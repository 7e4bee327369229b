#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# discnice_other_user_test: a process that has become another user no longer shares any memory with its former job, and no other process is harmed by this.
#
# How: a worker forked by root becomes another user, by each of libc's functions, by number, and by a system call that no wrapper sees. It then writes to the
# addresses at which the shared memory was mapped. The parent must not see this write, and none of the job's memory may be mapped in the worker. A daemon that
# changes its user back and forth stays a member. Children of vfork(), which use the memory of their parent, become another user before exec: the parent stays a
# member with a limit. A process changes its user while its threads read. In a recorded job the same is true for the ring. Left out: a process that may run in
# its parent's memory while the kernel does not tell (kcmp refused). Such a process keeps the memory until exec. A user namespace with other user numbers
# counts as another user until exec.
source "$(dirname "$0")/../support/discnice.bash"
need_root
cd "$SCRATCH"
make_file here/input 2000000
chmod 755 "$SCRATCH" here
chmod 644 here/input

# says CASE EXPECTED [OPTION...]
says() {
  local case=$1 expected=$2 said status=0
  shift 2
  said=$("$DISCNICE" --quiet --rate 2M "$@" -- "$TOOLS/user_changes" "$case" here/input 2>err) || status=$?
  [[ $status == 0 && $said == "$expected" ]] ||
    complain "$case $*: status $status: $(diff <(printf '%s\n' "$expected") <(printf '%s\n' "$said")) $(tail -3 err)"
}

workers='shared before: some'
for way in setuid setreuid setresuid 'syscall SYS_setresuid' 'syscall SYS_setuid' 'its own system call'; do
  for when in 'just forked' 'a member'; do workers+=$'\n'"$way, $when: worker 0, reached its parent 0"; done
done
says workers "$workers"
says workers "$workers" --record record
says daemon 'back and forth: shared memory kept
saved user kept: shared memory kept
all three gone: shared memory lost'
for case in vfork vfork-later; do
  says "$case" 'children: all right
parent: shared memory kept, held back'
done
for ((i = 0; i < 5; ++i)); do says threads 'under threads: shared memory lost'; done
[[ -z $(segments) ]] || complain "left behind: $(segments)"
conclude
