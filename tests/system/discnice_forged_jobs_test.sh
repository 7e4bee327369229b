#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# discnice_forged_jobs_test: another user forges segments and boards under the names of root and of a third user. This has no effect on root or that user: none
# of their jobs is slowed down, freed of its limit, shown to others or removed, and the daemon has no more work.
#
# How: the stranger copies a segment of its own job under names of the victim's jobs. Reads of a known size at a known rate are timed. Shared memory of the same user
# is tested in system/discnice_damage, and names that are no segments in system/discnice_other_users.
source "$(dirname "$0")/../support/discnice.bash"
need_root
need python3 setpriv
[[ -n ${GRAY_OWN_SHM:-} ]] || skip "needs the right to unshare mounts"
need_built discnice-policyd
DAEMON=$(program discnice-policyd)
readonly DAEMON STRANGER=65534 USER_IN_BETWEEN=65533
chmod 755 "$SCRATCH"
cd "$SCRATCH"
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export HOME=$SCRATCH/home
cp "$SOURCE/tests/support/other_user.py" .
make_file ./source 40000000
chmod 644 source

AS_STRANGER=(setpriv --reuid="$STRANGER" --regid="$STRANGER" --clear-groups)
AS_USER=(setpriv --reuid="$USER_IN_BETWEEN" --regid="$USER_IN_BETWEEN" --clear-groups)
"${AS_USER[@]}" "$DISCNICE" --version >/dev/null 2>&1 || skip "another user may not run what was built: $DISCNICE"

stranger() {
  coproc AT_WORK { exec "${AS_STRANGER[@]}" python3 "$SCRATCH/other_user.py" "$@" 2>&1; }
  STRANGERS_PID=$AT_WORK_PID
  local said
  read -r said <&"${AT_WORK[0]}" || true
  [[ $said == set ]] || fail "the stranger cannot $*: $said"
}
strangers_end() {
  local input=${AT_WORK[1]}
  exec {input}>&-
  wait "$STRANGERS_PID" || true
}

quietly() { "$@" 2>/dev/null || true; }

segment_of() { # PID
  local look found
  for ((look = 0; look < 500; ++look)); do
    found=$(find /dev/shm -maxdepth 1 -name "discnice-*-$1-*")
    [[ -n $found ]] && break
    sleep 0.01
  done
  [[ -n $found ]] || fail "no segment of the job $1"
  echo "$found"
}

# Prints the rate of a read of 10 MB, in bytes a second.
rate_of() { # COMMAND...
  local begun
  make_cold source
  begun=$(date +%s%N)
  "$@" dd if=source of=/dev/null bs=64k count=153 iflag=direct status=none || complain "status $?: $*"
  calculate "153 * 65536 * 1e9 / ($(date +%s%N) - $begun)"
}

# A sharing job of the stranger that waits all the time, and so claims all that it can get.
make_file ./strangers 20000000
chmod 644 strangers
"${AS_STRANGER[@]}" "$DISCNICE" -q --policy share --rate 100K --weight 1000 -- dd if=strangers of=/dev/null bs=64k iflag=direct status=none &
FORGERS_JOB=$!
at_exit quietly kill "$FORGERS_JOB"
strangers=$(segment_of "$FORGERS_JOB")
sleep 0.5
FORGED=$SCRATCH/forged
cp "$strangers" "$FORGED"
chmod 644 "$FORGED"
MAKER=$$ # it lives, and belongs to root
DEAD=$(sh -c 'echo $$')

# Six forged segments must not slow down root's own job. The same is tested between two ordinary users.
for victim in 0 "$USER_IN_BETWEEN"; do
  as=(env)
  ((victim == 0)) || as=("${AS_USER[@]}")
  stranger forge "$victim" "$MAKER" 6 "$FORGED"
  rate=$(rate_of "${as[@]}" "$DISCNICE" -q --policy share --rate 8MB --)
  strangers_end
  printf 'user %s: a job of 8 MB/s beside six forged ones: %.2f MB/s\n' "$victim" "$(calculate "$rate / 1e6")"
  holds "$rate > 6.4e6 && $rate < 8.8e6" || complain "user $victim: six forged jobs made one of 8 MB/s read $(calculate "$rate / 1e6") MB/s"
done

