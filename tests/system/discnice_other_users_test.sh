#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# discnice_other_users_test: files that another user leaves under discnice's names in /dev/shm delay no job or command by more than 0.2 s, and stay unchanged.
#
# How: a stranger takes each name that a user's runs leave behind, and names like those of the user's jobs: as files of all modes and sizes, under leases that the
# stranger never gives up, as pipes, links, folders and sockets. Root and an ordinary user then run a job, end one by SIGTERM, and ask about a running one. Each
# command is timed and compared with the same command without the stranger. A try that takes too long is repeated some times, because the machine may be busy; a
# name that is waited for takes too long each time. Then the stranger answers each name of a job that appears with a second name, as rings once had, and makes very
# many names. A new name of discnice's is tested automatically once a command of this test leaves it behind. Left out: the content of segments
# (system/discnice_forged_jobs), and a job's own names before they exist, which nobody can know.
# Slow: each of some hundred names costs a job of each user, and a wait would show as seconds.
# Runs alone, or beside one such: a file under a bad name may delay a run by 0.2 s at most, and a start beside three other tests takes longer.
source "$(dirname "$0")/../support/discnice.bash"
need_root
need python3 setpriv
[[ -n ${GRAY_OWN_SHM:-} ]] || skip "needs the right to unshare mounts"
need_built gb-run
GB_RUN=$(program gb-run)
readonly GB_RUN STRANGER=65534 EXTRA_MAX_NS=200000000 OWN_TRIES=3 TRIES=10
chmod 755 "$SCRATCH"
cd "$SCRATCH"
# Programs that any user may run; root's own programs may come first in the PATH.
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
cp "$SOURCE/tests/support/other_user.py" .
make_file ./source 1000000
chmod 644 source

# From here on the test acts as the victim.
become() { # UID
  VICTIM=$1
  AS=(env HOME="$SCRATCH/home-of-$VICTIM")
  ((VICTIM == 0)) || AS+=(setpriv --reuid="$VICTIM" --regid="$VICTIM" --clear-groups)
}
become 65533
"${AS[@]}" "$DISCNICE" --version >/dev/null 2>&1 || skip "another user may not run what was built: $DISCNICE"

# The command of that name is put into LINE. JOB is the number of a job of the victim that runs all the time.
readonly READ=(dd if=source of=/dev/null bs=64k iflag=direct status=none)
readonly END_BY_SIGTERM='"$1" -q --policy nice -- sleep 100 & sleep 0.1; kill -TERM $!; wait $!; test $? = 143'
readonly COMMANDS=(job share recorded status set report top ended memory)
line_of() {
  case $1 in
    job) LINE=("$DISCNICE" -q --policy nice -- "${READ[@]}") ;;
    share) LINE=("$DISCNICE" -q --policy share --rate 1G -- "${READ[@]}") ;;
    recorded) LINE=("$DISCNICE" -q --policy nice --record /dev/null -- "${READ[@]}") ;;
    status | top) LINE=("$DISCNICE" "$1") ;;
    set) LINE=("$DISCNICE" set "$JOB" --rate 1M) ;;
    report) LINE=("$DISCNICE" report "$JOB") ;;
    ended) LINE=(sh -c "$END_BY_SIGTERM" sh "$DISCNICE") ;;
    memory) LINE=("$GB_RUN" --min 1M --max 2M -- true) ;;
  esac
}

RUNS=0 WORST_NS=-1000000000 WORST=
declare -A OWN_NS
# took COMMAND: its time is in TOOK_NS, and its output in `said`.
took() {
  local begun status=0
  line_of "$1"
  begun=$(date +%s%N)
  timeout -s KILL 20 "${AS[@]}" "${LINE[@]}" >out 2>said || status=$?
  TOOK_NS=$(($(date +%s%N) - begun))
  ((status == 0)) || complain "$1 of user $VICTIM: status $status: $(<said)"
}

# The time to compare with: the shortest of some tries without the stranger.
measure_own() {
  local command try
  for command in "${COMMANDS[@]}"; do
    for ((try = 0; try < OWN_TRIES; ++try)); do
      took "$command"
      [[ -n ${OWN_NS[$command]:-} ]] && ((OWN_NS[$command] <= TOOK_NS)) || OWN_NS[$command]=$TOOK_NS
    done
  done
}

