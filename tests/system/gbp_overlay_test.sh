#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# gbp_overlay: on an overlay file system, where cachestat reports every file as uncached, gbp is right by other means, for the owner and for others.
#
# A container's root is usually an overlay. The test mounts an overlay over a folder of the scratch disk. Its files are evicted, some are read again, and `pagecache
# count` (mincore as the owner, which is right there) confirms the state around each question. Leaves out overlays of several lower file systems.
source "$(dirname "$0")/../support/system.bash"
need setpriv python3
need_built gbp
need_root
GBP=$(program gbp)
readonly NOBODY=65534
readonly ROUNDS_MAX=5
readonly FILE_BYTES=3000000
export XDG_RUNTIME_DIR=/nonexistent HOME=/nonexistent # so that no round remembers the probes of another
export XDG_DATA_HOME=$SCRATCH/parameters # only the shipped parameters

mkdir "$SCRATCH"/{lower,upper,work,merged}
chmod 755 "$SCRATCH" "$SCRATCH"/{lower,upper,merged}
mount -t overlay overlay -o "lowerdir=$SCRATCH/lower,upperdir=$SCRATCH/upper,workdir=$SCRATCH/work" "$SCRATCH/merged" 2>"$SCRATCH/refusal" ||
  skip "no overlay can be mounted here: $(cat "$SCRATCH/refusal")"
at_exit umount "$SCRATCH/merged"

# The first three files come from the lower layer, the others lie in the upper layer.
names=(a b c d e f)
warm=(b d f)
cold=(a c e)
for name in a b c; do head -c "$FILE_BYTES" /dev/urandom >"$SCRATCH/lower/$name"; done
cd "$SCRATCH/merged"
at_exit cd /
for name in d e f; do head -c "$FILE_BYTES" /dev/urandom >"$name"; done
chmod 644 "$SCRATCH"/lower/? d e f
sync -f .
wanted=$(printf '%s\n' "${warm[@]}" "${cold[@]}")

# is_prepared: the warm files are resident, and the cold files are not, except the few pages that probes have fetched.
is_prepared() {
  "$TOOLS/pagecache" count "${warm[@]}" | awk '$1 != $2 { exit 1 }' && "$TOOLS/pagecache" count "${cold[@]}" | awk '$1 > 3 { exit 1 }'
}

# check BACKENDS COMMAND...: the order must be right, by these backends only (a pattern for grep -E).
check() {
  local backends=$1 round answer
  shift
  for ((round = 0; round < ROUNDS_MAX; ++round)); do
    evict "${names[@]}"
    "$TOOLS/pagecache" warm "${warm[@]}"
    answer=$("$@" -mem --json "${names[@]}") || fail "status $? from: $*"
    is_prepared || continue
    [[ $(python3 -c 'import json, sys; [print(json.loads(line)["path"]) for line in sys.stdin]' <<<"$answer") == "$wanted" ]] ||
      fail "$* -mem says: $answer"
    [[ $(grep -cE "\"backend\":\"($backends)\"" <<<"$answer") -eq ${#names[@]} ]] || fail "not by $backends alone: $answer"
    return
  done
  skip "the page cache does not keep $((FILE_BYTES * ${#warm[@]})) bytes for a second here"
}

# When the kernel's cachestat gives true counts on overlay, it may be used. Up to 6.18 it says 0, and the self-test rejects it.
check 'cachestat|mincore' "$GBP"
if setpriv --reuid "$NOBODY" --regid "$NOBODY" --clear-groups -- test -x "$GBP" -a -r "$SCRATCH/merged/a"; then
  check fault setpriv --reuid "$NOBODY" --regid "$NOBODY" --clear-groups -- "$GBP"
  check timed setpriv --reuid "$NOBODY" --regid "$NOBODY" --clear-groups -- "$GBP" --backend timed
else
  skip "checked as the owner only: $GBP is out of an ordinary user's reach"
fi
