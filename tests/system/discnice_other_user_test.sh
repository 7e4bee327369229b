#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# discnice_other_user_test: a process that has become another user shares nothing with the job it came from any more, and nobody else is the worse
# for it.
#
# How: a worker forked by root becomes another user: by each of libc's functions, by syscall(), and by a direct system call that the library does not see. It then writes to the
# old addresses of the shared memory. Its parent must not see these writes, and no memory of the library may be mapped in the worker. A daemon that goes back
# and forth stays a member. Children of vfork(), whose memory is their parent's, become another user before exec: the parent stays a member, and
# limited. A process changes while its threads read. Recorded, the ring goes the same way.
# Left out: a process whose memory may be its parent's, and where the kernel does not tell (kcmp refused): it keeps what it has until exec. A user
# namespace that numbers users otherwise counts as another user until exec.
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
