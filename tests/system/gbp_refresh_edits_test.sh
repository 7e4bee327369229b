#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# gbp_refresh_edits: changes in a directory whose refresh was killed, or is still running, survive --rollback and --resume.
#
# First the test runs the cases in which data was once lost, one by one, on a small tree. Then the test makes random trees (GRAY_REFRESH_TREES of them, from
# seed GRAY_REFRESH_SEED on), each with a refresh that is killed or stopped at a random system call, and with random changes. tests/support/refresh_edits.py
# makes the trees and the changes. The head of refresh_edits.py says what is compared. The file system is an ext4 in memory. Left out: power cuts together
# with changes.
source "$(dirname "$0")/../support/system.bash"
need_root
need_built gbp
need python3 mkfs.ext4 losetup timeout flock
[[ -e /dev/loop-control ]] || skip "there are no loop devices"
GBP=$(program gbp)
readonly GBP TREES=${GRAY_REFRESH_TREES:-60} SEED=${GRAY_REFRESH_SEED:-1}
export XDG_DATA_HOME=$SCRATCH/parameters XDG_RUNTIME_DIR=$SCRATCH
MEMORY=$(mktemp -d /dev/shm/gray-edits.XXXXXX)
readonly MEMORY
at_exit rm -rf -- "$MEMORY"
mkdir "$MEMORY/disk"
truncate -s 64M "$MEMORY/image"
mkfs.ext4 -q -F -J size=4 "$MEMORY/image"
mount -o loop "$MEMORY/image" "$MEMORY/disk" 2>"$SCRATCH/refusal" || skip "no ext4 can be mounted here: $(cat "$SCRATCH/refusal")"
at_exit umount "$MEMORY/disk"
cd "$MEMORY/disk"
at_exit cd /

make() { # a directory of old files
  rm -rf d .d.gray-refresh .d.gray-journal
  mkdir d
  for i in 1 2 3 4 5; do echo "mail $i" >"d/m$i"; done
  touch -d '2001-01-01' d/m? d
}
# The exchange is the only renameat2 of directories. The stop before the first exchange, and all later stops, are found by trying.
killed_after_exchange() { # leaves d killed right after the exchange
  local before stop inode
  for ((stop = ${EXCHANGED:-1}; ; stop++)); do
    make
    inode=$(stat -c %i d)
    "$TOOLS/kill_at" "$stop" "$GBP" -refresh d --force --apply >"$SCRATCH/out" 2>&1 || fail "the refresh ended before it was killed: $(cat "$SCRATCH/out")"
    before=$(stat -c %i d)
    [[ $before == "$inode" ]] || break
  done
  EXCHANGED=$stop
}
ends() { # STATUS WAY
  local status=0
  timeout 300 "$GBP" -refresh d --force "$2" >"$SCRATCH/out" 2>"$SCRATCH/err" || status=$?
  [[ $status -eq $1 ]] || fail "$2 ends with status $status: $(cat "$SCRATCH/err")"
  [[ $status -ne 0 || ! (-e .d.gray-refresh || -e .d.gray-journal) ]] || fail "after $2 there is still: $(ls -A)"
}
EXCHANGED=
make
all=$({ "$TOOLS/kill_at" 0 "$GBP" -refresh d --force --apply || true; } | sed -n 's/^stops \([0-9]*\) .*/\1/p')
EXCHANGED=$((all / 3))

for way in --rollback --resume; do
  killed_after_exchange
  echo edited >>d/m1
  rm d/m5
  mv d/m2 d/renamed
  echo added >d/new
  mkdir d/folder
  chmod 600 d/m3
  chmod 711 d
  ends 0 "$way"
  [[ $(cat d/m1) == $'mail 1\nedited' ]] || fail "$way loses an edit: $(cat d/m1)"
  [[ ! -e d/m5 && ! -e d/m2 ]] || fail "$way brings back what was deleted or renamed: $(ls d)"
  [[ $(cat d/renamed) == 'mail 2' && $(cat d/new) == added && -d d/folder ]] || fail "$way loses what was renamed or added: $(ls d)"
  [[ $(stat -c %a d/m3) == 600 && $(stat -c %a d) == 711 ]] || fail "$way loses a mode"
  [[ $(stat -c %Y d) -gt 1500000000 ]] || fail "$way sets the directory's time back behind what arrived since"
done

# Nothing was changed: the directory's time is kept.
for way in --rollback --resume; do
  killed_after_exchange
  ends 0 "$way"
  [[ $(stat -c %Y d) == "$(date -d 2001-01-01 +%s)" ]] || fail "$way of an untouched directory changes its time"
done

# Both directories were changed: both changes stay, and gbp reports that.
killed_after_exchange
echo here >>d/m1
echo there >>.d.gray-refresh/m1
ends 1 --resume
[[ $(cat d/m1) == $'mail 1\nhere' && $(cat .d.gray-refresh/m1) == $'mail 1\nthere' ]] || fail "a conflict is not left in both places"
grep -q "gray-refresh/m1' is kept" "$SCRATCH/err" || fail "a conflict is not named: $(cat "$SCRATCH/err")"
ends 1 --resume
grep -q "gray-refresh' is not empty" "$SCRATCH/err" || fail "what is in the way of the next is not named: $(cat "$SCRATCH/err")"

# A program has the old file open, and writes at the very end.
killed_after_exchange
exec 8>>.d.gray-refresh/m4
ends 0 --resume
echo late >&8
exec 8>&-
[[ $(cat d/m4) == $'mail 4\nlate' ]] || fail "what was written to an open file is lost: $(cat d/m4)"
# A program has the new file open before the refresh is rolled back.
killed_after_exchange
exec 8>>d/m4
ends 0 --rollback
echo late >&8
exec 8>&-
[[ $(cat d/m4) == $'mail 4\nlate' ]] || fail "what was written to an open file is lost: $(cat d/m4)"

# Two refreshes at the same time: the second refresh ends with a message.
killed_after_exchange
exec 9<.d.gray-journal
flock -n 9
ends 1 --resume
exec 9<&-
grep -q 'another gbp -refresh works' "$SCRATCH/err" || fail "two at once: $(cat "$SCRATCH/err")"
ends 0 --resume
rm -rf d

timeout 3600 python3 "$SOURCE/tests/support/refresh_edits.py" "$GBP" "$TOOLS/kill_at" "$MEMORY/disk" "$TREES" "$SEED" || fail "something was lost"
