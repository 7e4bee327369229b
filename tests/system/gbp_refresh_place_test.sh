#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# gbp_refresh_place: after gbp -refresh the files of a small directory lie one behind the other.
#
# How: directory after directory is made and refreshed on an ext4 in memory, so that the range which ext4 sets aside for small files ends within some of them.
# Then gbp itself says how many files are not close behind the file before. Left out: the speed that a disk gains (script/bench gbp), and directories that are
# too large for one range.
source "$(dirname "$0")/../support/system.bash"
need_root
need_built gbp
need mkfs.ext4 losetup
[[ -e /dev/loop-control ]] || skip "there are no loop devices"
readonly DIRECTORIES=16 FILES=60 FILE_BYTES=8192
export XDG_DATA_HOME=$SCRATCH/parameters XDG_RUNTIME_DIR=$SCRATCH
MEMORY=$(mktemp -d /dev/shm/gray-place.XXXXXX)
readonly MEMORY
at_exit rm -rf -- "$MEMORY"
mkdir "$MEMORY/disk"
truncate -s 4G "$MEMORY/image"
mkfs.ext4 -q -F "$MEMORY/image"
mount -o loop "$MEMORY/image" "$MEMORY/disk" 2>"$SCRATCH/refusal" || skip "no ext4 can be mounted here: $(cat "$SCRATCH/refusal")"
at_exit umount "$MEMORY/disk"

jumps=0
for ((directory = 0; directory < DIRECTORIES; directory++)); do
  place=$MEMORY/disk/d$directory
  mkdir "$place"
  for ((file = 0; file < FILES; file++)); do head -c "$FILE_BYTES" /dev/zero >"$place/f$file"; done
  sync -f "$place"
  "$BIN/gbp" -refresh "$place" --apply --force >"$SCRATCH/said" 2>&1 || fail "it cannot be refreshed: $(cat "$SCRATCH/said")"
  said=$("$BIN/gbp" -refresh "$place" --force | sed -n "s/^score *\([0-9]*\) of $FILES files .*/\1/p")
  [[ $said ]] || fail "no score of $FILES files"
  jumps=$((jumps + said))
done
printf '%d files in %d directories: %d not close behind the one before\n' "$((DIRECTORIES * FILES))" "$DIRECTORIES" "$jumps"
((jumps == 0)) || fail "$jumps files lie somewhere else"
