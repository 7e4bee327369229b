#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# discnice_readahead_fuzz: compares the read-ahead model with the running kernel, call by call, on random sequences of reads.
#
# Claim: on a kernel that the model knows, at least 98 of 100 sequences are predicted to the byte at every call (read_bytes of /proc/self/io): read and pread in
# order, at strides and at random, advice, several descriptors on one file. GRAY_FUZZ_SEQUENCES sets how many sequences are made for each; of a small number,
# the host may disturb one sequence. As root it also uses ext4 and XFS over loop devices with windows from 0 to 8 MB. Known: 6.18, where read; for other kernels
# the test says so and is skipped.
# Runs alone: when other programs cause the eviction of a page, a sequence looks wrong.
# shellcheck source=tests/support/discnice.bash
source "$(dirname "$0")/../support/discnice.bash"

readonly SEQUENCES=${GRAY_FUZZ_SEQUENCES:-15}
readonly EXACT_MIN=$(((SEQUENCES * 98 - 50) / 100)) BYTES=$((48 * 1024 * 1024))
kernel=$(uname -r)
case $kernel in
  6.18.*) ;;
  *) skip "the read-ahead model knows kernel 6.18 to the byte; this one is $kernel" ;;
esac

# compare NAME FILE: prints one line, and complains when too few sequences were exact.
compare() {
  local name=$1 file=$2 device queue window request answer
  device=$(mountpoint -d "$(stat -c %m "$file")")
  queue=/sys/dev/block/$device/queue
  [[ -d $queue ]] || queue=/sys/dev/block/$device/../queue
  window=$(cat "$queue/read_ahead_kb")
  request=$(cat "$queue/max_sectors_kb")
  answer=$("$TOOLS/readahead_differential" "$file" $((window / 4)) $((request / 4)) 9 1 "$SEQUENCES") ||
    complain "$name: the differential test ended with status $?"
  printf '%s, window %s KB: %s\n' "$name" "$window" "${answer##*$'\n'}"
  (($(sed -n '$s/ of.*//p' <<<"$answer") >= EXACT_MIN)) || complain "$name, window $window KB: $answer"
}

# Runs on a fresh file system over a loop device.
on_loop() { # TYPE
  local device mount=$SCRATCH/mount window
  truncate -s 400M image
  device=$(losetup --find --show --direct-io=on image)
  at_exit bash -c "losetup -d '$device' 2>/dev/null"
  "mkfs.$1" -q "$device"
  mkdir -p "$mount"
  for window in 0 128 8192; do
    echo "$window" >"/sys/block/${device#/dev/}/queue/read_ahead_kb"
    mount "$device" "$mount"
    at_exit bash -c "umount '$mount' 2>/dev/null"
    [[ -e $mount/file ]] || make_file "$mount/file" "$BYTES"
    sync -f "$mount"
    compare "$1" "$mount/file"
    umount "$mount"
  done
  losetup -d "$device"
  rm -f image
}

case $(stat -f -c %T "$SCRATCH") in
  ext2/ext3 | xfs)
    make_file "$SCRATCH/file" "$BYTES"
    compare here "$SCRATCH/file"
    rm "$SCRATCH/file"
    ;;
  *) echo "not compared here: the model knows ext4 and XFS, this is $(stat -f -c %T "$SCRATCH")" ;;
esac
cd "$SCRATCH"
if ((EUID == 0)) && command -v mkfs.ext4 mkfs.xfs >/dev/null && losetup -f >/dev/null 2>&1; then
  for type in ext4 xfs; do on_loop "$type"; done
else
  echo "not compared: ext4 and XFS with windows of 0, 128 KB and 8 MB (needs root, loop devices, mkfs.ext4 and mkfs.xfs)"
fi
conclude
