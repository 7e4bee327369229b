# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# kit.bash: what a benchmark in bash starts with: its options, states of the cache that are made and verified, turns, and access to bench/kit.
#
#   source "$(dirname "${BASH_SOURCE[0]}")/kit.bash"
#   KNOWN_PARTS=(NAME...)             the benchmark's parts; set it before begin; none by default
#   begin "$@"                        reads --smoke, --full, --turns N, --help and names of parts; prints the host
#
#   IS_SMOKE                          true: a run of a few seconds that only shows that it works; its figures are not valid
#   TURNS                             how often each way is measured
#   wants PART                        true when PART was requested, or when no part was requested
#
# Results (bench/kit/rows.py; ids in bench/kit/goals.txt)
#   record ID [VALUE...] [--samples FILE] [--variant TEXT] [--peer NAME=VALUE] [--note TEXT]
#   curve FIGURE CURVE FILE --x LABEL --y LABEL [--title TEXT] [--level NUMBER]
#
# Turns
#   in_turns FOLDER FUNCTION WAY...   TURNS times, each time in another order: FUNCTION WAY, whose output goes to FOLDER/WAY (one sample on each line)
#   share_time FOLDER=WEIGHT...       divides the seconds that --full gives a benchmark (GRAY_BENCH_BUDGET_S): the weight of each in_turns to
#                                     come. An in_turns whose share is used up takes fewer turns, but at least TURNS_MIN
#   ratios A B                        the quotient of two such files, turn by turn
#   median FILE                       the median of the first column
#   seconds CMD...                    runs it, prints how long it took; its own output is dropped
#
# States (each fails when the control, pagecache or fincore, sees another state)
#   make_disk [HDDSIM-OPTION...]      makes an emulated disk; sets DISK (where it is mounted) and DEVICE. Skips with a message where that is impossible
#   make_loop TYPE MB READ-AHEAD-KB   a fresh file system over a loop device on the real disk, with its journal on another device, so that this device's counters
#                                     count only data and metadata; sets LOOP_MOUNT and LOOP_DEVICE. drop_loop removes both
#   settle_loop                       writes everything that the file system had delayed, its log's metadata included
#   loop_written                      the bytes written to LOOP_DEVICE so far, after all delayed writes
#   cold_disk                         unmounts and mounts the disk: neither data nor metadata of it is cached
#   cold FILE... / warm FILE...       drops these files from the page cache / reads them in
#   control FILE...                   prints how much of the files is cached: "RESIDENT of PAGES pages"
#   set_scheduler NAME                sets the scheduler of DEVICE; status 1 where the kernel does not have this scheduler
#
# Others
#   background CMD...                 starts it in a session of its own; sets BACKGROUND. It ends with the benchmark in any case
#   stop_background                   ends it and all processes that it has started
#   make_group cap DEVICE READ WRITE  makes a control group that caps this disk (bytes a second, 0: no cap), or a group with a limit of memory; sets GROUP.
#   make_group memory BYTES           Status 1: not possible here. drop_group removes the group
#   inside GROUP CMD...               runs the command in the group
#   not_here WHAT REASON              prints that something is left out, and why
#
# Each file, device, group and process that a benchmark makes has $GRAY_BENCH_RUN in its name or environment, and is removed with the benchmark. The
# benchmark's own traps remove it when the benchmark ends or is interrupted. A guard (kit/leftovers.py) removes it when the benchmark is killed.
KIT=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/kit
readonly KIT

BENCH=${GRAY_BENCH_NAME:-$(basename "$0")}
if [[ $BENCH == run ]]; then BENCH=$(basename "$(dirname "$(realpath "$0")")"); fi
export GRAY_BENCH_NAME=$BENCH

# Without script/bench, this benchmark is a run of its own, with a guard over it.
if [[ -z ${GRAY_BENCH_RUN:-} ]]; then
  export GRAY_BENCH_RUN=$$
  GRAY_BENCH_FOUND=$("$KIT/leftovers.py" orphans "$GRAY_BENCH_RUN")
  export GRAY_BENCH_FOUND
  export GRAY_SCRATCH=${GRAY_SCRATCH:-/var/tmp}/gray-bench-$GRAY_BENCH_RUN
  "$KIT/leftovers.py" guard "$GRAY_BENCH_RUN" $$
  mkdir -p "$GRAY_SCRATCH"
fi
# shellcheck source=tests/support/system.bash
source "$KIT/../../tests/support/system.bash"

IS_SMOKE=false
TURNS=5 TURNS_MIN=3
PARTS=() KNOWN_PARTS=()
DISK='' DEVICE='' UNIT='' LOOP_MOUNT='' LOOP_DEVICE='' BACKGROUND='' GROUP=''
_units=0 _groups=0
_begun_s=$SECONDS
declare -A _weights=()

