#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# discnice_mixes: tests whether a random mix of reads is predicted on ext4, XFS and btrfs, by the model alone, for a program under discnice.
#
# Claim: on a kernel that the model knows, the sum over some mixes is at most 1 % wrong, and at most one mix in fifteen is more than 1 % wrong, compared with
# the bytes that the kernel counted during the calls. The differential test uses an oracle of its own, which notes the fetched pages. This test uses the
# library's oracle, which was asked before the call, with the windows that it has found. Runs as root, on loop devices with read-ahead of 128 and 512 KB. Known:
# 6.18; for other kernels the test says so and is skipped. Left out: other kernels, which script/kernels boots.
# shellcheck source=tests/support/discnice.bash
source "$(dirname "$0")/../support/discnice.bash"

readonly MIXES=15 BYTES=$((48 * 1024 * 1024))
need_root
case $(uname -r) in
  6.18.*) ;;
  *) skip "the read-ahead model knows kernel 6.18 to the byte; this one is $(uname -r)" ;;
esac
losetup -f >/dev/null 2>&1 || skip "no loop device is free"

# compare TYPE FILE WINDOW_KB
compare() {
  "$DISCNICE" verify --ledger=off --record record --report report -- "$TOOLS/read_mix" "$2" 1 "$MIXES" || complain "$1: read_mix ended with status $?"
  "$TOOLS/recorded_cases" record |
    awk -v all="$MIXES" '{ predicted += $1; kernel += $2; if ($1 > 1.01 * $2 || $1 < 0.99 * $2) ++off }
      END { sum = kernel > 0 ? 100 * (predicted / kernel - 1) : 100
        printf "sum %.2f %%, %d of %d off\n", sum, off, NR
        exit NR != all || off > 1 || sum > 1 || sum < -1 }' >found || complain "$1, window $3 KB: $(cat found)"
  printf '%s, window %s KB: %s\n' "$1" "$3" "$(cat found)"
}

# Prints the file that sets the read-ahead window of the mounted file system.
window_of() { # TYPE DEVICE MOUNT
  if [[ $1 == btrfs ]]; then
    echo "/sys/fs/btrfs/$(findmnt -n -o UUID "$3")/bdi/read_ahead_kb"
  else
    echo "/sys/block/${2#/dev/}/queue/read_ahead_kb"
  fi
}

# Runs on a fresh file system over a loop device.
on_loop() { # TYPE
  local device mount=$SCRATCH/mount window_kb
  command -v "mkfs.$1" >/dev/null || {
    echo "not compared: $1 (needs mkfs.$1)"
    return 0
  }
  truncate -s 400M image
  "mkfs.$1" -q image >/dev/null 2>&1
  device=$(losetup --find --show --direct-io=on image)
  at_exit bash -c "losetup -d '$device' 2>/dev/null"
  mkdir -p "$mount"
  mount "$device" "$mount"
  at_exit bash -c "umount '$mount' 2>/dev/null"
  make_file "$mount/file" "$BYTES"
  sync -f "$mount"
  for window_kb in 128 512; do
    echo "$window_kb" >"$(window_of "$1" "$device" "$mount")"
    compare "$1" "$mount/file" "$window_kb"
  done
  umount "$mount"
  losetup -d "$device"
  rm -f image
}

cd "$SCRATCH"
for type in ext4 xfs btrfs; do on_loop "$type"; done
conclude