judge() { # WHAT
  local command try extra_ns
  for command in "${COMMANDS[@]}"; do
    for ((try = 0; try < TRIES; ++try)); do
      took "$command"
      extra_ns=$((TOOK_NS - OWN_NS[$command]))
      ((extra_ns > EXTRA_MAX_NS)) || break
    done
    RUNS=$((RUNS + 1))
    if ((extra_ns > WORST_NS)); then WORST_NS=$extra_ns WORST="$command of user $VICTIM, $1"; fi
    ((extra_ns <= EXTRA_MAX_NS)) || complain "$command of user $VICTIM, $1: $((extra_ns / 1000000)) ms over its own time"
    if [[ $command == job && $1 == *.disks* ]]; then
      [[ $(wc -l <said) -eq 1 && $(<said) == *"not this user's alone"* ]] || complain "$1: the job does not say in one line what is lost: $(<said)"
    fi
  done
}

# The stranger at work: `stranger ARGUMENT...` begins, and `strangers_end` ends and removes what the stranger left.
stranger() {
  coproc AT_WORK { exec setpriv --reuid="$STRANGER" --regid="$STRANGER" --clear-groups python3 "$SCRATCH/other_user.py" "$@" 2>&1; }
  # shellcheck disable=SC2034 # AT_WORK_PID is the coprocess's
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

start_job() {
  local look
  "${AS[@]}" "$DISCNICE" -q --rate 1M -- sleep 1000 2>/dev/null &
  JOB=$!
  for ((look = 0; look < 500; ++look)); do
    "${AS[@]}" "$DISCNICE" status --json 2>/dev/null | grep -q "\"job\": *$JOB\b" && return
    sleep 0.02
  done
  fail "no job of user $VICTIM is to be seen"
}
end_job() {
  kill -TERM "$JOB"
  wait "$JOB" || true
}

# The names that the victim's runs leave behind, with their sizes, and a name like that of one of the victim's jobs.
names_of() {
  find /dev/shm -maxdepth 1 -type f -name "*[-.]$VICTIM*" ! -name "discnice-$VICTIM-*" -printf '%f %s\n' | sort
  echo "discnice-$VICTIM-$JOB-$NAMESPACE-1 4096"
}

kinds() { # SIZE
  local mode size
  for mode in 0 600 644 666 777; do echo "file:$mode:$1"; done
  for size in 0 1 $((1 << 40)); do echo "file:666:$size"; done
  for size in 0 1 "$1"; do echo "write-lease:$size" "read-lease:$size"; done
  echo fifo fifo-held "link:$SCRATCH/bait" link:/dev/zero link:nothing folder socket
}

# stands FILE: prints the properties of the file, for a comparison.
stands() { stat -c '%u %a %s %F %i' "$1" 2>/dev/null; }

meet_traps() { # FILE SIZE
  local kind before
  rm -f "$1"
  for kind in $(kinds "$2"); do
    stranger trap "$kind" "$1"
    before=$(stands "$1")
    judge "${1##*/} as $kind"
    [[ $(stands "$1") == "$before" ]] || complain "${1##*/} as $kind of the stranger was changed by user $VICTIM"
    strangers_end
  done
}

# The stranger takes any name that could belong to the name that has appeared.
meet_racer() {
  local i
  stranger race
  for ((i = 0; i < 30; ++i)); do took recorded; done
  strangers_end
}

NAMESPACE=$(stat -L -c %i /proc/self/ns/pid)
readonly NAMESPACE
printf bait >bait
chmod 600 bait
for user in 0 65533; do
  become "$user"
  chown "$VICTIM" bait
  start_job
  OWN_NS=()
  measure_own
  mapfile -t names < <(names_of)
  [[ ${#names[@]} -ge 2 ]] || complain "no name of user $VICTIM is left by a run: ${names[*]}"
  printf 'user %s: %s\n' "$VICTIM" "${names[*]% *}"
  for name in "${names[@]}"; do meet_traps "/dev/shm/${name% *}" "${name#* }"; done
  [[ $(<bait) == bait ]] || complain "a file behind a link was changed by user $VICTIM"
  meet_racer
  stranger flood "$VICTIM" 5000
  judge '5000 names'
  strangers_end
  end_job
done

printf 'other users: %d runs beside a stranger, the worst %.3f s over its own time (%s)\n' "$RUNS" "$(calculate "$WORST_NS / 1e9")" "$WORST"
conclude