# A forged segment of a dead maker, which claims to be the file of a live job.
"${AS_USER[@]}" "$DISCNICE" -q --rate 1M -- sleep 1000 &
LIVE=$!
"$DISCNICE" -q --rate 1M -- sleep 1000 &
OWN=$!
at_exit quietly kill "$LIVE" "$OWN"
live=$(segment_of "$LIVE")
own=$(segment_of "$OWN")
python3 - "$FORGED" "$live" forged-live "$DEAD" <<'PYTHON'
import os, struct, sys
source, live, target, dead = sys.argv[1:]
content = bytearray(open(source, "rb").read())
struct.pack_into("<I", content, 20, int(dead))  # the maker
content[96:160] = os.path.basename(live).encode().ljust(64, b"\0")  # the name of its file
content[3328:] = bytes(len(content) - 3328)  # no member
open(target, "wb").write(content)
PYTHON
chmod 644 forged-live
stranger forge 0 "$DEAD" 1 "$SCRATCH/forged-live"
"$DISCNICE" status >out 2>said || complain "status of root beside a forged segment: $(<said)"
"$DISCNICE" -q --rate 1G -- true
grep -q "^$OWN " out || complain "root's own job is not shown beside a forged one: $(<out)"
[[ $(grep -c '^[0-9]' out) -eq 1 ]] || complain "root's status shows what is not root's: $(<out)"
[[ -e $live ]] || complain "a forged segment made root's status remove a live segment of user $USER_IN_BETWEEN"
[[ -e $own ]] || complain "a forged segment made root's status remove a live segment of its own"
expect_status 1 "$DISCNICE" set "$DEAD" --rate 1M 2>said
strangers_end
kill "$LIVE"
wait "$LIVE" 2>/dev/null || true

# The daemon runs as root: another user's total of 100 GB/s raises the rate of no job, and the job that claims
# more does not either.
"$DAEMON" --config /dev/null 2>daemon-said &
DAEMONS_PID=$!
at_exit quietly kill "$DAEMONS_PID"
"${AS_STRANGER[@]}" "$DISCNICE" -q --policy share --rate 100G -- sleep 1000 &
LARGE=$!
sleep 0.3
rate=$(rate_of "${AS_USER[@]}" "$DISCNICE" -q --policy share --rate 4MB --)
kill "$LARGE"
printf 'a job of 4 MB/s beside a sharing one of 100 GB/s, under the daemon: %.2f MB/s\n' "$(calculate "$rate / 1e6")"
holds "$rate > 3.2e6 && $rate < 4.6e6" || complain "the daemon lifted a job of 4 MB/s to $(calculate "$rate / 1e6")"
"$DISCNICE" -q --policy share --rate 100G -- sleep 1000 &
LARGE=$!
rate=$(rate_of "$DISCNICE" -q --policy share --rate 4MB --)
kill "$LARGE"
printf 'the same within one user: %.2f MB/s\n' "$(calculate "$rate / 1e6")"
holds "$rate > 3.2e6 && $rate < 4.6e6" || complain "the daemon lifted a job of its own user from 4 MB/s to $(calculate "$rate / 1e6")"

# Forty boards of users who do not exist, on which a sample is requested all the time.
python3 - <<'PYTHON' &
import os, struct, time
boards = [os.open(f"/dev/shm/discnice-{60200 + i}.disks3", os.O_CREAT | os.O_RDWR, 0o600) for i in range(40)]
entry_bytes, disks = 128, 64
for _ in range(100):
    now = time.monotonic_ns()
    for i, board in enumerate(boards):
        content = b"".join(struct.pack(f"<QQQQ{entry_bytes - 32}x", 64 * i + disk + 1, 0, 0, now) for disk in range(disks))
        os.pwrite(board, content, 0)
        os.fchown(board, 60200 + i, 60200 + i)
    time.sleep(0.05)
PYTHON
FORGER=$!
at_exit quietly kill "$FORGER"
sleep 0.5
spent() { awk '{ print $14 + $15 }' "/proc/$DAEMONS_PID/stat"; }
before=$(spent)
sleep 2
after=$(spent)
share=$(calculate "($after - $before) / 2 / $(getconf CLK_TCK)")
printf 'the daemon beside forty forged boards: %s of a processor\n' "$share"
holds "$share < 0.1" || complain "forty forged boards keep the daemon at $share of a processor"

# The name of a job is shown as text.
name=$'x\e]2;owned\a\e[31m'
printf '#!/bin/sh\nsleep 2\n' >"$name"
chmod 755 "$name"
"$DISCNICE" -q --rate 1M -- "./$name" &
NAMED=$!
segment_of "$NAMED" >/dev/null
"$DISCNICE" status >out
"$DISCNICE" report "$NAMED" >>out || complain 'no report on a job with an odd name'
! grep -q $'\e' out || complain "a job's name reaches the terminal as it is"
wait "$NAMED" || true

conclude