begin() {
  while (($#)); do
    case $1 in
      --smoke) IS_SMOKE=true TURNS=1 ;;
      --full) IS_SMOKE=false ;;
      --turns)
        TURNS=${2:-}
        [[ $TURNS =~ ^[1-9][0-9]*$ ]] || usage_error "--turns wants a number"
        shift
        ;;
      --help | -h)
        sed -n '3,/^[^#]/{s/^# \{0,1\}//p}' "$0"
        exit 0
        ;;
      -*) usage_error "unknown option '$1'" ;;
      *)
        [[ " ${KNOWN_PARTS[*]} " == *" $1 "* ]] || usage_error "there is no '$1'; ${KNOWN_PARTS[*]:+there are }${KNOWN_PARTS[*]:-it has no parts}"
        PARTS+=("$1")
        ;;
    esac
    shift
  done
  if $IS_SMOKE; then export GRAY_BENCH_SMOKE=1; fi
  printf '%s: %s\n' "$BENCH" "$("$KIT/rows.py" host)"
}

usage_error() {
  printf '%s: %s\n' "$BENCH" "$1" >&2
  exit 2
}

wants() { ((${#PARTS[@]} == 0)) || [[ " ${PARTS[*]} " == *" $1 "* ]]; }

not_here() { printf 'not shown: %s (%s)\n' "$1" "$2"; }

# --- results ----------------------------------------------------------------------------------------------

record() { "$KIT/rows.py" row "$@"; }
curve() { "$KIT/rows.py" curve "$@"; }

# --- turns ------------------------------------------------------------------------------------------------

share_time() {
  local part
  for part in "$@"; do _weights[${part%=*}]=${part#*=}; done
}

# Sets SHARE_S, the seconds that a part may take; empty: no limit. From now on the part no longer counts as a part to come.
_take_share() {
  local weight=${_weights[$1]:-1} others=0 part
  unset "_weights[$1]"
  SHARE_S=
  [[ -n ${GRAY_BENCH_BUDGET_S:-} ]] || return 0
  for part in "${!_weights[@]}"; do others=$((others + _weights[$part])); done
  SHARE_S=$(((GRAY_BENCH_BUDGET_S - (SECONDS - _begun_s)) * weight / (weight + others)))
}

# _is_time_over TURN PART-BEGAN-S TURN-BEGAN-S: true if another turn like the last one does not fit into SHARE_S.
_is_time_over() {
  if [[ -z $SHARE_S ]] || (($1 < TURNS_MIN || SECONDS - $2 + SECONDS - $3 <= SHARE_S)); then return 1; fi
  printf '   %s turns of %s: its share of the time is used\n' "$1" "$TURNS"
}

in_turns() {
  local folder=$1 function=$2 turn i count way began_s=$SECONDS last_s=$SECONDS
  shift 2
  count=$#
  mkdir -p "$folder"
  for way in "$@"; do : >"$folder/$way"; done
  _take_share "${folder##*/}"
  for ((turn = 0; turn < TURNS; turn++)); do
    if _is_time_over "$turn" "$began_s" "$last_s"; then return; fi
    last_s=$SECONDS
    for ((i = 0; i < count; i++)); do
      # Each turn begins with another way, and every second turn runs in the reverse order. So no way always follows
      # the same other way.
      way=$(((turn + (turn % 2 ? count - i : i)) % count + 1))
      "$function" "${!way}" >>"$folder/${!way}"
    done
  done
}

ratios() { paste "$1" "$2" | awk '$2 > 0 { printf "%.6g\n", $1 / $2 }'; }

median() { sort -g "$1" | awk '{ v[NR] = $1 } END { if (NR) printf "%.6g\n", NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }

seconds() {
  local start_ns
  start_ns=$(date +%s%N)
  "$@" >/dev/null
  awk -v ns="$(($(date +%s%N) - start_ns))" 'BEGIN { printf "%.6f\n", ns / 1e9 }'
}

# --- states -----------------------------------------------------------------------------------------------

need_disk() {
  need_root
  need_built hddsim
  need losetup mkfs.ext4
  [[ -c /dev/fuse ]] || skip "there is no /dev/fuse for the emulated disk"
  [[ -e /dev/loop-control ]] || skip "there are no loop devices for the emulated disk"
}

make_disk() {
  need_disk
  UNIT=bench-$GRAY_BENCH_RUN-$((++_units))
  at_exit _drop_disk "$UNIT"
  "$BIN/hddsim" up "$UNIT" "$@" >"$SCRATCH/where"
  DISK=$(<"$SCRATCH/where")
  DEVICE=$DISK # a disk without a file system
  [[ $DISK == /dev/* ]] || DEVICE=$(findmnt -n -o SOURCE "$DISK")
}

drop_disk() {
  cd "$SCRATCH"
  _drop_disk "$UNIT"
  DISK='' DEVICE=''
}

# A disk first serves its whole queue: this may take long when many writes are delayed.
_drop_disk() {
  [[ -d /run/hddsim/$1 ]] || return 0
  "$BIN/hddsim" down --force "$1" >/dev/null
}

readonly LOOP_JOURNAL_MB=128

make_loop() {
  local journal
  need_root
  need losetup "mkfs.$1"
  LOOP_MOUNT=$SCRATCH/loop
  mkdir -p "$LOOP_MOUNT"
  truncate -s "$2M" "$SCRATCH/loop.image"
  truncate -s "${LOOP_JOURNAL_MB}M" "$SCRATCH/loop-journal.image"
  at_exit drop_loop
  LOOP_DEVICE=$(losetup --find --show --direct-io=on "$SCRATCH/loop.image")
  journal=$(losetup --find --show --direct-io=on "$SCRATCH/loop-journal.image")
  echo "$3" >"/sys/block/${LOOP_DEVICE#/dev/}/queue/read_ahead_kb"
  if [[ $1 == xfs ]]; then
    mkfs.xfs -q -l "logdev=$journal,size=$((LOOP_JOURNAL_MB - 1))m" "$LOOP_DEVICE"
    mount -o "logdev=$journal" "$LOOP_DEVICE" "$LOOP_MOUNT"
  else # the tables are zeroed now, so that the kernel does not do it during a run
    mkfs.ext4 -q -b 4096 -O journal_dev "$journal"
    mkfs.ext4 -q -b 4096 -E lazy_itable_init=0 -J "device=$journal" "$LOOP_DEVICE"
    mount "$LOOP_DEVICE" "$LOOP_MOUNT"
  fi
}

settle_loop() {
  fsfreeze --freeze "$LOOP_MOUNT"
  fsfreeze --unfreeze "$LOOP_MOUNT"
}

loop_written() {
  sync -f "$LOOP_MOUNT"
  awk '{ printf "%.0f\n", $7 * 512 }' "/sys/block/${LOOP_DEVICE#/dev/}/stat"
}

# The loop device is found by its file, because another program may have got the number of the device by now.
drop_loop() {
  local image device
  cd "$SCRATCH"
  if mountpoint -q "$SCRATCH/loop"; then umount "$SCRATCH/loop"; fi
  for image in "$SCRATCH/loop.image" "$SCRATCH/loop-journal.image"; do
    for device in $(losetup -n -O NAME -j "$image" 2>/dev/null); do losetup -d "$device"; done
    rm -f "$image"
  done
}

cold_disk() {
  local try
  cd "$SCRATCH"
  sync -f "$DISK"
  for try in 1 2 3 4 5 6 7 8; do
    umount "$DISK" 2>"$SCRATCH/umount" && break
    sleep "0.$try"
  done
  mountpoint -q "$DISK" && fail "$DISK cannot be unmounted: $(<"$SCRATCH/umount")"
  blockdev --flushbufs "$DEVICE"
  mount "$DEVICE" "$DISK"
}

cold() {
  local try left=1
  for try in 1 2 3 4 5; do
    evict "$@"
    left=$(_resident "$@")
    ((left == 0)) && return
    sleep "0.$try"
  done
  fail "the control sees $left pages of $1 ... in memory, which should be cold"
}

warm() {
  local try
  for try in 1 2 3 4 5; do
    "$TOOLS/pagecache" warm "$@"
    if (($(_resident "$@") >= $(_pages "$@"))); then return; fi
  done
  fail "the control does not see all of $1 ... in memory after $try readings"
}

_resident() { "$TOOLS/pagecache" count "$@" | awk '{ sum += $1 } END { print sum + 0 }'; }
_pages() { stat -c %s -- "$@" | awk '{ sum += int(($1 + 4095) / 4096) } END { print sum + 0 }'; }
control() { "$TOOLS/pagecache" count "$@" | awk '{ in_memory += $1; all += $2 } END { printf "%d of %d pages\n", in_memory, all }'; }

set_scheduler() { { echo "$1" >"/sys/block/${DEVICE#/dev/}/queue/scheduler"; } 2>/dev/null; }

# --- other processes --------------------------------------------------------------------------------------

background() {
  setsid "$@" >/dev/null 2>&1 </dev/null &
  BACKGROUND=$!
  at_exit _end_session "$BACKGROUND"
}

stop_background() {
  [[ -n $BACKGROUND ]] || return 0
  # Without this the shell would report that the job was killed.
  { _end_session "$BACKGROUND" && wait "$BACKGROUND"; } 2>/dev/null || true
  BACKGROUND=
}

# Only sessions of this run are ended: another program's session may have got the number by now.
_end_session() {
  local pid
  for pid in $(pgrep -s "$1" 2>/dev/null); do
    if tr '\0' '\n' 2>/dev/null <"/proc/$pid/environ" | grep -qx "GRAY_BENCH_RUN=$GRAY_BENCH_RUN"; then kill -KILL "$pid" 2>/dev/null || true; fi
  done
}

make_group() {
  local kind=$1
  shift
  _groups=$((_groups + 1))
  GROUP=$("$KIT/control_groups.py" "$kind" "gray-bench-$GRAY_BENCH_RUN-$_groups" "$@") || return 1
  at_exit _drop_group "$GROUP"
}

drop_group() { _drop_group "$GROUP"; }

_drop_group() {
  local try
  for try in 1 2 3 4 5; do
    [[ -d $1 ]] || return 0
    rmdir "$1" 2>/dev/null && return
    sleep "0.$try"
  done
}

inside() { # shellcheck disable=SC2016 # for the inner shell to expand
  sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$@"
}
